"""Where the publication log has a run, as pages say it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse

from server.transparency.models import LogLeaf
from server.transparency.publication_log import leaves_list

WORDS = {LogLeaf.Kind.PUBLISHED: "published", LogLeaf.Kind.WITHDRAWN: "withdrawn"}


@dataclass(frozen=True, slots=True)
class LogPlace:
    """One leaf of the publication log."""

    index: int
    """Number of the leaf, from 0."""
    said: str
    """`published` or `withdrawn`."""
    at: datetime
    proof_url: str
    """Where the proof is that the log of the present size holds the leaf."""


def log_places(run_id: UUID) -> tuple[LogPlace, ...]:
    """Return what the log says of a run, in the order in which it was said; nothing of one that never was
    published."""
    proof = reverse("api:log-inclusion")
    return tuple(
        LogPlace(leaf.index, WORDS[LogLeaf.Kind(leaf.kind)], leaf.at, f"{proof}?leaf={leaf.index}")
        for leaf in leaves_list(run_id=run_id)
    )
