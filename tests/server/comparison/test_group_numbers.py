"""The numbers behind a group: what stands for it where its runs were made under several conditions."""

from __future__ import annotations

import pytest

from server.comparison.group_numbers import group_numbers, group_profiles
from server.measurements.groups import group_get
from server.measurements.models import Measurement, Run
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db
BRIDGE = {"vendor": "Acme", "product": "Bridge"}


def run_of(unit: int, rate: float, *, bridged: bool = False, places: tuple[str, ...] = ("0", "50")) -> Run:
    """A run of a unit that has the same rate at some places of the device."""
    run = measured(unit, rate)
    run.summary["device"] |= {"interface": "usb", "bridge": BRIDGE} if bridged else {"interface": "ata"}
    run.save()
    benchmark = run.benchmarks.get(kind="zoned")
    for place in places:
        Measurement.objects.create(
            benchmark=benchmark,
            extractor_version=benchmark.extractor_version,
            metric="zoned.rate",
            scope=f"read/{place}",
            value=rate,
            count=1,
            quality="good",
            reason="",
        )
    return run


def test_a_curve_is_of_the_conditions_of_most_units_as_a_number_is() -> None:
    for unit, rate in enumerate((100.0, 104.0)):
        run = run_of(unit, rate)
    for _again in range(3):
        run_of(2, 30.0, bridged=True)
    group = group_get(run.drive_model.slug)
    found = group_profiles(group)
    assert sorted(found["zoned.rate", "read/0"].values()) == [100.0, 104.0]
    sample = group_numbers(group, ["zoned.outer_bandwidth"]).samples["zoned.outer_bandwidth", ""]
    assert sorted(sample.unit_means().values()) == [100.0, 104.0]


def test_a_curve_is_under_one_set_of_conditions_from_end_to_end() -> None:
    """Though at one of its places more units were measured under others."""
    for unit, rate in enumerate((100.0, 104.0, 108.0)):
        run = run_of(unit, rate, places=("0", "50"))
    for unit in (3, 4):
        run_of(unit, 30.0, bridged=True, places=("50", "100"))
    found = group_profiles(group_get(run.drive_model.slug))
    assert {scope for _metric, scope in found} == {"read/0", "read/50"}
    assert {value for units in found.values() for value in units.values()} == {100.0, 104.0, 108.0}


def test_a_units_runs_make_one_value_at_each_place() -> None:
    run_of(0, 100.0)
    run = run_of(0, 110.0)
    run_of(1, 120.0)
    found = group_profiles(group_get(run.drive_model.slug))
    assert sorted(found["zoned.rate", "read/50"].values()) == [105.0, 120.0]
