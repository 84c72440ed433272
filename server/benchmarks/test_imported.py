"""Numbers of imports: how far they may be trusted at best, and those that came without samples."""

from __future__ import annotations

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.imported import REASON, capped_at_fair
from server.benchmarks.registry import kinds_by_slug

KIND = kinds_by_slug()["access"]
FACTS = Facts(block_bytes=512, capacity_bytes=10**12, imported=True)


def number(quality: Quality, reason: str = "", scope: str = "outer") -> Measurement:
    return Measurement("positional.mean_bandwidth", scope, 100.0, 99.0, 101.0, 10, quality, reason)


def test_no_imported_number_is_called_good_and_worse_ones_stay_as_they_are() -> None:
    found = capped_at_fair(Extraction((number(Quality.GOOD), number(Quality.POOR, "Few.", "inner"))))
    best, worst = found.measurements
    assert (best.quality, best.reason, best.value) == (Quality.FAIR, REASON, 100.0)
    assert (worst.quality, worst.reason) == (Quality.POOR, "Few.")


def test_printed_numbers_are_poor_and_leave_the_meaning_of_mb_open() -> None:
    stated = {"transfer_average_mb_per_s": "100.0", "access_time_ms": "14.2"}
    series: dict[str, object] = {
        "pattern": "stated",
        "stated": stated,
        "processors": None,
        "offset_blocks": [],
        "length_blocks": [],
        "elapsed_ns": [],
    }
    entry = {"params": {}, "samples": {"series": [series]}}
    found = {one.metric: one for one in KIND.extract(entry, FACTS).measurements}
    average = found["access.transfer_average"]
    assert (average.value, average.low, average.quality) == (100.0, 99.95, Quality.POOR)
    assert average.high is not None and abs(average.high - 100.05 * 1.048576) < 1e-9
    assert "10^6 or 2^20" in average.reason
    access = found["access.access_time"]
    assert (access.low, access.high) == (14.2 - 0.05, 14.2 + 0.05)
    assert found["access.burst_rate"].value is None and found["access.burst_rate"].reason
    assert KIND.charts(entry, FACTS, Extraction(())) == ()
