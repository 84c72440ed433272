"""What a list of drives can be narrowed by: facets with their values, as words that a summary row keeps.

A row keeps `facet:value` for each value that it has. Choosing values of one facet widens, choosing in
another one narrows. `~` stands for what nobody has stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

UNSTATED = "~"
_INCHES = re.compile(r"^\s*([\d.]+)\s*(?:in|inch|inches|\")", re.IGNORECASE)
_GB = 10**9
_RANGES: tuple[tuple[str, int, str], ...] = (
    ("under-10gb", 0, "under 10 GB"),
    ("10-100gb", 10 * _GB, "10 to 100 GB"),
    ("100-500gb", 100 * _GB, "100 to 500 GB"),
    ("500gb-1tb", 500 * _GB, "500 GB to 1 TB"),
    ("1-4tb", 1000 * _GB, "1 to 4 TB"),
    ("4-10tb", 4000 * _GB, "4 to 10 TB"),
    ("10-20tb", 10_000 * _GB, "10 to 20 TB"),
    ("over-20tb", 20_000 * _GB, "20 TB and more"),
)
"""Capacities by their lower bounds, in bytes; the upper bound is the next one's lower bound and not in it."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that drives differ in."""

    key: str
    title: str
    labels: tuple[tuple[str, str], ...] = ()
    """Its values with their names in this order, where the values are a fixed list."""
    by_number: bool = False
    """Whether values are sorted by their number, the largest first, and not by how many drives have them."""

    def label(self, value: str) -> str:
        """Return a value's name."""
        if value == UNSTATED:
            return "not stated"
        return dict(self.labels).get(value, value)


VERDICTS = (
    ("met", "met"),
    ("exceeded", "exceeded"),
    ("missed", "missed"),
    ("inconclusive", "inconclusive"),
    ("not comparable", "not comparable"),
    ("untested", "nothing measured yet"),
)
FACETS: tuple[Facet, ...] = (
    Facet("vendor", "Vendor"),
    Facet("family", "Family"),
    Facet("capacity", "Capacity", tuple((key, label) for key, _low, label in _RANGES)),
    Facet("rpm", "Rated rpm", by_number=True),
    Facet("interface", "Interface"),
    Facet("form", "Form factor"),
    Facet(
        "recording",
        "Recording",
        (
            ("LMR", "longitudinal (LMR)"),
            ("PMR", "perpendicular (PMR)"),
            ("CMR", "conventional (CMR)"),
            ("SMR", "shingled (SMR)"),
        ),
    ),
    Facet("year", "Year", by_number=True),
    Facet(
        "numbers",
        "Numbers from",
        (
            ("probe", "measured runs"),
            ("literature", "published documents"),
            ("imported", "imported runs"),
            ("simulated", "simulated runs"),
            (UNSTATED, "none yet"),
        ),
    ),
    Facet(
        "has",
        "Has",
        (
            ("runs", "measured runs"),
            ("units", "two or more units"),
            ("batches", "two or more batches"),
            ("firmwares", "two or more firmware revisions"),
            ("claims", "vendor's claims"),
        ),
    ),
    Facet("verdict", "Verdict on a claim", VERDICTS),
)
FACET_OF_KEY = {facet.key: facet for facet in FACETS}


def capacity_range(capacity_bytes: int | None) -> str:
    """Return the range that a capacity is in."""
    if capacity_bytes is None:
        return UNSTATED
    return next(key for key, low, _label in reversed(_RANGES) if capacity_bytes >= low)


def form_factor_word(text: str) -> str:
    """Return a form factor as its width alone: `3.5in, HH` and `3.5 inch` are one."""
    found = _INCHES.match(text)
    return f"{found.group(1)} inch" if found else text or UNSTATED


def facet_words(
    identity: Mapping[str, Any],
    *,
    counts: Mapping[str, int],
    provenances: Iterable[str],
    outcomes: Iterable[str],
) -> list[str]:
    """Return the words of one drive model, whose `identity` has what a summary's row says of it, with its
    vendor's slug. `counts` has runs, units, batches, firmwares and claims."""
    enough = {"runs": 1, "units": 2, "batches": 2, "firmwares": 2, "claims": 1}
    rpm = identity["rpm"]
    stated = {name: identity[name] for name in ("vendor", "family", "interface", "recording", "year")} | {
        "capacity": capacity_range(identity["capacity_bytes"]),
        "rpm": None if rpm is None else f"{rpm:.0f}",
        "form": form_factor_word(identity["form_factor"]),
    }
    words = [f"{facet}:{value or UNSTATED}" for facet, value in stated.items()]
    words += [f"numbers:{provenance}" for provenance in list(provenances) or [UNSTATED]]
    words += [f"has:{name}" for name, least in enough.items() if counts.get(name, 0) >= least]
    return words + [f"verdict:{outcome}" for outcome in outcomes]
