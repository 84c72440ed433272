"""Runs that nobody measured, made from ones that somebody did. Each takes a document and gives a new one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from server.core.ids import uuid7

Column = NDArray[np.float64]
Change = Callable[[Column, np.random.Generator], Column]
TIMES = ("latency_ns", "elapsed_ns")
SPREADS = ("fastest_ns", "median_ns", "percentile_90_ns", "slowest_ns")
DURATIONS = (*TIMES, *SPREADS, "start_ns", "steady_ns", "total_ns", "minimum_ns", "maximum_ns", "low_ns")


def only(document: dict[str, Any], *kinds: str) -> dict[str, Any]:
    """Return a new run that holds these kinds alone."""
    copy = renewed(document)
    copy["benchmarks"] = [part for part in copy["benchmarks"] if part["kind"] in kinds]
    return copy


def renewed(document: dict[str, Any], **device: Any) -> dict[str, Any]:
    """Return the document under a new run id; keyword arguments replace fields of `device`."""
    copy = deepcopy(document)
    copy["run_id"] = str(uuid7())
    copy["license"] = "CC0-1.0"
    copy["device"] |= device
    return copy


def claimed_real(document: dict[str, Any], **device: Any) -> dict[str, Any]:
    """Return the document as if a real disk on a parallel bus had been measured."""
    fields: dict[str, Any] = {"interface": "scsi", "link_speed_bits_per_s": None, **device}
    copy = renewed(document, **fields)
    copy["device"]["rotational"] |= {"source": "kernel", "kernel_says": True}
    copy["provenance"] = "probe"
    return copy


def constant(document: dict[str, Any]) -> dict[str, Any]:
    """Every time of a series is the series' mean."""
    return _times(document, lambda times, _random: np.full_like(times, times.mean()))


def normal(document: dict[str, Any]) -> dict[str, Any]:
    """Times are drawn from a normal distribution with the series' own mean and standard deviation."""
    return _times(
        document,
        lambda times, random: np.maximum(random.normal(times.mean(), times.std(), times.size), 10_000),
    )


def shuffled(document: dict[str, Any]) -> dict[str, Any]:
    """The times of each series in another order."""
    return _times(document, lambda times, random: random.permutation(times))


def solid_state(document: dict[str, Any]) -> dict[str, Any]:
    """What a solid-state disk on SATA might have taken: 90 µs a request and 540 MB/s, with some spread."""
    block_bytes = document["device"]["block_bytes"]

    def change(times: Column, random: np.random.Generator, series: dict[str, Any]) -> Column:
        blocks = np.asarray(series.get("length_blocks", series.get("request_blocks", 1)), dtype=np.float64)
        bytes_moved = blocks * series.get("requests", 1) * block_bytes
        return np.asarray((90_000 + bytes_moved / 0.54) * random.lognormal(0, 0.05, times.size))

    return _times(document, change, with_series=True)


def noisy(
    document: dict[str, Any], deviation_ns: float, random: np.random.Generator | None = None
) -> dict[str, Any]:
    """The same times, each longer by what a machine takes; what the samples say among themselves stays
    true."""
    rng = random or np.random.default_rng(20260101)
    return delayed(document, lambda times, _kind, _series: np.abs(rng.normal(0, deviation_ns, times.size)))


def delayed(
    document: dict[str, Any], delay: Callable[[Column, str, dict[str, Any]], Column]
) -> dict[str, Any]:
    """The same times, each longer by what `delay` says for a series of a kind."""
    copy = deepcopy(document)
    for part in _measured(copy):
        for series in _objects(part["samples"]):
            for name in TIMES:
                if isinstance(series.get(name), list) and series[name] and _free(series):
                    times = np.asarray(series[name], dtype=np.int64)
                    # Requests that follow begin so much later.
                    extra = delay(times.astype(np.float64), part["kind"], series).astype(np.int64)
                    series[name] = (times + extra).tolist()
                    if isinstance(series.get("start_ns"), list):
                        before = np.concatenate([[0], np.cumsum(extra)[:-1]])
                        series["start_ns"] = (
                            np.asarray(series["start_ns"], dtype=np.int64) + before
                        ).tolist()
                    part["elapsed_ns"] += int(extra.sum())
    return copy


def _free(series: dict[str, Any]) -> bool:
    """Whether no sum or bucket elsewhere tells of the same times."""
    return not {"lane", "requests"} & series.keys()


def jittered(document: dict[str, Any], deviation_ns: float = 50.0) -> dict[str, Any]:
    """The same times but for a little noise."""
    return _times(document, lambda times, random: times + random.normal(0, deviation_ns, times.size))


def scaled(document: dict[str, Any], factor: float = 0.9) -> dict[str, Any]:
    """Every duration of the samples and of the benchmarks times a factor."""
    copy = renewed(document)
    for part in _measured(copy):
        part["elapsed_ns"] = int(part["elapsed_ns"] * factor)
        _scale(part["samples"], factor)
    return copy


def slower_half_marked(document: dict[str, Any], *, counted: bool) -> dict[str, Any]:
    """The slower half of every series is marked as disturbed, and so left out; with `counted` the monitor's
    counts are made to agree."""
    copy = renewed(document)
    told: list[Any] = []
    for part in _measured(copy):
        for series in _objects(part["samples"]):
            times: list[int] = next(
                (series[name] for name in TIMES if isinstance(series.get(name), list)), []
            )
            if times:
                middle = float(np.median(times))
                series["disturbed"] = [int(time > middle) for time in times]
                told.append(_told(part["kind"], f"piece-{len(told)}", sum(series["disturbed"]), len(times)))
    if counted:
        copy["conditions"]["disturbances"] = told
        copy["conditions"]["foreign_requests"] = 1 + len(told)
    return copy


