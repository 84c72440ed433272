"""SKIPPY in the zones between its three regions (Skippy 4.2): what a track holds there, and whether heads and
gaps are the same as elsewhere.

Each place has one growing and one constant series of one variant: enough for tracks and gaps, not for a
minimum time to media that anything bears out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from server.benchmarks.contract import Axis, Chart, Measurement, Quality, Series, View
from server.benchmarks.skippy import definitions as metric
from server.benchmarks.skippy.combine import LAYOUT_SENTENCES, NO_CYLINDERS, layout_of, missing
from server.benchmarks.skippy.findings import Finding
from server.benchmarks.skippy.gaps import ONE_SORT, gap
from server.benchmarks.skippy.sectors import sectors
from server.benchmarks.skippy.series import none

PLACES = {"outer": 0.0, "middle": 50.0, "inner": 100.0}
"""Where the three regions are drawn among the others, in per cent of the device."""
FEWEST_CYLINDERS = 4
"""Cylinder boundaries that have to be crossed for a count of surfaces to be good."""


def zones(findings: tuple[Finding, ...], between: tuple[Finding, ...]) -> list[Measurement]:
    """Blocks of a track, gaps and surfaces at each place between the regions, in the device's order; the
    layout is known from the regions' `findings` as well."""
    every = (*findings, *between)
    found = []
    for place in sorted({f.trace.region for f in between}, key=float):
        found += [
            few_tracks(sectors(every, place)),
            gap(every, place, metric.HEAD_GAP),
            gap(every, place, metric.CYLINDER_GAP),
            _surfaces(every, place),
        ]
    return found


def few_tracks(found: Measurement) -> Measurement:
    """A place's blocks per track, whose interval reaches a block further down where its tracks are not all
    alike: of so few, most may be those that no slipped sector shortens."""
    if found.low is None or found.quality is not Quality.FAIR:
        return found
    return replace(found, low=math.floor(found.low) - 1.0)


def _surfaces(every: tuple[Finding, ...], place: str) -> Measurement:
    here = [f for f in every if f.trace.region == place]
    layout = layout_of(every)
    if layout in NO_CYLINDERS:
        return none(metric.SURFACES, place, LAYOUT_SENTENCES[layout])
    for finding in here:
        if finding.two_gaps and finding.model is not None and finding.model.gaps is not None:
            gaps = finding.model.gaps
            heads, crossed = float(gaps.shape.heads), int((gaps.cylinders != 0).sum())
            few = crossed < FEWEST_CYLINDERS
            quality, reason = (Quality.FAIR, FEW) if few else (Quality.GOOD, "")
            others = _other_counts(every, heads)
            if others:
                quality, reason = Quality.FAIR, ALONE.format(others=", ".join(f"{one:.0f}" for one in others))
            low, high = min(heads, *others, heads), max(heads, *others, heads)
            return Measurement(metric.SURFACES.key, place, heads, low, high, crossed, quality, reason)
    reason = ONE_SORT if any(f.trusted for f in here) else missing(here)
    return none(metric.SURFACES, place, reason)


def _other_counts(every: tuple[Finding, ...], heads: float) -> list[float]:
    """The other counts of the run's series; none where more than half of the series count so many, too. A
    drive has one number of surfaces, and noise can hide every second cylinder at a place."""
    counts = [
        float(f.model.gaps.shape.heads)
        for f in every
        if f.two_gaps and f.model is not None and f.model.gaps is not None
    ]
    return [] if 2 * counts.count(heads) > len(counts) else sorted({*counts} - {heads})


FEW = "Few cylinder boundaries were crossed."
ALONE = "Most series of this run count other numbers: {others}."


def consistent(surfaces: Measurement, found: Sequence[Measurement]) -> Measurement:
    """The whole drive's count of surfaces, which is the same in all zones or in doubt."""
    counts = {
        one.scope: one.value
        for one in found
        if one.metric == metric.SURFACES.key and one.value is not None
        # A place that crossed few boundaries has no say, one that most contradict does.
        if one.quality is Quality.GOOD or one.low != one.high
    }
    others = {scope: count for scope, count in counts.items() if count != surfaces.value}
    if surfaces.value is None or surfaces.low is None or surfaces.high is None or not others:
        return surfaces
    listed = ", ".join(f"{count:.0f} at {scope} %" for scope, count in others.items())
    return replace(
        surfaces,
        low=min(surfaces.low, *others.values()),
        high=max(surfaces.high, *others.values()),
        quality=Quality.FAIR if surfaces.quality is Quality.GOOD else surfaces.quality,
        reason=surfaces.reason or f"Other zones count other numbers: {listed}.",
    )


