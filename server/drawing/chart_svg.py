"""Any chart as an SVG: one document that loads nothing, with its words, its address and its licence in it.

It is drawn as the front end draws it, from the same data (docs/reference/charts.md). Colours follow the
reader's scheme where the drawing stands in a page; on paper and as a PNG it is light.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.chart_rows import axis_title
from server.benchmarks.contract import Annotation, Axis, Chart, Series, View
from server.drawing.layers import annotation_labels, annotation_lines, layer, stripes
from server.drawing.palette import DARK_STYLE, FONT, INK, MUTED, RAMP, RULE, SURFACE, ink
from server.drawing.scales import Scale, Tick, scale_of
from server.drawing.strokes import Stroke, from_nought, strokes, with_room
from server.drawing.text import escape, shortened, width_of, wrapped

WIDTH_PX, PLOT_HEIGHT_PX = 720, 330
_PAD_PX, _TITLE_PX, _TICK_PX, _TEXT_PX, _FOOT_PX = 14, 15, 11, 12, 11
_KEY_ROW_PX, _SWATCH_PX = 19, 24
_ROOM = 0.08
_LEANING_PX = 70
"""Words of an axis that need more than a place is wide lean, and get at most so much room below."""
_ELLIPSIS_PX = 150


@dataclass(frozen=True, slots=True)
class Credit:
    """What a drawing says of itself once it has left the site."""

    source: str = ""
    """What was measured, and how."""
    address: str = ""
    """Where it is to be found, in full."""
    licence: str = ""
    """Of the data, as its identifier; empty where it is not known."""


@dataclass(frozen=True, slots=True)
class _Picture:
    """What of a chart is drawn: one of its views."""

    shape: str
    x: Axis
    y: Axis
    y2: Axis | None
    series: tuple[Series, ...]
    marks: tuple[Annotation, ...]


def chart_svg(chart: Chart, *, view: str = "", credit: Credit | None = None, width_px: int = WIDTH_PX) -> str:
    """Return a chart, or one of its views, as an SVG document so many pixels wide.

    `view` is a view's key; of a chart with views another key, or none, draws the first.
    """
    shown = next((one for one in chart.views if one.key == view), chart.views[0] if chart.views else None)
    picture = _picture(chart, shown)
    styles = strokes(picture.shape, picture.series)
    title = f"{chart.title}: {shown.label}" if shown and len(chart.views) > 1 else chart.title
    foot = _foot_lines(credit or Credit(), width_px)
    key = _key(picture.series, styles, width_px)
    top = _PAD_PX + _TITLE_PX + 14 + (14 if chart.z and _has_cells(picture) else 0)
    plot, below = _plot(picture, chart.z, styles, width_px, top)
    key_top = below + 10
    foot_top = key_top + len(key) * _KEY_ROW_PX + 8
    height = foot_top + len(foot) * 15 + _PAD_PX - 4
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width_px} {height:.0f}" '
            f'width="{width_px}" height="{height:.0f}" role="img" aria-labelledby="title desc" '
            f'font-family="{FONT}" font-size="{_TEXT_PX}">'
            f'<title id="title">{escape(title)}</title><desc id="desc">{escape(chart.summary)}</desc>',
            DARK_STYLE,
            f'<rect {ink(SURFACE)} fill="currentColor" width="100%" height="100%"/>',
            _text(
                shortened(title, width_px - 2 * _PAD_PX, _TITLE_PX),
                _PAD_PX,
                _PAD_PX + _TITLE_PX - 2,
                size=_TITLE_PX,
                more='font-weight="600"',
                color=INK,
            ),
            plot,
            *_key_rows(key, key_top),
            *(
                _text(line, _PAD_PX, foot_top + 15 * (row + 1) - 4, size=_FOOT_PX)
                for row, line in enumerate(foot)
            ),
            "</svg>\n",
        )
    )


def _picture(chart: Chart, view: View | None) -> _Picture:
    if view is None:
        return _Picture(chart.shape, chart.x, chart.y, chart.y2, chart.series, chart.marks)
    return _Picture(
        view.shape or chart.shape,
        view.x or chart.x,
        view.y or chart.y,
        view.y2 or chart.y2,
        tuple(one for one in chart.series if one.key in view.series),
        chart.marks if view.marks is None else view.marks,
    )


def _has_cells(picture: _Picture) -> bool:
    return any(one.role == "cells" for one in picture.series)


# ---- The plot: scales, axes, what was measured, marks.


def _plot(
    picture: _Picture, z: Axis | None, styles: Sequence[Stroke], width_px: int, top: float
) -> tuple[str, float]:
    """Return the plot, and where it ends below, in pixels."""
    bottom = top + PLOT_HEIGHT_PX
    right_used = picture.y2 is not None and any(one.axis == "y2" for one in picture.series)
    y = _y_scale(picture, picture.y, "y", top, bottom)
    y2 = _y_scale(picture, picture.y2, "y2", top, bottom) if right_used and picture.y2 else None
    left = _PAD_PX + (20 if picture.y.label else 4) + _widest(y.ticks) + 6
    right = width_px - _PAD_PX - (_widest(y2.ticks) + 26 if y2 else 6)
    x = scale_of(
        picture.x,
        _values(picture, "x"),
        (left, right),
        from_nought=from_nought(picture.shape, "x"),
        # Points on a logarithm would lie on its ends; a disk's axis goes no further than the disk.
        whole_ticks=picture.x.scale == "log" and all(one.role == "points" for one in picture.series),
        most_ticks=9,
    )
    leans = bool(picture.x.categories) and _leans(x)
    leaning = min(_LEANING_PX, 18 + 0.58 * _widest(x.ticks))
    below = bottom + (leaning if leans else 20) + (20 if picture.x.label else 0)
    order = sorted(zip(picture.series, styles, strict=True), key=lambda one: -one[1].order)
    drawn = "".join(layer(one, stroke, x, y2 if one.axis == "y2" and y2 else y) for one, stroke in order)
    clip = (
        f'<clipPath id="plot"><path d="M{left - 6:.1f} {top - 6:.1f}H{right + 6:.1f}V{bottom + 6:.1f}'
        f'H{left - 6:.1f}z"/></clipPath>'
    )
    parts = (
        clip,
        _grid(x, y, picture),
        f'<g clip-path="url(#plot)">{"".join(stripes(picture.marks, x, y))}{drawn}'
        f"{''.join(annotation_lines(picture.marks, x, y))}</g>",
        "".join(annotation_labels(picture.marks, x, y)),
        _x_words(x, picture.x, bottom, below, leans),
        _y_words(y, picture.y, left, -1),
        _y_words(y2, picture.y2, right, 1) if y2 and picture.y2 else "",
        _color_key(picture, z, right, top) if z else "",
    )
    return "".join(parts), below


def _y_scale(picture: _Picture, axis: Axis, name: str, top: float, bottom: float) -> Scale:
    room = _ROOM if with_room(picture.shape) else 0.0
    return scale_of(
        axis,
        _values(picture, name),
        (bottom, top),
        from_nought=from_nought(picture.shape, name),
        room=room,
        whole_ticks=not room,
        most_ticks=7,
    )


def _values(picture: _Picture, axis: str) -> NDArray[np.float64]:
    """All values that an axis has to show: those of series, the ends of bars, marks."""
    if axis == "x":
        columns: list[Sequence[float]] = [one.x for one in picture.series]
        columns.append([annotation.x for annotation in picture.marks if annotation.x is not None])
    else:
        mine = [one for one in picture.series if one.axis == axis]
        columns = [column for one in mine for column in (one.y, one.low, one.high)]
        if axis == "y":
            columns.append([annotation.y for annotation in picture.marks if annotation.y is not None])
    return np.concatenate([np.asarray(column, dtype=np.float64) for column in columns] or [np.zeros(0)])


def _widest(ticks: Iterable[Tick]) -> float:
    return min(_ELLIPSIS_PX, max((width_of(tick.words, _TICK_PX) for tick in ticks), default=0.0))


def _leans(x: Scale) -> bool:
    step = abs(x.one(1) - x.one(0))
    return any(width_of(tick.words, _TICK_PX) > step - 6 for tick in x.ticks)


def _grid(x: Scale, y: Scale, picture: _Picture) -> str:
    left, right, bottom, top = x.start_px, x.end_px, y.start_px, y.end_px
    ways = [] if picture.x.categories else [f"M{x.one(t.value):.1f} {bottom:.1f}V{top:.1f}" for t in x.ticks]
    ways += [] if picture.y.categories else [f"M{left:.1f} {y.one(t.value):.1f}H{right:.1f}" for t in y.ticks]
    return (
        f'<path {ink(RULE)} fill="none" stroke="currentColor" d="{"".join(ways)}"/>'
        f'<path {ink(MUTED)} fill="none" stroke="currentColor" '
        f'd="M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}"/>'
    )


def _x_words(x: Scale, axis: Axis, bottom: float, below: float, leans: bool) -> str:
    parts = []
    last = -1e9
    for tick in x.ticks:
        at = x.one(tick.value)
        if leans:
            words = shortened(tick.words, 1.15 * _LEANING_PX, _TICK_PX)
            turn = f'transform="rotate(-35 {at:.1f} {bottom + 14:.1f})"'
            # Lines of words that lean are a line's height apart.
            if at - last >= 14:
                parts.append(_text(words, at, bottom + 14, anchor="end", size=_TICK_PX, more=turn))
                last = at
            continue
        half = width_of(tick.words, _TICK_PX) / 2
        if at - half > last + 8:
            parts.append(_text(tick.words, at, bottom + 15, anchor="middle", size=_TICK_PX))
            last = at + half
    if axis.label:
        parts.append(_text(axis_title(axis), (x.start_px + x.end_px) / 2, below - 5, anchor="middle"))
    return "".join(parts)


def _y_words(y: Scale, axis: Axis, edge: float, side: int) -> str:
    anchor = "end" if side < 0 else "start"
    parts = [
        _text(
            shortened(tick.words, _ELLIPSIS_PX, _TICK_PX),
            edge + side * 7,
            y.one(tick.value) + 4,
            anchor=anchor,
            size=_TICK_PX,
        )
        for tick in y.ticks
    ]
    if axis.label:
        at = edge + side * (_widest(y.ticks) + 18)
        middle = (y.start_px + y.end_px) / 2
        turn = f'transform="rotate(-90 {at:.1f} {middle:.1f})"'
        parts.append(_text(axis_title(axis), at, middle, anchor="middle", more=turn))
    return "".join(parts)


def _color_key(picture: _Picture, z: Axis, right: float, top: float) -> str:
    """What the colours of cells say."""
    cells = next((one for one in picture.series if one.role == "cells" and one.z), None)
    if cells is None:
        return ""
    stops = "".join(
        f'<stop offset="{index / (len(RAMP) - 1):g}" stop-color="{color}"/>'
        for index, color in enumerate(RAMP)
    )
    words = f"{min(cells.z):.3g} to {max(cells.z):.3g} {z.unit}"
    return (
        f'<linearGradient id="ramp">{stops}</linearGradient>'
        f'<rect x="{right - 120:.1f}" y="{top - 16:.1f}" width="120" height="8" fill="url(#ramp)"/>'
        + _text(words, right - 128, top - 8, anchor="end", size=_TICK_PX)
    )


# ---- Words around the plot.


def _text(
    words: str,
    x: float,
    y: float,
    *,
    anchor: str = "",
    size: int = _TEXT_PX,
    more: str = "",
    color: str = MUTED,
) -> str:
    attributes = [ink(color), 'fill="currentColor"', f'x="{x:.1f}"', f'y="{y:.1f}"']
    attributes += [f'text-anchor="{anchor}"'] if anchor else []
    attributes += [f'font-size="{size}"'] if size != _TEXT_PX else []
    attributes += [more] if more else []
    return f"<text {' '.join(attributes)}>{escape(words)}</text>"


def _foot_lines(credit: Credit, width_px: int) -> list[str]:
    width = width_px - 2 * _PAD_PX
    last = " · ".join(one for one in (credit.address, credit.licence) if one)
    return [*wrapped(credit.source, width, _FOOT_PX), *wrapped(last, width, _FOOT_PX)]


_KeyRow = list[tuple[float, Series, Stroke, str]]


def _key(series: Sequence[Series], styles: Sequence[Stroke], width_px: int) -> list[_KeyRow]:
    """Return the rows of the key: where each entry begins, and its words. A picture of one series whose words
    its title has needs none, and cells are explained above."""
    rows: list[_KeyRow] = []
    at = 0.0
    for one, stroke in zip(series, styles, strict=True):
        if one.role == "cells" or not one.x:
            continue
        words = shortened(one.label, width_px - 2 * _PAD_PX - 40, _TEXT_PX)
        needed = _SWATCH_PX + 6 + width_of(words, _TEXT_PX)
        if not rows or _PAD_PX + at + needed > width_px - _PAD_PX:
            rows.append([])
            at = 0.0
        rows[-1].append((_PAD_PX + at, one, stroke, words))
        at += needed + 16
    return rows


def _key_rows(rows: Sequence[_KeyRow], top: float) -> Iterable[str]:
    for row, entries in enumerate(rows):
        middle = top + row * _KEY_ROW_PX + 8
        for left, series, stroke, words in entries:
            yield _swatch(series, stroke, left, middle)
            yield _text(words, left + _SWATCH_PX + 6, middle + 4, color=INK)


def _swatch(series: Series, stroke: Stroke, left: float, middle: float) -> str:
    """Return a small picture of how a series is drawn: its own layer, of one point or a short line."""
    x = Scale(0, 1, left, left + _SWATCH_PX)
    y = Scale(0, 1, middle + 5, middle - 5)
    if series.role in ("points", "faint"):
        places: tuple[float, ...] = (0.5,) if stroke.joined else (0.16, 0.5, 0.84)
        heights: tuple[float, ...] = (0.5,) if stroke.joined else (0.2, 0.7, 0.4)
        dots = layer(Series("", "", series.role, places, heights), stroke, x, y)
        line = Series("", "", "line", (0.0, 1.0), (0.5, 0.5))
        return layer(line, stroke, x, y) + dots if stroke.joined else dots
    if series.role in ("band", "spread"):
        return layer(Series("", "", "band", (0.05, 0.05, 0.95, 0.95), (0, 1, 1, 0)), stroke, x, y)
    if series.role == "box":
        outline = Series("", "", "line", (0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.9), (0.5, 1, 1, 0, 0, 0.5, 0.5))
        return layer(outline, Stroke(stroke.color, width_px=1.4), x, y)
    return layer(Series("", "", "line", (0.0, 1.0), (0.5, 0.5)), stroke, x, y)
