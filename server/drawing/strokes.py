"""How each series of a shape is drawn: as the front end draws it (frontend/src/charts/, a file per shape)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.benchmarks.contract import Series
from server.drawing.palette import series_color

DASHES = ("", "7 4", "2 3", "9 3 2 3")
POINT_STYLES = ("circle", "triangle", "rectRot", "crossRot", "rect", "star")
OTHERS = 5
"""The colour of other units where what was measured is grey."""
_LINE = re.compile(r"\bL([1-4])\b", re.IGNORECASE)
_GROUP = re.compile(r"group-([a-h])")
_FROM_NOUGHT = {"sawtooth": "x", "profile": "xy", "curve": "xy", "iops": "y", "buffer": "y"}
_WITH_ROOM = ("fluctuation", "distribution", "comparison", "temperature")
_BAND_LIKE = ("band", "spread", "faint")


@dataclass(frozen=True, slots=True)
class Stroke:
    """How one series is drawn."""

    color: str
    """A name of the palette."""
    dash: str = ""
    width_px: float = 2.0
    point_style: str = "circle"
    joined: bool = False
    """Whether a line joins the points."""
    order: int = 0
    """Larger is drawn first, and so lies below."""


def from_nought(shape: str, letter: str) -> bool:
    """Return whether an axis of a shape begins at nought."""
    return letter in _FROM_NOUGHT.get(shape, "")


def with_room(shape: str) -> bool:
    """Return whether a shape's values get room at both ends, their axis cut."""
    return shape in _WITH_ROOM


def strokes(shape: str, series: Sequence[Series]) -> list[Stroke]:
    """Return how each of a picture's series is drawn. Series of one role are counted each for itself, as the
    front end counts them."""
    seen: dict[str, int] = {}
    found = []
    for one in series:
        index = seen.get(one.role, 0)
        seen[one.role] = index + 1
        found.append(_group(one, index) or _stroke(shape, one, index, series))
    return found


def _group(one: Series, index: int) -> Stroke | None:
    """A compared group looks the same in every picture."""
    match = _GROUP.fullmatch(one.key)
    if match is None:
        return None
    place = "abcdefgh".index(match[1])
    return Stroke(
        series_color(place + 1),
        DASHES[(place + place // 4) % 4],
        point_style=POINT_STYLES[place % len(POINT_STYLES)],
        order=1,
    )


def _stroke(shape: str, one: Series, index: int, every: Sequence[Series]) -> Stroke:
    if shape == "sizes" and one.role in ("points", "line"):
        return _by_state(one, every)
    if shape == "distribution":
        box = one.role == "box"
        return Stroke(series_color(0), order=3) if box else Stroke(series_color(1), order=1)
    if shape == "sawtooth":
        return _sawtooth(one, index)
    if shape in ("profile", "curve"):
        return _fitted(shape, one, index)
    return _beside(one, index, joined=shape in ("iops", "buffer"))


def _beside(one: Series, index: int, *, joined: bool = False) -> Stroke:
    if one.role in ("faint", "spread"):
        return Stroke(series_color(0), order=9)
    if one.role == "band":
        return Stroke(series_color(1), order=3)
    color, dash = series_color(index + 1), DASHES[index % 4]
    if one.role == "points":
        point_style = POINT_STYLES[index % len(POINT_STYLES)]
        return Stroke(color, dash, 1.5, point_style, joined=joined, order=2)
    return Stroke(color, dash, order=1)


def _fitted(shape: str, one: Series, index: int) -> Stroke:
    if one.role in ("faint", "spread"):
        return Stroke(series_color(OTHERS), order=9)
    if one.role == "points":
        color = series_color(0 if index == 0 else index + (4 if shape == "profile" else 3))
        return Stroke(color, point_style=POINT_STYLES[index % len(POINT_STYLES)], order=3)
    if shape == "profile" and one.role == "step":
        return Stroke(series_color(index + 1), width_px=2.5, order=2)
    if shape == "profile" and one.role == "line":
        return Stroke(series_color(index + 2), DASHES[(index + 1) % 4], order=1)
    return _beside(one, index)


def _sawtooth(one: Series, index: int) -> Stroke:
    if one.role in _BAND_LIKE:
        return Stroke(series_color(OTHERS), order=9)
    if one.role == "points":
        point_style = ("circle", "crossRot", "triangle")[index % 3]
        return Stroke(series_color(0 if index == 0 else index + 4), point_style=point_style, order=2)
    match = _LINE.search(one.key) or _LINE.search(one.label)
    line = int(match[1]) - 1 if match else index
    return Stroke(series_color(line + 1), DASHES[line % 4], order=1)


def _by_state(one: Series, every: Sequence[Series]) -> Stroke:
    states = list(dict.fromkeys(each.key.removesuffix("-law") for each in every))
    place = states.index(one.key.removesuffix("-law"))
    if one.role == "points":
        return Stroke(series_color(place + 1), point_style=POINT_STYLES[place % len(POINT_STYLES)], order=2)
    return Stroke(series_color(place + 1), DASHES[(place + 1) % 4], order=1)
