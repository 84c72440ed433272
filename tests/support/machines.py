"""What a machine adds to a drive's times: a USB bridge, or others that use the disk at the same time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support import forging
from tests.support.forging import Column

BRIDGE_NS = (80_000, 300_000)
"""What a bridge adds to each command, from drive to drive; a tenth of it varies from command to command."""
USB_BITS_PER_S = 5_000_000_000
BUSY_EVERY_NS = (3e9, 30e9)
"""Others come so often in the mean, from machine to machine."""
BUSY_FOR_NS = 200e6
FOREIGN_NS = 15e6
"""A seek there and back, and the other's own request."""
WATCHED_NS = 20e6


def through_machine(document: dict[str, Any], machine: str, seed: int) -> dict[str, Any]:
    """Return the document as it would have been measured on an `idle` machine, through a `bridge`, or on a
    `busy` machine."""
    random = np.random.default_rng([seed, 20260104])
    if machine == "bridge":
        return behind_bridge(document, random)
    return on_busy_machine(document, random) if machine == "busy" else document


def behind_bridge(document: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """Every command takes longer by the bridge's own time."""
    overhead_ns = float(random.uniform(*BRIDGE_NS))
    copy = forging.delayed(
        document,
        lambda times, _kind, _series: overhead_ns + np.abs(random.normal(0, overhead_ns / 10, times.size)),
    )
    bridge = {"usb_vendor_id": "174c", "usb_product_id": "55aa", "driver": "uas"}
    empty = {"vendor": None, "product": None, "pass_through": "ata16"}
    copy["device"] |= {
        **{"interface": "usb", "link_speed_bits_per_s": USB_BITS_PER_S},
        "bridge": bridge | empty,
    }
    return copy


def on_busy_machine(document: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """Others use the disk now and then; what they meet takes longer, is marked, and is counted."""
    every_ns = float(random.uniform(*BUSY_EVERY_NS))
    told: list[dict[str, Any]] = []

    def delay(times: Column, kind: str, series: dict[str, Any]) -> Column:
        extra, marks = _met(times, series, every_ns, random)
        if marks.any():
            series["disturbed"] = marks.astype(int).tolist()
            told.append(
                {
                    **{"kind": kind, "piece": f"piece-{len(told)}", "attempts": 3, "requests": times.size},
                    **{
                        "disturbed_requests": int(marks.sum()),
                        "foreign_requests": int((extra > 0).sum()) or 1,
                    },
                    **{"swapped_pages": 0, "throttle_events": 0},
                }
            )
        return extra

    copy = forging.delayed(document, delay)
    copy["conditions"]["disturbances"] = told
    copy["conditions"]["foreign_requests"] = sum(piece["foreign_requests"] for piece in told)
    return copy


def _met(
    times: Column, series: dict[str, Any], every_ns: float, random: np.random.Generator
) -> tuple[Column, Any]:
    """Return what others' requests add to each time, and which of the probe's the monitor marks."""
    starts = np.asarray(
        series.get("start_ns") or np.concatenate([[0], np.cumsum(times)[:-1]]), dtype=np.float64
    )
    ends = starts + times
    marks, extra = np.zeros(times.size, dtype=bool), np.zeros(times.size)
    at = starts[0] + random.exponential(every_ns)
    while at < ends[-1]:
        lasts = WATCHED_NS * np.ceil(random.exponential(BUSY_FOR_NS) / WATCHED_NS)
        met = (ends > at) & (starts < at + lasts)
        marks |= met
        extra[met] += FOREIGN_NS * random.uniform(0, 1, int(met.sum()))
        at += lasts + random.exponential(every_ns)
    return extra, marks
