"""Scopes are shown in words, and no two scopes of a kind become one."""

from __future__ import annotations

import pytest

from server.benchmarks.registry import KINDS
from server.core.scopes import scope_text
from tests.contract.golden import facts_of, golden_of
from tests.support.probe import entry_of


@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("", ""),
        ("outer/write", "outer, write"),
        ("read/33554432/94", "read, 32 MiB, at 94 %"),
        ("write/512/00", "write, 512 bytes, at 0 %"),
        ("read/1073741824/06", "read, 1 GiB, at 6 %"),
        ("mixed/4096/p1/read", "mixed, 4 KiB, 1 process, read"),
        ("write/65536/p8", "write, 64 KiB, 8 processes"),
        ("read/4096/q32", "read, 4 KiB, 32 queued"),
        ("1s/read/07", "pauses of 1 s, read, at 7 %"),
        ("off/64KiB", "write cache off, 64 KiB"),
        ("2.75", "at 2.75 %"),
        ("100", "at 100 %"),
        ("read/1000/00", "read, 1000 bytes, at 0 %"),
        ("a_new_word/x9", "a new word, x9"),
    ],
)
def test_a_scope_is_shown_in_words(scope: str, text: str) -> None:
    assert scope_text(scope).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_number_keeps_its_unit_beside_it() -> None:
    assert scope_text("read/4096/94") == "read, 4\N{NO-BREAK SPACE}KiB, at 94\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize("slug", [kind.slug for kind in KINDS])
def test_different_scopes_of_a_kind_stay_different_in_words(slug: str) -> None:
    kind = next(kind for kind in KINDS if kind.slug == slug)
    document = golden_of(slug).document()
    extraction = kind.extract(entry_of(document, slug), facts_of(document))
    scopes = {entry.scope for entry in extraction.measurements}
    assert len({scope_text(scope) for scope in scopes}) == len(scopes)
