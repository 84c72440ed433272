"""SKIPPY's pictures: the sawtooth with the lines L1 to L4 and the points that the paper marks (Figure 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from server.benchmarks.contract import Annotation, Axis, Chart, Extraction, Facts, Series, View
from server.benchmarks.skippy.definitions import CYLINDER_GAP, HEAD_GAP, MTM, ROTATION_TIME, SECTORS_PER_TRACK
from server.benchmarks.skippy.series import Trace, traces_of
from server.benchmarks.skippy.zones import zone_chart

VARIANTS = {"write": "writes", "read": "reads", "backward": "backward reads"}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    """One sawtooth per region, of the variant that explains itself best, and what zones hold."""
    traces = {(trace.region, trace.variant): trace for trace in traces_of(entry["samples"])}
    chosen: dict[str, Mapping[str, Any]] = {}
    for detail in extraction.details.get("series", ()):
        before = chosen.get(detail["region"])
        if before is None or _rank(detail) < _rank(before):
            chosen[detail["region"]] = detail
    sawtooths = (
        _sawtooth(traces[(region, detail["variant"])], detail)
        for region, detail in chosen.items()
        if (region, detail["variant"]) in traces
    )
    return (*sawtooths, *zone_chart(extraction.details.get("zones", ())))


def _rank(detail: Mapping[str, Any]) -> tuple[bool, bool, int]:
    order = tuple(VARIANTS)
    variant = detail["variant"]
    return (not detail["trusted"], detail["lines"] is None, order.index(variant) if variant in order else 9)


def _sawtooth(trace: Trace, detail: Mapping[str, Any]) -> Chart:
    steps, latencies = _points(trace)
    words = VARIANTS.get(trace.variant, trace.variant)
    lines = _lines(trace, detail, max(steps, default=0.0))
    rest = _residuals(trace, lines, detail["lines"]["turn_ms"]) if lines else ()
    shown = (_shown(line, detail) for line in lines)
    measured = (Series("latency", "Latency", "points", steps, latencies), *shown)
    return Chart(
        id=f"sawtooth-{trace.region}",
        shape="sawtooth",
        title=f"Latency by step, {trace.region} region, {words}",
        summary=_summary(detail),
        x=Axis("Step", "blocks"),
        y=Axis("Latency", "ms"),
        series=(*measured, *rest),
        marks=_marks(trace, detail),
        metrics=(ROTATION_TIME.key, MTM.key, SECTORS_PER_TRACK.key, HEAD_GAP.key, CYLINDER_GAP.key),
        views=_views(measured, rest),
    )


def _views(measured: tuple[Series, ...], rest: tuple[Series, ...]) -> tuple[View, ...]:
    if not rest:
        return ()
    distance = Axis("Residual", "ms")
    return (
        View("latency", "Latency", tuple(one.key for one in measured)),
        View(
            "residuals",
            "Residuals",
            tuple(one.key for one in rest),
            y=distance,
            marks=(Annotation("0", y=0.0),),
        ),
    )


def _residuals(trace: Trace, lines: tuple[Series, ...], turn_ms: float) -> tuple[Series, ...]:
    """How far each access lies above the nearest of the fitted lines at its step, line by line: what the
    lines leave unexplained, and which of them an access belongs to. Whole turns are left out, as a line goes
    on one turn below where it would pass the time of a turn."""
    steps, latencies = trace.step[trace.increasing], trace.latency_ms[trace.increasing]
    distances = np.full((len(lines), len(steps)), np.inf)
    for row, line in enumerate(lines):
        (first, last), (start, end) = line.x, line.y
        on = (steps >= first) & (steps <= last)
        above = latencies[on] - (start + (end - start) * (steps[on] - first) / (last - first))
        distances[row, on] = (above + turn_ms / 2) % turn_ms - turn_ms / 2
    nearest = np.argmin(np.abs(distances), axis=0)
    found = []
    for row, line in enumerate(lines):
        mine = (nearest == row) & np.isfinite(distances[row])
        if mine.any():
            x, y = tuple(map(float, steps[mine])), tuple(map(float, distances[row, mine]))
            found.append(Series(f"{line.key}-rest", f"From {line.label}", "points", x, y))
    return tuple(found)


def _points(trace: Trace) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The increasing series."""
    steps = trace.step[trace.increasing]
    latencies = trace.latency_ms[trace.increasing]
    return tuple(map(float, steps)), tuple(map(float, latencies))


