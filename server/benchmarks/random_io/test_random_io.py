"""RANDOM_IO's extraction against made-up samples whose every number is known."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.benchmarks.contract import Extraction, Facts, Measurement, Quality
from server.benchmarks.random_io import KIND

FACTS = Facts(block_bytes=512, capacity_bytes=512 * 80_000_000, write_cache=False)
BITS = 7


def buckets(latencies: list[int]) -> dict[str, Any] | None:
    """As the probe does: lower bounds at multiples of a 128th of the power of two below."""
    if not latencies:
        return None
    lows = [
        value >> max(value.bit_length() - 1 - BITS, 0) << max(value.bit_length() - 1 - BITS, 0)
        for value in latencies
    ]
    low, counts = np.unique(np.array(lows), return_counts=True)
    return {
        "low_ns": low.tolist(),
        "requests": counts.tolist(),
        "total_ns": sum(latencies),
        "minimum_ns": min(latencies),
        "maximum_ns": max(latencies),
    }


def series(
    reads: list[int], writes: list[int] | None = None, lanes: int = 1, blocks: int = 8, **members: Any
) -> dict[str, Any]:
    """Requests of those latencies, `lanes` of them always under way."""
    writes = writes or []
    everything = reads + writes
    elapsed = sum(everything) // lanes
    count = max(len(everything) // 20, 1)
    slices = [everything[k : k + count] for k in range(0, len(everything), count)]
    return {
        "variant": "mixed" if reads and writes else "write" if writes else "read",
        "pattern": "processes",
        "concurrency": lanes,
        "request_blocks": blocks,
        "requests": len(everything),
        "failed_requests": 0,
        "batches": 1,
        "elapsed_ns": elapsed,
        "steady_requests": len(everything),
        "steady_ns": elapsed,
        "processors": None,
        "reads": buckets(reads),
        "writes": buckets(writes),
        "slices": {
            "requests": [len(one) for one in slices],
            "elapsed_ns": [sum(one) // lanes for one in slices],
        },
        "first": {"offset_blocks": [], "is_write": [], "lane": [], "start_ns": [], "latency_ns": []},
        **members,
    }


def entry_of(*parts: dict[str, Any], requests: int = 2000) -> dict[str, Any]:
    params = {
        "block_bytes": 512,
        "requests": requests,
        "limit_ns": 10**12,
        "batch_bytes": 1 << 26,
        "sub_bucket_bits": BITS,
        "seed": 1,
        "queue_by": "queue",
        "queue_reason": None,
        "left_out": [],
    }
    return {"kind": "random_io", "params": params, "samples": {"series": list(parts)}}


def drawn(mean_ns: float, count: int = 2000, seed: int = 3) -> list[int]:
    generator = random.Random(seed)
    return [round(mean_ns * (0.5 + generator.random())) for _ in range(count)]


def one(extraction: Extraction, metric: str, scope: str) -> Measurement:
    (found,) = (m for m in extraction.measurements if (m.metric, m.scope) == (f"random_io.{metric}", scope))
    return found


def test_rate_time_and_bandwidth_of_a_combination_agree() -> None:
    found = KIND.extract(entry_of(series(drawn(8e6))), FACTS)
    iops = one(found, "iops", "read/4096/p1")
    assert iops.value == pytest.approx(125, rel=0.02) and iops.quality is Quality.GOOD
    assert iops.value is not None
    assert one(found, "elapsed", "read/4096/p1").value == pytest.approx(10_000 / iops.value, rel=1e-6)
    assert one(found, "data_rate", "read/4096/p1").value == pytest.approx(iops.value * 4096 / 1e6)
    assert one(found, "alone", "").value == iops.value


def test_the_time_until_the_lanes_run_dry_counts_for_the_rate_and_the_rest_for_the_elapsed_time() -> None:
    part = series(drawn(8e6), lanes=8)
    part |= {"steady_requests": 1992, "elapsed_ns": part["elapsed_ns"] * 11 // 10}
    found = KIND.extract(entry_of(part), FACTS)
    rate = one(found, "iops", "read/4096/p8").value
    elapsed = one(found, "elapsed", "read/4096/p8").value
    assert rate == pytest.approx(1992 / part["steady_ns"] * 1e9)
    assert elapsed == pytest.approx(part["elapsed_ns"] * 5 / 1e9)


def test_percentiles_and_spread_are_those_of_the_latencies() -> None:
    latencies = drawn(8e6)
    found = KIND.extract(entry_of(series(latencies)), FACTS)
    for metric, value in (
        ("latency_median", np.median(latencies) / 1e6),
        ("latency_p99", np.quantile(latencies, 0.99) / 1e6),
        ("latency_variation", np.std(latencies, ddof=1) / np.mean(latencies)),
        ("worst_over_median", max(latencies) / np.median(latencies)),
    ):
        measured = one(found, metric, "read/4096/p1")
        assert measured.value == pytest.approx(value, rel=0.006), metric
        if metric != "worst_over_median":
            assert measured.low is not None and measured.high is not None
            assert measured.low <= value <= measured.high


def test_a_percentile_that_rests_on_two_requests_is_not_given() -> None:
    found = KIND.extract(entry_of(series(drawn(8e6, 200))), FACTS)
    p99 = one(found, "latency_p99", "read/4096/p1")
    assert p99.value is None and "200 requests" in p99.reason
    assert one(found, "latency_median", "read/4096/p1").value is not None


def test_reads_and_writes_of_a_mixed_combination_are_told_apart() -> None:
    found = KIND.extract(entry_of(series(drawn(10e6, 1000), drawn(5e6, 1000))), FACTS)
    medians = [one(found, "latency_median", f"mixed/4096/p1/{name}").value for name in ("read", "write")]
    assert medians == [pytest.approx(10, rel=0.05), pytest.approx(5, rel=0.05)]


def test_the_gain_from_many_at_once_is_a_ratio_of_rates_with_its_interval() -> None:
    parts = series(drawn(8e6)), series(drawn(16e6, seed=4), lanes=4)
    gain = one(KIND.extract(entry_of(*parts), FACTS), "scaling", "read/4096/p4")
    assert gain.value == pytest.approx(2, rel=0.03)
    assert gain.low is not None and gain.high is not None and gain.low < 2 < gain.high
    alone = one(KIND.extract(entry_of(parts[1]), FACTS), "scaling", "read/4096/p4")
    assert alone.value is None and "one request under way" in alone.reason


def test_the_average_of_a_sort_of_request_is_that_of_its_combinations_of_processes() -> None:
    parts = series(drawn(8e6)), series(drawn(16e6, seed=4), lanes=4), series(drawn(5e6, seed=5), blocks=128)
    queued = series(drawn(1e6, seed=6), lanes=2, pattern="queue")
    found = KIND.extract(entry_of(*parts, queued), FACTS)
    average = one(found, "average", "read")
    scopes = ("read/4096/p1", "read/4096/p4", "read/65536/p1")
    rates = [one(found, "iops", scope).value or 0.0 for scope in scopes]
    assert average.value == pytest.approx(sum(rates) / 3)
    assert average.count == 3
    assert average.low is not None and average.high is not None
    assert average.low < sum(rates) / 3 < average.high


def test_a_rate_that_falls_while_it_is_measured_is_called_poor() -> None:
    falling = [*drawn(1e6, 700), *drawn(8e6, 1300)]
    iops = one(KIND.extract(entry_of(series([], falling)), FACTS), "iops", "write/4096/p1")
    assert iops.quality is Quality.POOR and "changed by" in iops.reason


@pytest.mark.parametrize("cache", [True, None])
def test_writes_with_a_write_cache_that_is_or_may_be_on_say_so(cache: bool | None) -> None:
    facts = Facts(block_bytes=512, capacity_bytes=FACTS.capacity_bytes, write_cache=cache)
    entry = entry_of(series([], drawn(8e6)), series(drawn(8e6)))
    assert one(KIND.extract(entry, facts), "iops", "write/4096/p1").quality is Quality.FAIR
    assert "write cache" in one(KIND.extract(entry, facts), "iops", "write/4096/p1").reason
    assert one(KIND.extract(entry, facts), "iops", "read/4096/p1").quality is Quality.GOOD
    assert one(KIND.extract(entry, FACTS), "iops", "write/4096/p1").quality is Quality.GOOD


@pytest.mark.parametrize(
    ("cache", "whose"), [(True, "the write cache"), (None, "the write cache"), (False, "stays on")]
)
def test_writes_faster_than_any_disk_are_a_caches_whatever_the_switch_says(
    cache: bool | None, whose: str
) -> None:
    """Off, it is one that the switch does not reach, as shingled drives have on their medium."""
    facts = Facts(block_bytes=512, capacity_bytes=FACTS.capacity_bytes, write_cache=cache)
    iops = one(KIND.extract(entry_of(series([], drawn(1e5))), facts), "iops", "write/4096/p1")
    assert iops.quality is Quality.POOR
    assert whose in iops.reason


def test_a_combination_that_ended_early_or_lost_requests_says_so() -> None:
    entry = entry_of(series(drawn(8e6)), requests=5000)
    assert "after 2000 of 5000" in one(KIND.extract(entry, FACTS), "iops", "read/4096/p1").reason
    entry = entry_of(series(drawn(8e6), failed_requests=3))
    assert "failed at 3" in one(KIND.extract(entry, FACTS), "iops", "read/4096/p1").reason


def test_the_interval_of_the_rate_holds_the_true_rate_in_nineteen_of_twenty_runs() -> None:
    held = 0
    for seed in range(300):
        iops = one(KIND.extract(entry_of(series(drawn(8e6, 400, seed))), FACTS), "iops", "read/4096/p1")
        assert iops.low is not None and iops.high is not None
        held += iops.low <= 125 <= iops.high
    assert 270 <= held <= 297


def test_the_processors_shares_are_summed_over_sizes() -> None:
    spent = {"idle_ns": 5 * 10**9, "user_ns": 10**9, "system_ns": 2 * 10**9, "iowait_ns": 2 * 10**9}
    parts = series(drawn(8e6), processors=spent), series(drawn(8e6), blocks=128, processors=spent)
    found = KIND.extract(entry_of(*parts), FACTS)
    shares = [one(found, f"cpu_{name}", "read/p1").value for name in ("idle", "user", "system", "iowait")]
    assert shares == [pytest.approx(share) for share in (50, 10, 20, 20)]
    assert one(KIND.extract(entry_of(series(drawn(8e6))), FACTS), "cpu_idle", "").value is None


def test_pictures_show_rates_by_size_and_by_number_and_latencies() -> None:
    parts = [series(drawn(8e6), lanes=lanes, blocks=blocks) for lanes in (1, 8) for blocks in (8, 128)]
    entry = entry_of(*parts)
    charts = KIND.charts(entry, FACTS, KIND.extract(entry, FACTS))
    assert [chart.id for chart in charts] == ["by-size", "by-number", "latencies"]
    first, last = charts[0].series
    assert (first.key, last.key) == ("read-p1", "read-p8")
    assert first.x == (4.0, 64.0)
    assert all(low < rate < high for low, rate, high in zip(first.low, first.y, first.high, strict=True))


def summed_up(latencies: list[int], percents: tuple[float, ...]) -> dict[str, Any]:
    """What a tool says that prints percentiles by the middle of their buckets, and no buckets."""
    ordered = sorted(latencies)
    middles = []
    for percent in percents:
        value = ordered[math.ceil(percent / 100 * len(ordered)) - 1]
        width = 1 << max(value.bit_length() - 1 - BITS, 0)
        middles.append(value // width * width + width // 2)
    return (buckets(latencies) or {}) | {
        "low_ns": [],
        "requests": [],
        "summary": {
            "requests": len(latencies),
            "deviation_ns": round(float(np.std(latencies, ddof=1))),
            "per_million": [round(percent * 1e4) for percent in percents],
            "percentile_ns": middles,
        },
    }


FIO = (1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9)


def test_percentiles_without_buckets_carry_what_buckets_do_with_wider_intervals() -> None:
    times = drawn(8e6, 4000)
    part = series(times)
    whole = KIND.extract(entry_of(part), FACTS)
    short = KIND.extract(entry_of(part | {"reads": summed_up(times, FIO)}), FACTS)
    for name in ("latency_median", "latency_p99", "latency_variation"):
        expected, found = one(whole, name, "read/4096/p1"), one(short, name, "read/4096/p1")
        assert found.value == pytest.approx(expected.value, rel=0.01), name
        assert found.low is not None and expected.low is not None and found.low <= expected.low * 1.001
        assert found.high is not None and expected.high is not None and found.high >= expected.high * 0.999
    assert one(short, "iops", "read/4096/p1") == one(whole, "iops", "read/4096/p1")
    charts = KIND.charts(entry_of(part | {"reads": summed_up(times, FIO)}), FACTS, short)
    assert charts[-1].id == "latencies"


def test_a_percentile_that_is_not_stated_has_a_reason_in_its_place() -> None:
    times = drawn(8e6, 4000)
    found = KIND.extract(entry_of(series(times) | {"reads": summed_up(times, (10.0, 50.0))}), FACTS)
    assert one(found, "latency_median", "read/4096/p1").value is not None
    assert "does not state it" in one(found, "latency_p99", "read/4096/p1").reason


def test_sums_without_percentiles_say_why_nothing_follows_and_draw_no_curve() -> None:
    times = drawn(8e6, 4000)
    part = series(times) | {"reads": summed_up(times, ())}
    found = KIND.extract(entry_of(part), FACTS)
    assert "does not state it" in one(found, "latency_median", "read/4096/p1").reason
    assert one(found, "iops", "read/4096/p1").value is not None
    assert "latencies" not in [chart.id for chart in KIND.charts(entry_of(part), FACTS, found)]


def test_percentiles_that_fall_are_no_latencies() -> None:
    times = drawn(8e6, 4000)
    reads = summed_up(times, (50.0, 99.0))
    reads["summary"]["percentile_ns"].reverse()
    found = KIND.extract(entry_of(series(times) | {"reads": reads}), FACTS)
    assert not [m for m in found.measurements if m.metric == "random_io.latency_median"]


def _equally_long(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "requests": one["requests"][: len(one["low_ns"])]}


def disturbed_in(slices: int, of: int = 20) -> Extraction:
    part = series([8_000_000 + 1000 * k for k in range(2000)])
    marks = [1] * slices + [0] * (of - slices)
    part["slices"]["disturbed"] = marks
    return KIND.extract(entry_of(part), FACTS)


def test_latencies_of_all_requests_are_called_fair_where_a_stretch_of_time_was_disturbed() -> None:
    scope = "read/4096/p1"
    quiet, one_slice, most = (disturbed_in(slices) for slices in (0, 1, 11))
    for name in ("latency_median", "latency_p99", "latency_variation"):
        assert one(quiet, name, scope).quality is Quality.GOOD
        assert one(one_slice, name, scope).quality is Quality.FAIR
        assert one(one_slice, name, scope).reason.startswith("5% of the requests fell into stretches")
        assert one(most, name, scope).quality is Quality.POOR


def test_a_rate_that_was_disturbed_all_the_time_is_poor_and_one_of_the_quiet_stretches_is_not() -> None:
    assert one(disturbed_in(20), "iops", "read/4096/p1").quality is Quality.POOR
    assert one(disturbed_in(1), "iops", "read/4096/p1").quality is Quality.GOOD


counts = st.integers(0, 1_000_000)
times = st.integers(0, 2_592_000_000_000_000)
summaries = st.lists(st.tuples(st.integers(1, 999_999), st.integers(1, 10**15)), max_size=6).flatmap(
    lambda rows: st.fixed_dictionaries(
        {
            "requests": st.integers(1, 1_000_000),
            "deviation_ns": times,
            "per_million": st.just([row[0] for row in rows]) | st.just(sorted({row[0] for row in rows})),
            "percentile_ns": st.just([row[1] for row in rows]) | st.just(sorted(row[1] for row in rows)),
        }
    )
)
latencies = st.none() | st.fixed_dictionaries(
    {
        "low_ns": st.lists(times, max_size=6),
        "requests": st.lists(st.integers(1, 1_000_000), min_size=6, max_size=6),
        "total_ns": st.integers(0, 9_007_199_254_740_991),
        "minimum_ns": times,
        "maximum_ns": times,
    },
    optional={"summary": summaries},
).map(_equally_long)


@settings(max_examples=80, deadline=None)
@given(
    reads=latencies,
    writes=latencies,
    rest=st.fixed_dictionaries(
        {
            "requests": st.integers(1, 1_000_000),
            "failed_requests": counts,
            "elapsed_ns": times,
            "steady_requests": counts,
            "steady_ns": times,
            "slices": st.lists(st.tuples(st.integers(1, 1_000_000), times), max_size=25).map(
                lambda rows: {"requests": [row[0] for row in rows], "elapsed_ns": [row[1] for row in rows]}
            ),
            "processors": st.none()
            | st.fixed_dictionaries(dict.fromkeys(("idle_ns", "user_ns", "system_ns", "iowait_ns"), counts)),
        }
    ),
)
def test_whatever_the_schema_allows_is_answered_with_finite_numbers_or_reasons(
    reads: Any, writes: Any, rest: dict[str, Any]
) -> None:
    part = series([1000], **rest) | {"reads": reads, "writes": writes, "variant": "mixed"}
    entry = entry_of(part, part | {"concurrency": 8})
    found = KIND.extract(entry, FACTS)
    KIND.charts(entry, FACTS, found)
    json.dumps(dict(found.details), allow_nan=False)
    for m in found.measurements:
        assert all(number is None or math.isfinite(number) for number in (m.value, m.low, m.high)), m
        assert (m.value is None) == (m.quality is Quality.NONE)
        assert m.value is not None or m.reason
        assert m.low is None or m.value is None or m.high is None or m.low <= m.value <= m.high
