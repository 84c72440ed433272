"""What the kinds must find that repeat requests: reads of one place, and writes in a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.accuracy.cases import CLEAN, Expected

KIB = 1024.0


def buffer_expected(truth: dict[str, Any], strictness: str) -> tuple[Expected, ...]:
    """The interface's rate, and a size between the last power of two that fits and the next."""
    held = float(truth["buffer_hit_bytes"])
    if held <= 0:
        # Look-ahead takes the whole segment: what was read does not stay.
        return tuple(
            Expected(f"buffer.{name}", "", None, None, False) for name in ("peak_bandwidth", "effective_size")
        )
    bus = float(truth["bus_mb_s"])
    return (
        # The drive's overhead takes up to an eighth of the longest request that the buffer holds.
        Expected("buffer.peak_bandwidth", "", bus, 0.12 * bus, False, exact=False),
        Expected("buffer.effective_size", "", held / KIB, 0.42 * held / KIB, strictness == CLEAN),
    )


def positional_expected(
    truth: dict[str, Any], strictness: str, entry: dict[str, Any]
) -> tuple[Expected, ...]:
    """The bandwidth of the zone in which all samples of a position lie."""
    serpentine = truth["layout"] == "surface_serpentine"
    rows = []
    for series in entry["samples"]["series"]:
        first = series["offset_blocks"][0]
        last = first + max(series["length_blocks"]) - 1
        zones = [
            zone for zone in truth["zones"] if zone["first_block"] <= first and last <= zone["last_block"]
        ]
        if len(zones) != 1:
            continue
        rate, blur = sequential(zones[0], "2MiB")
        # The buffer holds the end of the sample before: up to two per cent. Where heads differ, a sample
        # meets a few of them and the truth is the mean over all.
        share = 0.06 if serpentine else 0.02 if strictness == CLEAN else 0.05
        rows.append(
            Expected("positional.mean_bandwidth", series["position"], rate, share * rate + blur, blur=blur)
        )
    return tuple(rows)


SEVERAL = 0.01
"""Starts whose rates differ by more than this are in different rhythms; less is where a stretch ended."""
KEEPS_UP = 0.995
"""A drive that gives so much of what its medium brings loses no turns."""


def with_rhythms(truth: dict[str, Any], quiet: dict[str, Any]) -> dict[str, Any]:
    """The truth with the range of rates that each zone has without noise, which would blur it; one rate where
    the drive keeps up."""
    zones = []
    for zone, still in zip(truth["zones"], quiet["zones"], strict=True):
        ranges = {}
        for size, rate in zone["sequential_mb_s"].items():
            keeps_up = still["sequential_mb_s"][size] >= KEEPS_UP * still["bandwidth_mb_s"]
            ranges[size] = (rate, rate) if keeps_up else still["sequential_range_mb_s"][size]
        zones.append(zone | {"sequential_range_mb_s": ranges})
    return truth | {"zones": zones}


def sequential(zone: Mapping[str, Any], size: str) -> tuple[float, float]:
    """What a host gets that reads on and on, and how far that may be off.

    A drive that loses turns between requests falls into one of several rhythms by where the first request
    began, and may stay in it: then each of its rates is true.
    """
    rate = float(zone["sequential_mb_s"][size])
    low, high = (float(one) for one in zone["sequential_range_mb_s"][size])
    low, high = min(low, rate), max(high, rate)
    return ((low + high) / 2, (high - low) / 2) if high > (1 + SEVERAL) * low else (rate, 0.0)


def sync_write_expected(
    truth: dict[str, Any], strictness: str, entry: dict[str, Any]
) -> tuple[Expected, ...]:
    """One turn for each write that is not collected, and the first track, which a cache of few slots does not
    hide either. The zone's rate is that of reads, which need not wait until the head has settled: a stand-in,
    and none where the bus is slower than a track: such a write also waits for what the bus has still to bring
    it.
    """
    if not follows_skews(truth):
        return ()
    states = {series["write_cache"] for series in entry["samples"]["series"]}
    zone = truth["zones"][0]
    clean = strictness == CLEAN
    turn, rate = float(truth["rotation_period_ms"]), float(zone["bandwidth_mb_s"])
    track = float(zone["sectors_per_track_by_head"][0]) * float(truth["block_bytes"]) / 1e6
    held_up = float(truth["bus_mb_s"]) < track / turn * 1e3
    # The place is back a turn after the last answer; the request that waits for it began a little later.
    waited = turn - float(truth["host_think_ms"])
    rows = []
    if False in states:
        rows.append(Expected("sync_write.track_size", "off", track, (0.02 if clean else 0.05) * track, False))
    if False in states and not held_up:
        rate_bar = (0.05 if clean else 0.1) * rate
        rows += [
            Expected("sync_write.request_time", "off", waited, (0.02 if clean else 0.05) * turn),
            Expected("sync_write.turns", "off", waited / turn, 0.02 if clean else 0.05),
            Expected("sync_write.asymptotic_rate", "off", rate, rate_bar, False, exact=False),
        ]
    if True in states:
        rows += [
            Expected("sync_write.track_size", "on", track, (0.02 if clean else 0.05) * track, False),
            Expected("sync_write.steady_bandwidth", "on", rate, 0.1 * rate, False, exact=False),
        ]
    return tuple(rows)


def follows_skews(truth: dict[str, Any]) -> bool:
    """Whether a write in a row reaches the next track in time. Where the arm needs longer than the skews
    leave, each boundary costs a turn, and the truth has no law for it."""
    local = truth["local"]["outer"]
    switches = (("track_skew_ms", "head_switch_mechanical_ms"), ("cylinder_skew_ms", "one_cylinder_seek_ms"))
    return all(
        local[skew] is None or float(local[skew]) >= float(truth[switch]["write"])
        for skew, switch in switches
    )
