"""Charts as JSON, as the front end reads them, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import orjson

from server.benchmarks.contract import Annotation, Axis, Chart, Series, View
from server.benchmarks.decimation import COLUMNS, FEWEST, MOST_POINTS, chart_thinned

MOST_BYTES = 100_000
"""Of a stored chart's JSON."""
DIGITS = 9
"""Significant digits of a stored chart's numbers; a screen shows four."""
_ALWAYS = ("series", "x", "y", "marks", "metrics", "unit")


def chart_json(chart: Chart) -> dict[str, Any]:
    """Return the chart as JSON values: what is empty is left out."""
    return _without_defaults(chart)


def _without_defaults(value: Any) -> dict[str, Any]:
    """Return a dataclass as a dictionary, and what it holds likewise. Columns are handed on as they are:
    `dataclasses.asdict` would copy each of their numbers."""
    found: dict[str, Any] = {}
    kind: Any = type(value)
    for name in _names(kind):
        one = getattr(value, name)
        # A mark at nought is a place: of numbers, only a total of nought says nothing.
        empty = one is None or ((isinstance(one, str | tuple | bool) or name == "points_total") and not one)
        if empty and (one is None or name not in _ALWAYS):
            continue
        if is_dataclass(one):
            one = _without_defaults(one)
        elif isinstance(one, tuple) and one and is_dataclass(one[0]):
            one = tuple(map(_without_defaults, one))
        found[name] = one
    if found.get("axis") == "y":
        del found["axis"]
    return found


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


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
                series[name] = orjson.Fragment(_numbers(series[name]))
    for view in (value, *value.get("views", ())):
        for mark in view.get("marks", ()):
            _check_finite(all(math.isfinite(one) for one in mark.values() if isinstance(one, float)))
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def _numbers(column: Sequence[float]) -> str:
    """Return a column as JSON with `DIGITS` significant digits, written by one format: a call for each number
    takes several times as long."""
    text = ",".join([f"%.{DIGITS}g"] * len(column)) % tuple(column)
    _check_finite("n" not in text)
    return f"[{text}]"


def _check_finite(finite: bool) -> None:
    if not finite:
        raise ValueError("A chart holds a number that is not finite; such points have to be left out.")


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
