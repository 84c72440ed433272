"""Cases from the traces in `tests/data/traces`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from server.benchmarks import seeker, skippy, zoned
from server.benchmarks.contract import Extraction, Kind
from tests.support import traces
from tools.accuracy.cases import CLEAN, NOISY, OTHER, Case, Expected, skippy_expected

FLAVOURS = (
    ("w", "clean writes", CLEAN, "write"),
    ("w_noisy1", "noisy writes 1", NOISY, "write"),
    ("w_noisy2", "noisy writes 2", NOISY, "write"),
    ("w_noisy3", "noisy writes 3", NOISY, "write"),
    ("w_noisy[123]", "noisy writes, three repeats", NOISY, "write"),
    ("r_nocache", "reads, cache off", OTHER, "read"),
    ("b_nocache", "backward reads, cache off", OTHER, "backward"),
    ("b_nocache_noisy1", "noisy backward reads", OTHER, "backward"),
    ("r", "reads with look-ahead", OTHER, "read"),
    ("b", "backward reads, cache on", OTHER, "backward"),
    ("w_wce_on", "writes, write cache on", OTHER, "write"),
)


def traced_cases() -> list[Case]:
    return [case for drive in traces.drives() for case in (*_skippy(drive), *_zoned(drive), *_seeker(drive))]


def is_serpentine(truth: dict[str, Any]) -> bool:
    return "surface-serpentine" in str(truth["layout"])


def _later(kind: Kind, entry: dict[str, Any], drive: str) -> Callable[[], Extraction]:
    return lambda: kind.extract(entry, traces.facts(drive))


def _skippy(drive: str) -> list[Case]:
    truth = traces.truth(drive)
    cases = []
    for flavour, words, strictness, variant in FLAVOURS:
        entry = traces.skippy_entry_of(drive, flavour)
        regions = tuple(dict.fromkeys(series["region"] for series in entry["samples"]["series"]))
        if regions:
            expected = skippy_expected(truth, strictness, regions, variant, is_serpentine(truth))
            cases.append(
                Case(
                    drive,
                    f"SKIPPY, {words}",
                    strictness,
                    expected,
                    _later(skippy.KIND, entry, drive),
                )
            )
    return cases


def _zoned(drive: str) -> list[Case]:
    truth = traces.truth(drive)
    zones = truth.get("zones")
    if not zones:
        return []
    count = float(len(zones))
    one = len(zones) == 1
    expected = (Expected("zoned.zone_count", "", count, 0.5, not one),)
    entry = traces.zoned_entry(drive, "zoned_1MiB_fastbus")
    slow = traces.zoned_entry(drive, "zoned_64KiB_asvalidated_bus")
    hidden = (Expected("zoned.zone_count", "", count, 0.5, False),)
    return [
        Case(drive, "ZONED, fast bus", CLEAN, expected, _later(zoned.KIND, entry, drive)),
        Case(drive, "ZONED, slow bus", OTHER, hidden, _later(zoned.KIND, slow, drive)),
    ]


def _seeker(drive: str) -> list[Case]:
    """Seek truth plus the shortest latency on a track: a stand-in, since overhead and seek overlap in these
    models by what they do not tell: 8 % or 0.2 ms."""
    truth = traces.truth(drive)
    media_ms = float(truth["local"]["outer"]["phase_sweep_write"]["min_latency_same_track_ms"])
    shortest = min(seek for _, seek in traces.seek_truth(drive)) + media_ms
    longest = float(truth["seek_curve"][-1]["write_ms"]) + media_ms
    expected = tuple(
        Expected(f"seeker.{name}", "with_mtm", value, max(0.08 * value, 0.2), exact=False)
        for name, value in (("minimum", shortest), ("full_stroke", longest))
    )
    entry = traces.seeker_entry(drive)
    return [Case(drive, "SEEKER, writes over two turns", CLEAN, expected, _later(seeker.KIND, entry, drive))]
