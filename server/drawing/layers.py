"""A picture's series and marks as elements of an SVG. Columns are written by one format each, which takes a
fraction of the time of a call for each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from server.benchmarks.contract import Annotation, Series
from server.drawing.palette import INK, MUTED, SURFACE, ink, ramp_color
from server.drawing.scales import Scale
from server.drawing.strokes import Stroke
from server.drawing.text import escape, width_of

CAP_PX = 4
BOX_SHARE, WIDEST_BOX_PX = 0.56, 90.0
LABEL_PX = 11
_LABEL_ROWS = 7
Pixels = NDArray[np.float64]

_STYLE_PATHS = {
    "triangle": "M%.1f %.1fm0-3.4l3.1 5.4h-6.2z",
    "rectRot": "M%.1f %.1fm0-3.6l3.6 3.6l-3.6 3.6l-3.6-3.6z",
    "rect": "M%.1f %.1fm-2.8-2.8h5.6v5.6h-5.6z",
    "crossRot": "M%.1f %.1fm-2.6-2.6l5.2 5.2m-5.2 0l5.2-5.2",
    "star": "M%.1f %.1fm-2.6-2.6l5.2 5.2m-5.2 0l5.2-5.2m-2.6-1v7.2m-3.5-3.6h7",
}
_OPEN_STYLES = ("crossRot", "star")
# A line of no length with round ends is a dot, and the shortest way to write one.
_DOT = "M%.1f %.1fh0"


def layer(series: Series, stroke: Stroke, x: Scale, y: Scale) -> str:
    """Return one series as an element; empty where it has no points."""
    if not series.x:
        return ""
    across, up = x.at(series.x), y.at(series.y)
    parts = {
        "points": _points,
        "faint": _points,
        "line": _line,
        "step": _step,
        "band": _band,
        "spread": _spread,
        "cells": _cells,
        "box": _boxes,
    }[series.role](series, stroke, x, y, across, up)
    return f"<g {ink(stroke.color)}>{parts}</g>"


def _written(path: str, across: Pixels, up: Pixels) -> str:
    return (path * len(across)) % tuple(np.column_stack((across, up)).ravel().tolist())


def _way(across: Pixels, up: Pixels) -> str:
    """A path from point to point."""
    return "M" + _written("%.1f %.1fL", across, up).removesuffix("L")


def _stroke_of(stroke: Stroke) -> str:
    dash = f' stroke-dasharray="{stroke.dash}"' if stroke.dash else ""
    return f'fill="none" stroke="currentColor" stroke-width="{stroke.width_px:g}"{dash}'


def _line(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    return f'<path {_stroke_of(stroke)} stroke-linejoin="round" d="{_way(across, up)}"/>'


def _step(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    """A value holds until the next x."""
    return _line(series, stroke, x, y, np.repeat(across, 2)[1:], np.repeat(up, 2)[:-1])


def _band(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    return f'<path fill="currentColor" fill-opacity=".18" d="{_way(across, up)}Z"/>'


def _spread(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    outline = np.concatenate((y.at(series.high), y.at(series.low)[::-1]))
    return _band(series, stroke, x, y, np.concatenate((across, across[::-1])), outline)


def radius_px(count: int, role: str) -> float:
    """Return how large dots are: many are a cloud, and small ones let its density be seen."""
    return 1.0 if role == "faint" else 1.5 if count > 600 else 1.9 if count > 100 else 3.0


def _points(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    bars = _error_bars(series, x, y, across) if series.low else ""
    joined = _line(series, stroke, x, y, across, up) if stroke.joined else ""
    faint = ' opacity=".45"' if series.role == "faint" else ""
    if stroke.point_style in _STYLE_PATHS and series.role != "faint":
        form = _written(_STYLE_PATHS[stroke.point_style], across, up)
        fill = "none" if stroke.point_style in _OPEN_STYLES else "currentColor"
        width = ' stroke="currentColor" stroke-width="1.2"' if fill == "none" else ""
        return f'{bars}{joined}<path fill="{fill}"{width} d="{form}"/>'
    size = 2 * radius_px(len(across), series.role)
    dots = _written(_DOT, across, up)
    return (
        f'{bars}{joined}<path stroke="currentColor" stroke-width="{size:g}" stroke-linecap="round"{faint} '
        f'fill="none" d="{dots}"/>'
    )


def _error_bars(series: Series, x: Scale, y: Scale, across: Pixels) -> str:
    low, high = y.at(series.low), y.at(series.high)
    uprights = _written("M%.1f %.1fV%%.1f", across, low) % tuple(high.tolist())
    caps = "".join(_written(f"M%.1f %.1fm-{CAP_PX} 0h{2 * CAP_PX}", across, end) for end in (low, high))
    return f'<path fill="none" stroke="currentColor" stroke-width="1.4" d="{uprights}{caps}"/>'


def _boxes(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    wide = min(WIDEST_BOX_PX, abs(x.one(1) - x.one(0)) * BOX_SHARE)
    tops, bottoms = y.at(series.q3), y.at(series.q1)
    parts = [_error_bars(series, x, y, across)]
    for at, top, middle, bottom in zip(across, tops, up, bottoms, strict=True):
        left = at - wide / 2
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{bottom - top:.1f}" '
            f'{ink(SURFACE)} fill="currentColor"/>'
            f'<path fill="none" stroke="currentColor" stroke-width="1.4" '
            f'd="M{left:.1f} {top:.1f}h{wide:.1f}V{bottom:.1f}h-{wide:.1f}z"/>'
            f'<path stroke="currentColor" stroke-width="3" d="M{left:.1f} {middle:.1f}h{wide:.1f}"/>'
        )
    return "".join(parts)


def _cells(series: Series, stroke: Stroke, x: Scale, y: Scale, across: Pixels, up: Pixels) -> str:
    z = np.asarray(series.z)
    low, high = float(z.min()), float(z.max())
    wide, tall = (abs(scale.one(1) - scale.one(0)) + 0.5 for scale in (x, y))
    shares = (z - low) / (high - low) if high > low else np.full(len(z), 0.5)
    return "".join(
        f'<path fill="{ramp_color(float(share))}" '
        f'd="M{left - wide / 2:.1f} {top - tall / 2:.1f}h{wide:.1f}v{tall:.1f}h-{wide:.1f}z"/>'
        for left, top, share in zip(across, up, shares, strict=True)
    )


def stripes(annotations: Sequence[Annotation], x: Scale, y: Scale) -> Iterator[str]:
    """Give how far the places of marked lines may lie off, as areas behind the data."""
    for annotation in annotations:
        if (
            annotation.low is None
            or annotation.high is None
            or (annotation.x is not None and annotation.y is not None)
        ):
            continue
        (ax, bx), (ay, by) = (x.start_px, x.end_px), (y.start_px, y.end_px)
        if annotation.x is not None:
            ax, bx = x.one(annotation.low), x.one(annotation.high)
        else:
            ay, by = y.one(annotation.low), y.one(annotation.high)
        yield (
            f'<path {ink(MUTED)} fill="currentColor" fill-opacity=".14" '
            f'd="M{ax:.1f} {ay:.1f}H{bx:.1f}V{by:.1f}H{ax:.1f}z"/>'
        )


def annotation_lines(annotations: Sequence[Annotation], x: Scale, y: Scale) -> Iterator[str]:
    """Give the lines and rings of annotations."""
    for annotation in annotations:
        if annotation.x is not None and annotation.y is not None:
            yield (
                f'<circle {ink(INK)} cx="{x.one(annotation.x):.1f}" cy="{y.one(annotation.y):.1f}" r="6" '
                'fill="none" stroke="currentColor" stroke-width="1.5"/>'
            )
            continue
        if annotation.x is not None:
            way = f"M{x.one(annotation.x):.1f} {y.start_px:.1f}V{y.end_px:.1f}"
        elif annotation.y is not None:
            way = f"M{x.start_px:.1f} {y.one(annotation.y):.1f}H{x.end_px:.1f}"
        else:
            continue
        yield f'<path {ink(MUTED)} fill="none" stroke="currentColor" stroke-dasharray="3 3" d="{way}"/>'


def annotation_labels(annotations: Sequence[Annotation], x: Scale, y: Scale) -> Iterator[str]:
    """Give the words of annotations, each at the first spot that no other has taken; those without one
    stand in the table alone."""
    taken: list[tuple[float, float, float]] = []
    for annotation in annotations:
        wide = width_of(annotation.label, LABEL_PX) + 8
        for left, base in _label_spots(annotation, x, y, wide):
            free = all(abs(base - other) >= 15 or left >= r or left + wide <= a for a, r, other in taken)
            if free:
                taken.append((left, left + wide, base))
                yield _label(annotation.label, left, base, wide)
                break


def _label_spots(annotation: Annotation, x: Scale, y: Scale, wide: float) -> Iterator[tuple[float, float]]:
    left_end, right_end = x.start_px, x.end_px
    if annotation.x is None and annotation.y is not None:
        for left in (left_end + 4, right_end - wide - 4, (left_end + right_end - wide) / 2):
            yield left, y.one(annotation.y) - 4
        return
    at = x.one(annotation.x if annotation.x is not None else x.low)
    sides = [min(max(left, left_end), right_end - wide) for left in (at + 3, at - wide - 3)]
    tops = [y.end_px + 14 + 16 * row for row in range(_LABEL_ROWS)]
    if annotation.y is not None:
        tops = [y.one(annotation.y) + shift for shift in (-10, 20, -26, 36)]
    for base in tops:
        for left in sides:
            yield left, base


def _label(words: str, left: float, base: float, wide: float) -> str:
    return (
        f'<g {ink(SURFACE)}><path fill="currentColor" fill-opacity=".9" '
        f'd="M{left:.1f} {base - 11:.1f}h{wide:.1f}v15h-{wide:.1f}z"/></g>'
        f'<text {ink(INK)} fill="currentColor" font-size="{LABEL_PX}" x="{left + 4:.1f}" y="{base:.1f}">'
        f"{escape(words)}</text>"
    )
