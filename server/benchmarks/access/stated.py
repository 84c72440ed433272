"""Numbers that another tool printed without its samples: carried as they stand, and always called poor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.benchmarks.access import definitions as metric
from server.benchmarks.contract import Measurement, Metric, Quality

BINARY_MB = 1.048576
"""MB of 2^20 bytes, in MB of 10^6."""
FIELDS: Mapping[str, Metric] = {
    "access_time_ms": metric.ACCESS,
    "transfer_average_mb_per_s": metric.AVERAGE,
    "transfer_minimum_mb_per_s": metric.MINIMUM,
    "transfer_maximum_mb_per_s": metric.MAXIMUM,
    "burst_rate_mb_per_s": metric.BURST,
    "cpu_usage_percent": metric.CPU,
}
PRINTED = "As another tool printed it, without its samples: nothing says how far it may be trusted."
WHICH_MB = (
    "It does not say whether its MB is 10^6 or 2^20 bytes: the interval reaches from the one to the other."
)
ABSENT = "The output that was imported does not have it."


def printed_of(entry: Mapping[str, Any]) -> tuple[Measurement, ...] | None:
    """Return the numbers of an entry that only states them; None for one that holds samples.

    The interval is what the printed digits, and the unit, leave open.
    """
    stated = [one["stated"] for one in entry["samples"]["series"] if "stated" in one]
    if not stated:
        return None
    found = {
        what.key: _measurement(what, name, stated[0][name])
        for name, what in FIELDS.items()
        if name in stated[0]
    }
    return tuple(
        found.get(what.key) or Measurement(what.key, "", None, None, None, 0, Quality.NONE, ABSENT)
        for what in metric.METRICS
        if what is not metric.RATE_AT
    )


def _measurement(what: Metric, name: str, printed: str) -> Measurement:
    value, half = float(printed), 0.5 * 10.0 ** -len(printed.partition(".")[2])
    is_rate = name.endswith("_mb_per_s")
    high = (value + half) * (BINARY_MB if is_rate else 1.0)
    reason = f"{PRINTED} {WHICH_MB}" if is_rate else PRINTED
    return Measurement(what.key, "", value, max(value - half, 0.0), high, 1, Quality.POOR, reason)
