"""What a coarse clock gave holds what a fine one gave, whichever kind it is, or says that it can't tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from server.benchmarks.clock_step import Times, _with_times, extraction_by_steps, step_ns
from server.benchmarks.contract import Extraction, Facts, Kind, Measurement, MetricKey, Quality
from server.benchmarks.registry import KINDS
from tests.contract.golden import facts_of, golden_of
from tests.support.kinds import measurement

"""A clock of 32,768 steps a second, as that of some small boards, and of a kernel without a better one."""
STEPS_NS = (1e9 / 32768, 1e6)
FACTS = Facts(block_bytes=512, capacity_bytes=10**12)
QUICK = [kind for kind in KINDS if kind.slug != "skippy"]
"""SKIPPY takes a minute here. It was tried once, with either step, and held."""


def counted(step: float) -> Any:
    """Return what times become by a clock that counts in steps and began at any moment within one."""
    random = np.random.default_rng(3)

    def change(times: Times) -> Times:
        begun = random.uniform(0, step, len(times))
        return np.rint(np.floor((times + begun) / step) * step).astype(np.int64)

    return change


def entry_of(times: list[int], **more: Any) -> dict[str, Any]:
    return {"samples": {"series": [{"offset_blocks": list(range(len(times))), "latency_ns": times, **more}]}}


def numbers(found: Extraction) -> dict[MetricKey, Measurement]:
    return {(one.metric, one.scope): one for one in found.measurements}


def ends(one: Measurement) -> tuple[float, float]:
    assert one.value is not None
    low, high = (one.value if end is None else end for end in (one.low, one.high))
    return low - 1e-9 * abs(low), high + 1e-9 * abs(high)


@pytest.mark.parametrize("step", STEPS_NS)
@pytest.mark.parametrize("kind", QUICK, ids=[kind.slug for kind in QUICK])
def test_what_a_coarse_clock_gave_holds_what_a_fine_one_gave(kind: Kind, step: float) -> None:
    document = golden_of(kind.slug).document()
    part = next(one for one in document["benchmarks"] if one["kind"] == kind.slug)
    coarse, facts = _with_times(part, counted(step)), facts_of(document)
    fine = numbers(kind.extract(part, facts))
    missed = []
    for key, one in numbers(extraction_by_steps(kind.extract, coarse, facts)).items():
        if one.quality in (Quality.GOOD, Quality.FAIR) and key in fine and fine[key].value is not None:
            (low, high), (least, most) = ends(one), ends(fine[key])
            missed += [] if low <= most and least <= high else [(one, fine[key])]
    assert missed == []


def test_a_step_is_found_in_all_columns_of_times_together() -> None:
    assert step_ns(entry_of([4000 * k for k in range(2, 90, 3)], start_ns=[7] * 30)["samples"]) == 1
    many = entry_of([4000 * k for k in range(2, 200, 3)], fastest_ns=[2000 * k + 8000 for k in range(66)])
    assert step_ns(many["samples"]) == 2000


def test_a_step_of_a_part_of_a_nanosecond_is_found() -> None:
    random = np.random.default_rng(1)
    times = np.rint(random.integers(300_000, 300_400, 200) * (1e9 / 32768)).astype(int).tolist()
    assert step_ns(entry_of(times)["samples"]) == pytest.approx(30517, abs=1)


def test_times_of_a_fine_clock_have_no_step() -> None:
    times = np.random.default_rng(2).integers(10**6, 10**7, 2000).tolist()
    assert step_ns(entry_of(times)["samples"]) < 1000


def test_few_times_or_few_values_tell_of_no_step() -> None:
    assert step_ns(entry_of([5_000_000 * (1 + k % 2) for k in range(400)])["samples"]) == 1
    assert step_ns(entry_of([5_000_000 * k for k in range(1, 20)])["samples"]) == 1
    assert step_ns(entry_of([])["samples"]) == 1


def of_mean(entry: Mapping[str, Any], _facts: Facts) -> Extraction:
    times = np.array(entry["samples"]["series"][0]["latency_ns"]) / 1e6
    mean, deviation = float(times.mean()), float(times.std())
    return Extraction(
        (
            measurement("a.mean", mean, low=mean - 0.001, high=mean + 0.001),
            measurement("a.rate", 1 / mean, low=0.9 / mean, high=1.1 / mean),
            measurement("a.deviation", deviation, low=0.99 * deviation, high=1.01 * deviation),
        )
    )


def test_a_number_reaches_as_far_as_a_step_matters_and_is_poor_where_it_is_not_told() -> None:
    times = [100_000_000 + 1_000_000 * (k % 5) for k in range(200)]
    mean, rate, deviation = extraction_by_steps(of_mean, entry_of(times), FACTS).measurements
    assert mean.quality is Quality.FAIR and "steps of 1000 µs" in mean.reason
    assert (mean.low, mean.high) == pytest.approx((101.0, 103.0))
    assert rate.quality is Quality.GOOD, "its own interval holds a step and more"
    assert deviation.quality is Quality.FAIR and deviation.low is not None and deviation.low < 1.38
    times = [1_000_000 * (k % 5) for k in range(200)]
    short, _rate, _deviation = extraction_by_steps(of_mean, entry_of(times), FACTS).measurements
    assert short.quality is Quality.POOR and "too coarse" in short.reason