def _told(kind: str, piece: str, disturbed: int, requests: int) -> dict[str, Any]:
    return {
        **{
            "kind": kind,
            "piece": piece,
            "attempts": 3,
            "requests": requests,
            "disturbed_requests": disturbed,
        },
        **{"foreign_requests": 1, "swapped_pages": 0, "throttle_events": 0},
    }


def random_from_cache(
    document: dict[str, Any], per_second: float = 376_900.0, at_once: int = 2
) -> dict[str, Any]:
    """Random requests as fast as a cache answers, where `at_once` or more are under way; buckets, sums and
    single requests agree."""
    copy = renewed(document)
    for part in _measured(copy):
        bits = part["params"].get("sub_bucket_bits")
        for series in part["samples"]["series"] if bits is not None else []:
            if series["concurrency"] >= at_once:
                before_ns = series["elapsed_ns"]
                _scale(series, series["requests"] / per_second * 1e9 / before_ns)
                for name in ("reads", "writes"):
                    if series[name]:
                        _counted_anew(series[name], series["first"], bits, is_write=name == "writes")
                part["elapsed_ns"] -= before_ns - series["elapsed_ns"]
    return copy


def _counted_anew(histogram: dict[str, Any], first: dict[str, Any], bits: int, *, is_write: bool) -> None:
    """As many requests as before, in the buckets of those that stand one by one."""
    rows = zip(first["latency_ns"], first["is_write"], strict=True)
    buckets = [_bucket(time, bits) for time, write in rows if bool(write) == is_write]
    counts = dict.fromkeys(sorted(buckets), 0)
    for index in range(max(sum(histogram["requests"]), len(buckets))):
        counts[buckets[index % len(buckets)]] += 1
    histogram["low_ns"], histogram["requests"] = list(counts), list(counts.values())
    histogram["total_ns"] = sum(low * requests for low, requests in counts.items())
    histogram["minimum_ns"], histogram["maximum_ns"] = min(counts), max(counts)


def _bucket(value: int, bits: int) -> int:
    shift = max(value.bit_length() - (bits + 1), 0)
    return value >> shift << shift


def rates_times(document: dict[str, Any], kind: str, factor: float = 1.4) -> dict[str, Any]:
    """Every time of one kind shorter by a factor: its rates are that much higher."""
    copy = renewed(document)
    for part in _measured(copy):
        if part["kind"] == kind:
            part["elapsed_ns"] = int(part["elapsed_ns"] / factor)
            _scale(part["samples"], 1 / factor)
    return copy


def lengths_times(document: dict[str, Any], kind: str, factor: float = 1.4) -> dict[str, Any]:
    """Every stretch of one kind longer by a factor, in whole requests, in the time that it took."""
    copy = renewed(document)
    for part in _measured(copy):
        if part["kind"] == kind:
            request = part["params"]["transfer_blocks"]
            for series in part["samples"]["series"]:
                longer = [int(blocks * factor) // request * request for blocks in series["length_blocks"]]
                series["length_blocks"] = longer
    return copy


def temperatures(document: dict[str, Any], invent: Callable[[Column], Column]) -> dict[str, Any]:
    """An invented column of temperatures, of each series' times."""
    copy = renewed(document)
    for part in _measured(copy):
        for series in part["samples"]["series"]:
            invented = invent(np.asarray(series["elapsed_ns"], dtype=np.float64))
            series["temperature_celsius"] = [int(kelvin) for kelvin in invented]
    return copy


def together(*documents: dict[str, Any]) -> dict[str, Any]:
    """One run that holds the parts of several, under the first one's device."""
    copy = renewed(documents[0])
    copy["benchmarks"] = [deepcopy(part) for document in documents for part in document["benchmarks"]]
    return copy


def _scale(node: Any, factor: float) -> None:
    if isinstance(node, list):
        for child in node:
            _scale(child, factor)
        return
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        if key in DURATIONS and isinstance(value, list):
            node[key] = [int(one * factor) for one in value]
        elif key in DURATIONS and isinstance(value, int):
            node[key] = int(value * factor)
        else:
            _scale(value, factor)


def _times(document: dict[str, Any], change: Any, *, with_series: bool = False) -> dict[str, Any]:
    copy = renewed(document)
    random = np.random.default_rng(20260102)
    for part in _measured(copy):
        before_ns = 0
        for series in _objects(part["samples"]):
            for name in TIMES:
                if isinstance(series.get(name), list) and series[name]:
                    times = np.asarray(series[name], dtype=np.float64)
                    made = change(times, random, series) if with_series else change(times, random)
                    series[name] = [int(one) for one in np.maximum(made, 1)]
                    before_ns += max(sum(series[name]) - int(times.sum()), 0)
        part["elapsed_ns"] += before_ns
    return copy


def _measured(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in document["benchmarks"] if "skipped" not in part]


def _objects(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [found for child in node for found in _objects(child)]
    if not isinstance(node, dict):
        return []
    return [node, *(found for child in node.values() for found in _objects(child))]
