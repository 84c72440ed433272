"""What a document says of disturbances, in words for a run's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CAUSES = (
    ("foreign_requests", "request of others on the drive", "requests of others on the drive"),
    ("swapped_pages", "page swapped", "pages swapped"),
    ("throttle_events", "slow-down for heat", "slow-downs for heat"),
)


def disturbance_words(conditions: Mapping[str, Any], kind: str) -> str:
    """Return a sentence or two about what disturbed a kind; empty where nothing did, or nobody could tell."""
    pieces = [piece for piece in conditions.get("disturbances", ()) if piece["kind"] == kind]
    if not pieces:
        return ""
    causes = [
        f"{total:,} {one if total == 1 else many}"
        for name, one, many in _CAUSES
        if (total := sum(piece[name] for piece in pieces))
    ]
    met = sum(piece["disturbed_requests"] for piece in pieces)
    again = sum(piece["attempts"] > 1 for piece in pieces)
    sentences = [f"Disturbed while it was measured: {', '.join(causes)}." if causes else ""]
    if met:
        sentences.append(
            f"{met:,} of its requests {'was' if met == 1 else 'were'} under way then; "
            "where they are marked, they are left out."
        )
    if again:
        sentences.append(
            f"{again:,} {'piece was' if again == 1 else 'pieces were'} measured again, "
            "and the least disturbed attempt was kept."
        )
    return " ".join(sentence for sentence in sentences if sentence)
