"""SKIPPY's samples to measurements (Skippy 4.1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.contract import Extraction, Facts
from server.benchmarks.skippy import combine
from server.benchmarks.skippy.definitions import CYLINDER_GAP, HEAD_GAP, SECTORS_PER_TRACK, SURFACES
from server.benchmarks.skippy.findings import Finding, analyse, of_one_turn
from server.benchmarks.skippy.gaps import gap
from server.benchmarks.skippy.readings import positioning, readings
from server.benchmarks.skippy.rotation import FEWEST_TURNS, rotation, turns_of, wandering, with_wandering
from server.benchmarks.skippy.sectors import sectors
from server.benchmarks.skippy.series import NS_PER_MS, traces_of
from server.benchmarks.skippy.zones import consistent, rows_of, zones
from server.core.robust import median


def extract(entry: Mapping[str, Any], facts: Facts) -> Extraction:
    """Never raises on data that fits the schema: what the samples do not carry gets a reason instead."""
    hints = [float(entry["params"].get("rotation_estimate_ns", 0)) / NS_PER_MS]
    if facts.rated_rpm:
        hints.append(60e3 / facts.rated_rpm)
    traces = traces_of(entry["samples"])
    findings = analyse(tuple(trace for trace in traces if trace.region in combine.REGIONS), tuple(hints))
    turns = turns_of(findings)
    known = [median([turn.value for turn in turns])] if turns else []
    between = analyse(
        tuple(trace for trace in traces if trace.region not in combine.REGIONS), (*hints, *known)
    )
    whole_run = rotation(findings, tuple(hints), turns)
    if len(turns) >= FEWEST_TURNS:
        findings, between = (of_one_turn(some, known[0]) for some in (findings, between))
    of_zones = zones(findings, between)
    passing = [
        *combine.thresholds(findings, True if facts.shingled else facts.write_cache),
        combine.transfer(findings, turns),
        *combine.each_region(findings, lambda all_of, region: gap(all_of, region, HEAD_GAP)),
        *combine.each_region(findings, lambda all_of, region: gap(all_of, region, CYLINDER_GAP)),
        *(one for one in of_zones if one.metric in (HEAD_GAP.key, CYLINDER_GAP.key)),
    ]
    share = wandering(turns)
    measurements = [
        *whole_run,
        *(with_wandering(one, share) for one in passing),
        *combine.each_region(findings, sectors),
        *(one for one in of_zones if one.metric in (SECTORS_PER_TRACK.key, SURFACES.key)),
        *(consistent(one, of_zones) for one in combine.surfaces(findings)),
        *readings(findings),
        *positioning(findings),
    ]
    details = {
        "layout": combine.layout_of(findings),
        "series": [_detail(finding) for finding in findings],
        "zones": rows_of(measurements),
    }
    return Extraction(tuple(measurements), details)


def _detail(finding: Finding) -> dict[str, Any]:
    """What the charts need of one region and variant; times in milliseconds, positions in blocks."""
    detail: dict[str, Any] = {
        "region": finding.trace.region,
        "variant": finding.trace.variant,
        "accesses": len(finding.trace.block),
        "trusted": finding.trusted,
        "lines": None,
        "gaps": None,
        "edge": None,
    }
    model, limit = finding.model, finding.threshold
    if model is None:
        return detail
    detail["lines"] = {
        "turn_ms": model.lines.turn_ms,
        "block_ms": model.lines.block_ms,
        "offset_ms": model.lines.offset_ms,
        "physical_blocks_per_track": model.lines.track_blocks,
        "explained": model.explained,
        "noise_ms": model.noise_ms,
    }
    if finding.trusted and model.gaps is not None and model.period is not None:
        detail["gaps"] = {
            "head_ms": model.gaps.head_ms,
            "cylinder_ms": model.gaps.cylinder_ms,
            "surfaces": model.gaps.shape.heads if model.gaps.cylinder_ms is not None else None,
            "track_blocks": model.period.length,
            "agreement": model.period.agreement,
            "spare_areas": [
                {"block": block, "shift_blocks": shift} for block, shift in model.gaps.shifts[:50]
            ],
        }
    if limit is not None:
        detail["edge"] = {"step": limit.step, "latency_ms": limit.latency_ms}
    return detail
