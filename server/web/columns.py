"""Columns of numbers that stand point below point although each has the digits that its interval carries.

What a number lacks behind its point is added as `<i data-pad="00"></i>`: the style sheet gives that the width
of the digits and draws nothing, so that it is neither read out nor copied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.utils.safestring import SafeString
from markupsafe import escape

from server.core.numbers import Shown

_LAST = re.compile(r"\.(\d+)\D*$|\d\D*$")
"""The last number, with its digits behind the point where it has one."""
_BOTH = " ± "


def places_of(number: Shown | str | None) -> int:
    """Return how many digits stand behind the point of a number, of the last one in a text of several."""
    if not number:
        return 0
    if isinstance(number, Shown):
        point = number.value.rfind(".")
        return len(number.value) - point - 1 if point >= 0 else 0
    found = _LAST.search(number)
    return len(found[1] or "") if found else 0


def most_places(numbers: Iterable[Shown | str | None]) -> int:
    """Return how many digits behind the point a column's widest number has."""
    return max(map(places_of, numbers), default=0)


def places_by_metric(rows: Iterable[Any], field: str) -> dict[str, int]:
    """Return the most digits behind the point for each metric of a table, by the address of the metric.

    `field` of a row is the number. Metrics have units of their own, so only numbers of one metric are set
    below each other.
    """
    most: dict[str, int] = {}
    for row in rows:
        key = row.name.url
        most[key] = max(most.get(key, 0), places_of(getattr(row, field)))
    return most


def places_by_metric_in(rows: Iterable[Any], cells: str, field: str) -> dict[str, list[int]]:
    """Return the same for each column of rows with several numbers: `field` of each of `cells`."""
    most: dict[str, list[int]] = {}
    for row in rows:
        found = [places_of(getattr(cell, field)) for cell in getattr(row, cells)]
        known = most.get(row.name.url)
        most[row.name.url] = [max(pair) for pair in zip(known, found, strict=True)] if known else found
    return most


def places_by_column(rows: Iterable[Sequence[Shown | str | None]]) -> list[int]:
    """Return the most digits behind the point for each column of rows of equal length."""
    return [most_places(column) for column in zip(*rows, strict=True)]


def most_places_of(rows: Iterable[Any], field: str) -> int:
    """Return the most digits behind the point in a column of one unit."""
    return most_places(getattr(row, field) for row in rows)


def mean_places(rows: Iterable[Any], field: str) -> dict[str, tuple[int, int]]:
    """Return the same for texts such as `98.35 ± 0.4`, for the number before the sign and the one behind."""
    most: dict[str, tuple[int, int]] = {}
    for row in rows:
        mean, _sign, deviation = getattr(row, field).partition(_BOTH)
        before, behind = most.get(row.name.url, (0, 0))
        most[row.name.url] = (max(before, places_of(mean)), max(behind, places_of(deviation)))
    return most


def pad(had: int, places: int) -> str:
    """Return the room that a number with `had` digits behind the point lacks to `places`."""
    if had >= places:
        return ""
    return f'<i data-pad="{"" if had else "."}{"0" * (places - had)}"></i>'


def lined(text: str, places: int) -> SafeString:
    """Return a text with room behind its last number and what belongs to it, such as ` %`."""
    found = _LAST.search(text) if places else None
    if found is None:
        return SafeString(escape(text))
    return SafeString(f"{escape(text)}{pad(len(found[1] or ''), places)}")


def lined_mean(text: str, places: tuple[int, int]) -> SafeString:
    """Return `98.35 ± 0.4` with room behind both numbers."""
    mean, sign, deviation = text.partition(_BOTH)
    if not sign:
        # The signs stand below each other, so the room of what is lacking behind one is left as well.
        return lined(text, places[0])
    return SafeString(f"{lined(mean, places[0])}{sign}{lined(deviation, places[1])}")


FILTERS: Mapping[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        places_by_metric,
        places_by_metric_in,
        places_by_column,
        most_places_of,
        mean_places,
        lined,
        lined_mean,
    )
}
