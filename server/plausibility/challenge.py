"""The challenge: places that follow from a nonce of this archive can't have been measured before it was
given."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from server.benchmarks.challenge import Followed, seed_of
from server.benchmarks.contract import Facts
from server.benchmarks.registry import kinds_by_slug
from server.plausibility.check import Check, Result, not_applicable, noted, passed, quarantined
from server.plausibility.evidence import Evidence

FOLLOWING = 0.8
FRESH = timedelta(days=10)
OFFLINE = "Measured offline: no archive asked for this run."


def on_request(evidence: Evidence) -> Result:
    """Draw the places again that follow from the nonce, and compare them with the run's."""
    request = evidence.request
    if request is None:
        return not_applicable(OFFLINE)
    if request.issued_at is None:
        return noted("The nonce is not of this archive: the run counts as measured offline.")
    if request.used_by:
        return quarantined(f"The nonce is that of run {request.used_by}; each is good for one run.")
    followed = _followed(evidence)
    shares = {kind: round(one.following / one.positions, 4) for kind, one in followed.items()}
    astray = [kind for kind, share in shares.items() if share < FOLLOWING]
    if astray:
        listed = ", ".join(f"{kind} by {100 * shares[kind]:.0f} %" for kind in astray)
        return quarantined(
            f"Places follow from the nonce in {listed}, of {100 * FOLLOWING:.0f} % at least: they were not "
            "drawn from it.",
            following=shares,
        )
    if trouble := _time(evidence):
        return trouble
    if not shares:
        return noted(
            "No kind of this run has places that follow from a nonce: it counts as measured offline."
        )
    others = [part["kind"] for part in evidence.parts if part["kind"] not in shares]
    words = f"Measured on request: the places of {', '.join(shares)} follow from the nonce."
    if others:
        words += f" Those of {', '.join(others)} are fixed."
    return passed(words, following=shares)


def _followed(evidence: Evidence) -> dict[str, Followed]:
    """Return how far the places of each kind follow, of those that have places that could."""
    seed = seed_of(evidence.request.nonce if evidence.request else "")
    facts = Facts(evidence.device["block_bytes"], evidence.device["capacity_bytes"])
    found = {}
    for part in evidence.parts:
        kind = kinds_by_slug().get(part["kind"])
        followed = kind.follows(part, facts, seed) if kind and kind.follows else None
        if followed is not None:
            found[part["kind"]] = followed
    return found


def _time(evidence: Evidence) -> Result | None:
    """Compare when the nonce was given and when the run came with how long it took."""
    if evidence.received_at is None or evidence.request is None or evidence.request.issued_at is None:
        return None
    passed_by = evidence.received_at - evidence.request.issued_at
    took = timedelta(seconds=sum(part["elapsed_ns"] for part in evidence.parts) / 1e9)
    figures: Mapping[str, Any] = {
        "seconds_since_nonce": round(passed_by.total_seconds(), 1),
        "seconds_measured": round(took.total_seconds(), 1),
    }
    if passed_by > FRESH:
        return noted(
            f"The nonce was given {passed_by.days} days before the run came, of {FRESH.days} at most: it "
            "counts as measured offline.",
            **figures,
        )
    # A simulated drive's time is not the clock's.
    if not evidence.simulated and took > passed_by + timedelta(seconds=1):
        return quarantined(
            f"The nonce was given {passed_by} before the run came, and the run took {took}: it began "
            "earlier.",
            **figures,
        )
    return None


ON_REQUEST = Check(
    key="on_request",
    title="Measured on request",
    question=(
        "Where a run says that this archive asked for it: do its random places follow from the nonce, and "
        "did it take place after the nonce was given?"
    ),
    limit=(
        f"{100 * FOLLOWING:.0f} % of the places of each kind that draws any; {FRESH.days} days; one run for "
        "each nonce."
    ),
    because=(
        "Nobody knows the places before the archive gives the nonce, so samples at these places were taken, "
        "or invented, after it. Unreadable blocks are left out of the samples, and a series at the end of a "
        "small disk may have no room to move. The longest suite takes a week."
    ),
    remedy=(
        "Measure again with --submit or --challenge, and send the file once. A run without a challenge is "
        "welcome, and says so."
    ),
    judge=on_request,
)
CHECKS = (ON_REQUEST,)
