"""What a run's page says of disturbances."""

from __future__ import annotations

from typing import Any

from server.web.views.runs import disturbance_words


def piece(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "skippy",
        "piece": "outer part",
        "attempts": 1,
        "requests": 400,
        "disturbed_requests": 0,
        "foreign_requests": 0,
        "swapped_pages": 0,
        "throttle_events": 0,
    } | changes


def test_a_kind_that_nothing_disturbed_has_no_words() -> None:
    assert disturbance_words({}, "skippy") == ""
    assert disturbance_words({"disturbances": [piece(kind="zoned", foreign_requests=3)]}, "skippy") == ""


def test_the_causes_of_all_pieces_of_a_kind_are_added() -> None:
    conditions = {
        "disturbances": [
            piece(foreign_requests=1000, disturbed_requests=12, attempts=3),
            piece(foreign_requests=234, swapped_pages=1),
            piece(kind="zoned", foreign_requests=9),
        ]
    }
    words = disturbance_words(conditions, "skippy")
    assert "1,234 requests of others on the drive, 1 page swapped." in words
    assert "12 of its requests were under way then" in words
    assert "1 piece was measured again" in words


def test_a_piece_that_was_clean_at_the_second_attempt_is_told() -> None:
    words = disturbance_words({"disturbances": [piece(attempts=2)]}, "skippy")
    assert words == "1 piece was measured again, and the least disturbed attempt was kept."
