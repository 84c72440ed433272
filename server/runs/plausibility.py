"""Physics: what no drive can do. A finding holds the run for a person; it never changes or drops a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.runs.models import Benchmark, Measurement, Run

RATE_TOLERANCE = 0.05
"""How far a measured rotation rate may be from the rated one. Spindle control keeps 0.5 %; 5 % is another
drive."""
LINK_TOLERANCE = 1.05
"""How far a bandwidth may exceed the link speed: clocks differ, and the last block's time is rounded."""
ELAPSED_TOLERANCE = 1.01
"""How far the samples' sum may exceed the elapsed time of the benchmark they were taken in."""


def implausibilities(*, run: Run, document: dict[str, Any]) -> list[str]:
    """Return a sentence for every finding."""
    device = document["device"]
    findings = list(_capacity(run, device))
    for part in document["benchmarks"]:
        if "skipped" not in part:
            findings += sample_findings(part, device)
    findings += _rotation(run, device)
    return findings


def _capacity(run: Run, device: dict[str, Any]) -> Iterator[str]:
    model = run.drive_model
    if not model.curated or model.capacity_bytes is None:
        return
    off = abs(device["capacity_bytes"] - model.capacity_bytes) / model.capacity_bytes
    if off > model.capacity_tolerance:
        has_gb, model_gb = device["capacity_bytes"] / 1e9, model.capacity_bytes / 1e9
        yield (
            f"The device has {has_gb:.2f} GB; the model {model.number} has {model_gb:.2f} GB, which allows "
            f"{100 * model.capacity_tolerance:.0f} % either way."
        )


def sample_findings(part: dict[str, Any], device: dict[str, Any]) -> Iterator[str]:
    """Return a sentence for everything that one benchmark's samples can't be."""
    kind = part["kind"]
    bytes_per_ns = (device["link_speed_bits_per_s"] or 0) / 8e9
    for series in _series(part["samples"]):
        for name in TIMES:
            if isinstance(series.get(name), list):
                times = np.asarray(series[name], dtype=np.int64)
                sizes = np.asarray(series.get("length_blocks", 1), dtype=np.int64) * device["block_bytes"]
                yield from _faster_than_link(kind, times, sizes, bytes_per_ns)
    total_ns = _taken_ns(part["samples"], 1)
    if total_ns > part["elapsed_ns"] * ELAPSED_TOLERANCE:
        yield (
            f"{kind}: the samples add up to {total_ns / 1e9:.3f} s, more than the "
            f"{part['elapsed_ns'] / 1e9:.3f} s in "
            "which they were taken."
        )


TIMES = ("latency_ns", "elapsed_ns")


def _taken_ns(node: Any, at_once: int) -> float:
    """How long the samples of a part took at least.

    `concurrency` requests were under way at once where an object says so. An object's own times and those of
    what it holds tell of the same requests, so the longest of them counts; those of a list's objects follow
    each other.
    """
    if isinstance(node, list):
        return sum(_taken_ns(child, at_once) for child in node if isinstance(child, dict))
    if not isinstance(node, dict):
        return 0.0
    at_once = max(int(node.get("concurrency") or at_once), 1)
    latencies, elapsed = node.get("latency_ns"), node.get("elapsed_ns")
    own = [0.0]
    if isinstance(latencies, list):
        own.append(sum(latencies) / at_once)
    if elapsed is not None:
        own.append(float(sum(elapsed) if isinstance(elapsed, list) else elapsed))
    return max(*own, *(_taken_ns(child, at_once) for child in node.values()), 0.0)


def _faster_than_link(
    kind: str, times_ns: NDArray[np.int64], sizes_bytes: NDArray[np.int64], bytes_per_ns: float
) -> Iterator[str]:
    if times_ns.size == 0:
        return
    if int(times_ns.min()) <= 0:
        yield f"{kind}: {int((times_ns <= 0).sum())} request(s) took no time at all."
    elif bytes_per_ns > 0:
        too_fast = sizes_bytes > times_ns * bytes_per_ns * LINK_TOLERANCE
        if bool(np.any(too_fast)):
            yield (
                f"{kind}: {int(np.sum(too_fast))} request(s) moved their bytes faster than the link's "
                f"{bytes_per_ns * 1e3:.0f} MB/s."
            )


def _rotation(run: Run, device: dict[str, Any]) -> Iterator[str]:
    """Compare every whole-drive rate in rpm, of whatever kind, with what the device or the catalogue says."""
    rated = device["rotation_rate_rpm"] or run.drive_model.rated_rpm
    if not rated:
        return
    rates = Measurement.objects.filter(
        benchmark__in=run.benchmarks.filter(state=Benchmark.State.EXTRACTED),
        metric__endswith=".rotation_rate",
        scope="",
        quality__in=("good", "fair"),
    )
    for row in rates:
        if row.value is not None and abs(row.value - rated) > RATE_TOLERANCE * rated:
            yield f"{row.metric} is {row.value:.0f} rpm; the drive is rated {rated:.0f} rpm."


def _series(node: Any) -> Iterator[dict[str, Any]]:
    """Return every object of the samples that holds columns."""
    if isinstance(node, dict):
        if any(isinstance(value, list) and value and isinstance(value[0], int) for value in node.values()):
            yield node
        for value in node.values():
            yield from _series(value)
    elif isinstance(node, list) and node and isinstance(node[0], dict):
        for child in node:
            yield from _series(child)
