"""The guided runs find the parsers' targets, and each takes a draw."""

from __future__ import annotations

from tests.fuzz import test_parsers
from tests.fuzz.guided import SHORTEST, targets


def test_each_parser_is_a_target_that_takes_a_draw() -> None:
    found = targets(test_parsers)
    assert {"envelope", "command rotate", "body", "document", "import", "device", "head"} <= set(found)
    for check in found.values():
        check(bytes(SHORTEST))
    assert test_parsers.fuzz.__module__ == test_parsers.__name__, "it is put back"
