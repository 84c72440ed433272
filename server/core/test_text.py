"""Numbers in a text are ordered by their value."""

from __future__ import annotations

from server.core.text import natural_order


def test_places_of_a_disk_stand_in_their_order() -> None:
    scopes = ["100", "15.25", "2.75", "90.25", "read/8192/06", "read/512/06", "", "inner"]
    assert sorted(scopes, key=natural_order) == [
        *("", "2.75", "15.25", "90.25", "100"),
        *("inner", "read/512/06", "read/8192/06"),
    ]