def rows_of(found: Iterable[Measurement]) -> list[dict[str, Any]]:
    """A row for each place, in the device's order, with the number of the zone that it lies in: places whose
    tracks may hold the same are of one zone. Empty where nothing was measured between the regions."""
    places: dict[float, dict[str, Measurement]] = {}
    for one in found:
        at = PLACES.get(one.scope)
        if at is None and one.scope.replace(".", "", 1).isdigit():
            at = float(one.scope)
        if at is not None:
            places.setdefault(at, {})[one.metric] = one
    if places.keys() <= set(PLACES.values()):
        return []
    rows: list[dict[str, Any]] = []
    zone, before = 0, None
    for at, numbers in sorted(places.items()):
        track = numbers[metric.SECTORS_PER_TRACK.key]
        if track.value is None or track.low is None or track.high is None or track.quality is Quality.POOR:
            continue
        if before is None or track.high < before[0] or track.low > before[1]:
            zone += 1
        before = (track.low, track.high)
        rows.append(
            {
                "position": at,
                "zone": zone,
                "track": (track.value, track.low, track.high),
                "head": _with_interval(numbers.get(metric.HEAD_GAP.key)),
                "cylinder": _with_interval(numbers.get(metric.CYLINDER_GAP.key)),
                "surfaces": numbers[metric.SURFACES.key].value if metric.SURFACES.key in numbers else None,
            }
        )
    return rows


def _with_interval(found: Measurement | None) -> tuple[float, float, float] | None:
    if found is None or found.value is None or found.low is None or found.high is None:
        return None
    return found.value, found.low, found.high


def zone_chart(rows: Sequence[Mapping[str, Any]]) -> tuple[Chart, ...]:
    """Blocks of a track and gaps over the device; nothing where fewer than two places gave a track."""
    if len(rows) < 2:
        return ()
    named = (
        ("track", "Blocks per track"),
        ("head", "Head switch gap"),
        ("cylinder", "Cylinder switch gap"),
    )
    shown = [one for one in (_points(rows, key, label) for key, label in named) if one is not None]
    counted = [(row["position"], row["surfaces"]) for row in rows if row["surfaces"]]
    if counted:
        x, y = zip(*counted, strict=True)
        shown.append(Series("surfaces", "Surfaces counted", "points", x, y))
    gaps = tuple(one.key for one in shown if one.key in ("head", "cylinder"))
    views = [View("tracks", "Tracks", ("track",))]
    if gaps:
        views.append(View("gaps", "Gaps", gaps, y=Axis("Gap", "ms")))
    if counted:
        views.append(View("surfaces", "Surfaces", ("surfaces",), y=Axis("Surfaces", "")))
    return (
        Chart(
            id="zones",
            shape="profile",
            title="Tracks and gaps over the device",
            summary=_summary(rows),
            x=Axis("Position", "%"),
            y=Axis("Blocks per track", "blocks"),
            series=tuple(shown),
            metrics=(
                metric.SECTORS_PER_TRACK.key,
                metric.HEAD_GAP.key,
                metric.CYLINDER_GAP.key,
                metric.SURFACES.key,
            ),
            views=tuple(views) if len(views) > 1 else (),
        ),
    )


def _points(rows: Sequence[Mapping[str, Any]], key: str, label: str) -> Series | None:
    known = [(row["position"], *row[key]) for row in rows if row[key] is not None]
    if not known:
        return None
    x, y, low, high = zip(*known, strict=True)
    return Series(key, label, "points", x, y, low=low, high=high)


def _summary(rows: Sequence[Mapping[str, Any]]) -> str:
    first, last, zone = rows[0]["track"][0], rows[-1]["track"][0], rows[-1]["zone"]
    words = f"Tracks of {first:.0f} to {last:.0f} blocks at {len(rows)} places"
    words += f", which lie in {zone} zones or more." if zone > 1 else ", which may all lie in one zone."
    counts = {row["surfaces"] for row in rows} - {None}
    if len(counts) == 1:
        words += f" All places that show it count {next(iter(counts)):.0f} surfaces."
    elif counts:
        listed = " and ".join(f"{count:.0f}" for count in sorted(counts))
        words += f" Places contradict each other: they count {listed} surfaces."
    return words
