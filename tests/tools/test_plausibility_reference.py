"""The list of checks and the page that is written from it."""

from __future__ import annotations

import importlib
import pkgutil

import server.plausibility as package
from server.plausibility.check import Check
from server.plausibility.registry import CHECKS
from tools.plausibility_reference import PAGE, render


def test_the_page_is_written_from_the_present_list() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), "call `make plausibility-reference`"


def test_no_check_is_forgotten() -> None:
    found = set()
    for module in pkgutil.iter_modules(package.__path__):
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        found |= {value.key for value in vars(loaded).values() if isinstance(value, Check)}
    assert found == {check.key for check in CHECKS}


def test_every_check_says_what_it_is_and_no_key_stands_twice() -> None:
    assert len({check.key for check in CHECKS}) == len(CHECKS)
    for check in CHECKS:
        assert all((check.title, check.question, check.limit, check.because, check.remedy))
