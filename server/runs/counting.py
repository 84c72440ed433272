"""How many samples a run document holds."""

from __future__ import annotations

from typing import Any

TIME_COLUMNS = ("latency_ns", "elapsed_ns")


def timings_count(samples: Any) -> int:
    """Return how many timings a kind's samples hold: the entries of all columns `latency_ns` and
    `elapsed_ns`.

    That is one for each request, or stretch of requests, that was timed and kept; it names no kind, since
    these columns mean the same in every one.
    """
    if isinstance(samples, list):
        return sum(timings_count(entry) for entry in samples if isinstance(entry, dict | list))
    if not isinstance(samples, dict):
        return 0
    own = sum(len(samples[name]) for name in TIME_COLUMNS if isinstance(samples.get(name), list))
    return own + sum(timings_count(value) for name, value in samples.items() if name not in TIME_COLUMNS)
