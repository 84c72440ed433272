"""The journeys of docs/contributing/architecture.md pass files that exist, and names that stand in them."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass

import pytest

from tools.repository_rules import ROOT

PAGE = ROOT / "docs" / "contributing" / "architecture.md"
STEP = re.compile(r"^\d+\. `(?P<path>[^`]+)`(?: `(?P<name>[\w.]+)`)?:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One file that a journey passes, and what is called in it."""

    path: str
    name: str | None


def journeys(text: str) -> dict[str, list[Step]]:
    """The numbered lists below the third-level headings, by heading."""
    parts = re.split(r"^### +(.+)$", text, flags=re.MULTILINE)
    found = {}
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        section = re.split(r"^## ", body, maxsplit=1, flags=re.MULTILINE)[0]
        found[title] = [Step(match["path"], match["name"]) for match in STEP.finditer(section)]
        assert len(found[title]) == len(re.findall(r"^\d+\. ", section, re.MULTILINE)), title
    return found


JOURNEYS = journeys(PAGE.read_text(encoding="utf-8"))
STEPS = sorted({(step.path, step.name or "") for steps in JOURNEYS.values() for step in steps})


def test_there_are_three_journeys_and_each_passes_several_files() -> None:
    assert len(JOURNEYS) == 3
    assert all(len(steps) >= 3 for steps in JOURNEYS.values())


@pytest.mark.parametrize(("path", "name"), STEPS)
def test_a_step_of_a_journey_is_in_its_file(path: str, name: str) -> None:
    """Python is imported and asked for the name; other sources are opened and must hold it as a word."""
    source = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".py"):
        found = importlib.import_module(path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"))
        for part in name.split(".") if name else []:
            found = getattr(found, part)
    elif name:
        assert re.search(rf"\b{re.escape(name)}\b", source), f"{path} does not hold {name}"


def test_a_step_that_the_list_writes_otherwise_is_not_passed_over() -> None:
    with pytest.raises(AssertionError, match="An upload"):
        journeys("### An upload\n1. `server/api/views.py`: the view\n2. the task\n")
