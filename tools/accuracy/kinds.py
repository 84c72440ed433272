"""What each kind but SKIPPY must find on a simulated drive, as its own definitions put it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from server.benchmarks.access.definitions import POSITIONS, RATE_AT
from server.benchmarks.contract import Facts
from server.benchmarks.registry import kinds_by_slug
from tools.accuracy.cases import CLEAN, Expected
from tools.accuracy.requests import buffer_expected, positional_expected, sequential, sync_write_expected
from tools.accuracy.transfers import bandwidth_expected

SWEEP_STEPS = 1500
NOISE_MS = 0.07
"""What the simulator's default noise delays a request by on average: 30 us, and 4 ms of one in a hundred."""
ALIKE = 0.002
"""Zones that a bus holds to rates nearer than this are one in every profile."""
Truth = dict[str, Any]
Entry = dict[str, Any]


def facts_of(document: dict[str, Any]) -> Facts:
    """What extraction may use of the device, without its rated speed: that has to be found."""
    device = document["device"]
    spreads = [
        spread(one, device["block_bytes"])
        for one in document["benchmarks"]
        if "samples" in one and (spread := kinds_by_slug()[one["kind"]].head_spread) is not None
    ]
    return Facts(
        device["block_bytes"],
        device["capacity_bytes"],
        simulated=True,
        write_cache=document["conditions"]["write_cache_during"],
        head_spread=max(spreads, default=0.0),
    )


def zoned_expected(truth: Truth) -> tuple[Expected, ...]:
    """Zones that a profile shows, and the bandwidths of the outermost and the innermost one and of all."""
    zones = truth["zones"]
    rates = [sequential(zone, "1MiB") for zone in zones]
    (outer, outer_blur), (inner, inner_blur) = rates[0], rates[-1]
    blocks = [zone["last_block"] + 1 - zone["first_block"] for zone in zones]
    slowness = [many / rate for many, (rate, _) in zip(blocks, rates, strict=True)]
    mean = sum(blocks) / sum(slowness)
    mean_blur = mean * sum(
        time / sum(slowness) * blur / rate for time, (rate, blur) in zip(slowness, rates, strict=True)
    )
    ratio = outer / inner
    ratio_blur = ratio * (outer_blur / outer + inner_blur / inner)
    # A bus that is slower than two neighbours makes them one.
    shown = len(zones) - sum(
        before["bus_limited"]
        and after["bus_limited"]
        and abs(sequential(after, "1MiB")[0] / sequential(before, "1MiB")[0] - 1) < ALIKE
        for before, after in pairwise(zones)
    )
    return (
        Expected("zoned.zone_count", "", float(shown), 0.5, False),
        Expected("zoned.outer_bandwidth", "", outer, 0.01 * outer + outer_blur, False, blur=outer_blur),
        Expected("zoned.inner_bandwidth", "", inner, 0.01 * inner + inner_blur, False, blur=inner_blur),
        Expected("zoned.mean_bandwidth", "", mean, 0.01 * mean + mean_blur, False, blur=mean_blur),
        Expected("zoned.bandwidth_ratio", "", ratio, 0.02 * ratio + ratio_blur, False, blur=ratio_blur),
    )


def seeker_expected(truth: Truth, entry: Entry) -> tuple[Expected, ...]:
    """Seeks with and without the minimum time to media, which the model adds without overlap. It has the
    transfer of a sector in it, which takes longer where tracks are shorter.

    Where heads switch more slowly than the arm reaches the next cylinder, the least seek to another head
    takes as long as the switch. Which of the two the distances measured meet is chance: it lies between them.
    """
    variant = entry["samples"]["series"][0]["variant"]
    sweep = "phase_sweep_write" if variant == "write" else "phase_sweep_read_nocache"
    outer, inner = (
        float(truth["local"][region][sweep]["min_latency_same_track_ms"]) for region in ("outer", "inner")
    )
    blur = sweep_step(truth)
    rows = [Expected("seeker.baseline", "", outer, max(0.08 * outer, 0.1), False, blur=blur)]
    for name, media in (("minimum", outer), ("average", (outer + inner) / 2), ("full_stroke", inner)):
        seek = float(truth[f"seek_{name}_ms"][variant])
        switch = float(truth["head_switch_mechanical_ms"][variant]) if truth["surfaces"] > 1 else 0.0
        hidden = max(switch - seek, 0.0) / 2
        for scope, value in (("without_mtm", seek + hidden), ("with_mtm", seek + media + hidden)):
            bar = max(0.08 * value, 0.3) + hidden
            rows.append(Expected(f"seeker.{name}", scope, value, bar, False, blur=blur + hidden))
    return tuple(rows)