def _summary(detail: Mapping[str, Any]) -> str:
    gaps, edge = detail["gaps"], detail["edge"]
    if detail["lines"] is None:
        return "The latencies do not line up with the step; no line was fitted."
    if gaps is None:
        return "The latency rises with the step, but no single track length explains the spikes."
    words = f"Tracks of {gaps['track_blocks']} blocks"
    if gaps["surfaces"]:
        words += f" on {gaps['surfaces']} surfaces"
    if edge is not None:
        words += f"; the sawtooth falls at step {edge['step']:.1f} to {edge['latency_ms']:.3f} ms"
    return words + "."


def _lines(trace: Trace, detail: Mapping[str, Any], last: float) -> tuple[Series, ...]:
    found = detail["lines"]
    if found is None or not last:
        return ()
    slope = found["block_ms"] if trace.forward else -found["block_ms"]
    edge = detail["edge"]["step"] if detail["edge"] else None
    gaps = detail["gaps"] or {}
    turn = found["turn_ms"]
    base = found["offset_ms"] if trace.forward else found["offset_ms"] + turn
    second = base if trace.forward else base - turn
    ends = [("l1", "L1: one turn lost", base + turn if trace.forward else base, (0.0, edge or last))]
    if trace.forward and edge is not None:
        ends.append(("l2", "L2: same track", second, (edge, last)))
        for key, label, gap in (
            ("l3", "L3: head switch", "head_ms"),
            ("l4", "L4: cylinder switch", "cylinder_ms"),
        ):
            if gaps.get(gap):
                ends.append((key, label, second + gaps[gap], (edge, last)))
    return tuple(
        Series(key, label, "line", span, tuple(start + slope * (step + 1) for step in span))
        for key, label, start, span in ends
    )


def _shown(line: Series, detail: Mapping[str, Any]) -> Series:
    """The line as far as accesses can lie on it: where it comes to a turn above the edge, they fall back."""
    (first, last), (start, end) = line.x, line.y
    if detail["edge"] is None or end <= start:
        return line
    limit = detail["edge"]["latency_ms"] + detail["lines"]["turn_ms"]
    cut = first + (limit - start) * (last - first) / (end - start)
    return replace(line, x=(first, cut), y=(start, limit)) if first < cut < last else line


def _marks(trace: Trace, detail: Mapping[str, Any]) -> tuple[Annotation, ...]:
    """Points (1) to (4) of the paper's Figure 3."""
    found, edge, gaps = detail["lines"], detail["edge"], detail["gaps"]
    if found is None or not trace.forward:
        return ()
    start = found["turn_ms"] + found["offset_ms"] + found["block_ms"]
    marks = [Annotation("(1) step 0: a full turn", 0.0, start)]
    if edge is not None:
        marks += [
            Annotation("(2) just missed", edge["step"], edge["latency_ms"] + found["turn_ms"]),
            Annotation("(3) just in time: MTM", edge["step"], edge["latency_ms"]),
        ]
        spike = _first_head_switch(trace, edge["step"], found, gaps)
        marks += [Annotation("(4) head switch", *spike)] if spike else []
    return tuple(marks)


def _first_head_switch(
    trace: Trace, edge: float, found: Mapping[str, Any], gaps: Mapping[str, Any] | None
) -> tuple[float, float] | None:
    """The first access behind the edge that lies on L3."""
    if not gaps or not gaps["head_ms"]:
        return None
    for step, elapsed, latency in zip(trace.step, trace.elapsed_ms, trace.latency_ms, strict=True):
        expected = found["offset_ms"] + (step + 1) * found["block_ms"] + gaps["head_ms"]
        if step > edge + 1 and abs(float(elapsed) - expected) < max(
            found["block_ms"] / 2, 3 * found["noise_ms"]
        ):
            return float(step), float(latency)
    return None
