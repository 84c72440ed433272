"""Charts as JSON, as the front end reads them, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from server.benchmarks.contract import Annotation, Axis, Chart, Series, View
from server.benchmarks.decimation import COLUMNS, FEWEST, MOST_POINTS, chart_thinned

MOST_BYTES = 100_000
"""Of a stored chart's JSON."""
DIGITS = 9
"""Significant digits of a stored chart's numbers; a screen shows four."""
_ALWAYS = ("series", "x", "y", "marks", "metrics", "unit")


def chart_json(chart: Chart) -> dict[str, Any]:
    """Return the chart as JSON values: what is empty is left out."""
    told: dict[str, Any] = _told(chart)
    return told


def _told(value: Any) -> Any:
    """Return a dataclass as a dictionary, and what it holds likewise. Columns are handed on as they are:
    `dataclasses.asdict` would copy each of their numbers."""
    if isinstance(value, tuple):
        return tuple(_told(one) for one in value) if value and is_dataclass(value[0]) else value
    if is_dataclass(value):
        return _without_empty((field.name, _told(getattr(value, field.name))) for field in fields(value))
    return value


def chart_of(value: Mapping[str, Any]) -> Chart:
    """Return the chart that `chart_json` told."""
    return Chart(
        **{
            **value,
            **_axes(value),
            "series": tuple(_series(one) for one in value["series"]),
            "marks": tuple(Annotation(**one) for one in value.get("marks", ())),
            "metrics": tuple(value.get("metrics", ())),
            "views": tuple(_view(one) for one in value.get("views", ())),
        }
    )


def chart_text(chart: Chart) -> str:
    """Return the chart as JSON of at most `MOST_BYTES`, thinned out so far as that takes."""
    most = MOST_POINTS
    while True:
        text = _dumped(chart_json(chart_thinned(chart, most)))
        if len(text.encode()) <= MOST_BYTES or most <= FEWEST:
            return text
        most //= 2


def _dumped(value: dict[str, Any]) -> str:
    for series in value["series"]:
        for name in COLUMNS:
            if name in series:
                series[name] = [_short(number) for number in series[name]]
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _short(number: float) -> float | int:
    if not math.isfinite(number):
        raise ValueError(f"A chart holds {number}; points without a number have to be left out.")
    short = float(f"{number:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 2**53 else short


def _without_empty(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found = {}
    for key, value in pairs:
        # A mark at nought is a place: of numbers, only a total of nought says nothing.
        empty = not value if isinstance(value, str | tuple | list | bool) or key == "points_total" else False
        if value is not None and (key in _ALWAYS or not empty):
            found[key] = value
    if found.get("axis") == "y":
        del found["axis"]
    return found


def _axes(value: Mapping[str, Any]) -> dict[str, Axis]:
    return {
        name: Axis(**{**axis, "categories": tuple(axis.get("categories", ()))})
        for name in ("x", "y", "y2", "z")
        if (axis := value.get(name)) is not None
    }


def _series(value: Mapping[str, Any]) -> Series:
    return Series(**{**value, **{name: tuple(value[name]) for name in COLUMNS if name in value}})


def _view(value: Mapping[str, Any]) -> View:
    marks = tuple(Annotation(**one) for one in value["marks"]) if value.get("marks") is not None else None
    return View(**{**value, **_axes(value), "series": tuple(value["series"]), "marks": marks})