def sweep_step(truth: Truth) -> float:
    """By how much the shortest latency of a sweep over a turn may lie above the least there is, in ms."""
    return float(truth["rotation_period_ms"]) / SWEEP_STEPS


def random_read_ms(truth: Truth, size_bytes: int) -> float:
    """A mean seek, half a turn, the shortest latency of a block, and what else passes under the head."""
    blocks = max(size_bytes / float(truth["block_bytes"]), 1.0)
    turn = float(truth["rotation_period_ms"])
    media = [
        float(truth["local"][region]["phase_sweep_read_nocache"]["min_latency_same_track_ms"])
        for region in ("outer", "inner")
    ]
    overhead = sum(media) / 2 + float(truth["transfer_ms"]) * (blocks - 1)
    return float(truth["seek_average_ms"]["read"]) + turn / 2 + overhead


def random_io_expected(truth: Truth) -> tuple[Expected, ...]:
    """Four standard errors of the few hundred requests that a standard run makes. Where the bus holds up the
    medium it takes its part of a request, and the truth does not say how long.
    """
    if any(zone["bus_limited"] for zone in truth["zones"]):
        return ()
    rate = 1000 / random_read_ms(truth, 4096)
    return (Expected("random_io.alone", "", rate, 0.12 * rate, False),)


def access_expected(truth: Truth, strictness: str, entry: Entry) -> tuple[Expected, ...]:
    """Four standard errors of 500 reads, and the zones' bandwidths where a stretch lies in one zone."""
    value = random_read_ms(truth, 1) + (0.0 if strictness == CLEAN else NOISE_MS)
    rows = [Expected("access.access_time", "", value, 0.07 * value, False)]
    for series in entry["samples"]["series"]:
        if series["pattern"] != "positions":
            continue
        for first, length in zip(series["offset_blocks"], series["length_blocks"], strict=True):
            zone = zone_of(truth, first, first + length - 1)
            end = first + length >= truth["capacity_blocks"]
            share = 100.0 if end else 100 * first / truth["capacity_blocks"]
            position = min(POSITIONS, key=lambda name: abs(float(name) - share))
            if zone is not None:
                rate, blur = sequential(zone, "64KiB")
                rows.append(Expected(RATE_AT.key, position, rate, 0.06 * rate + blur, False, blur=blur))
    return tuple(rows)


def zone_of(truth: Truth, first: int, last: int) -> Mapping[str, Any] | None:
    """The zone in which a whole stretch lies, or None."""
    inside = (zone for zone in truth["zones"] if zone["first_block"] <= first and last <= zone["last_block"])
    return next(inside, None)


EXPECTATIONS: Mapping[str, Callable[[Truth, str, Entry], tuple[Expected, ...]]] = {
    "zoned": lambda truth, _strictness, _entry: zoned_expected(truth),
    "seeker": lambda truth, _strictness, entry: seeker_expected(truth, entry),
    "bandwidth": lambda truth, _strictness, entry: bandwidth_expected(truth, entry),
    "buffer": lambda truth, strictness, _entry: buffer_expected(truth, strictness),
    "positional": positional_expected,
    "sync_write": sync_write_expected,
    "random_io": lambda truth, _strictness, _entry: random_io_expected(truth),
    "access": access_expected,
}
