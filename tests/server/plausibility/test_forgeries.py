"""Forged runs through the whole pipeline: each is held, and by which check. What is not caught is stated too.

Every forgery starts from a golden run, claimed to be a real disk's, with the jitter of a real machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from server.benchmarks.registry import KINDS
from server.catalog.models import DriveModel
from server.core.lifecycle import State
from server.plausibility.models import CheckResult
from server.submissions.models import Submission
from tests.contract.golden import golden_of
from tests.support import forging
from tests.support.machines import through_machine

pytestmark = pytest.mark.django_db
Judge = Callable[[dict[str, Any]], tuple[str, dict[str, str]]]
MACHINE_NS = 2_000.0
CARRYING = (
    "skippy",
    "seeker",
    "zoned",
    "access",
    "random_io",
    "sync_write",
    "positional",
    "bandwidth",
)


@pytest.fixture
def judge(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Judge:
    """Submit a document, run its jobs, return the state and the words of the checks that hold it."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def judged(content: dict[str, Any]) -> tuple[str, dict[str, str]]:
        submission = submit(content)
        run_jobs()
        submission.refresh_from_db()
        held = submission.run.check_results.filter(outcome=CheckResult.Outcome.QUARANTINED)
        return submission.state, {row.check_key: row.words for row in held}

    return judged


def measured(kind: str, **device: Any) -> dict[str, Any]:
    """A golden run as a real disk would have given it."""
    content = golden_of(kind).document()
    return forging.noisy(forging.claimed_real(content, **device), MACHINE_NS)


@pytest.mark.parametrize("kind", [kind.slug for kind in KINDS])
def test_the_run_that_forgeries_start_from_is_published(judge: Judge, kind: str) -> None:
    assert judge(measured(kind)) == (State.PUBLISHED, {})


@pytest.mark.parametrize("kind", CARRYING)
def test_constant_latencies_are_held_whatever_the_kind(judge: Judge, kind: str) -> None:
    state, held = judge(forging.constant(measured(kind)))
    assert state == State.QUARANTINED
    assert "times_alike" in held


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "turn_in_walks"),
        ("seeker", "turn_in_walks"),
        ("access", "wait_of_scattered"),
        ("random_io", "wait_of_scattered"),
    ],
)
def test_constant_latencies_with_a_machine_s_jitter_are_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.jittered(forging.constant(measured(kind)), MACHINE_NS))
    assert state == State.QUARANTINED
    assert check in held


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "turn_in_walks"),
        ("seeker", "turn_in_teeth"),
        ("zoned", "rate_by_place"),
        ("access", "longer_way"),
        ("random_io", "longer_way"),
        ("bandwidth", "link_rate"),
    ],
)
def test_latencies_from_a_normal_distribution_are_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.normal(measured(kind)))
    assert state == State.QUARANTINED
    assert check in held


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "turn_in_walks"),
        ("seeker", "turn_in_walks"),
        ("zoned", "rate_by_place"),
        ("access", "longer_way"),
        ("random_io", "longer_way"),
    ],
)
def test_real_latencies_in_another_order_are_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.shuffled(measured(kind)))
    assert state == State.QUARANTINED
    assert check in held


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "rotation_rate"),
        ("seeker", "turn_in_teeth"),
        ("sync_write", "turn_in_writes"),
        ("access", "sample_time"),
        ("positional", "sample_time"),
        ("random_io", "buckets"),
    ],
)
def test_a_run_scaled_by_nine_tenths_is_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.scaled(measured(kind)))
    assert state == State.QUARANTINED
    assert check in held


@pytest.mark.parametrize("kind", ["zoned", "bandwidth"])
def test_scaled_rates_alone_are_not_caught_for_a_model_s_first_unit(judge: Judge, kind: str) -> None:
    assert judge(forging.scaled(measured(kind))) == (State.PUBLISHED, {})


def test_a_scaled_run_is_not_caught_where_nobody_knows_how_fast_the_disk_turns(judge: Judge) -> None:
    assert judge(forging.scaled(measured("seeker", rotation_rate_rpm=None))) == (State.PUBLISHED, {})


def test_a_scaled_run_is_held_where_the_catalogue_knows_how_fast_the_disk_turns(judge: Judge) -> None:
    judge(measured("zoned", rotation_rate_rpm=None, model="SAMPLE-S"))
    DriveModel.objects.update(rated_rpm=7200)
    content = measured("seeker", rotation_rate_rpm=None, model="SAMPLE-S")
    state, held = judge(forging.scaled(content))
    assert (state, list(held)) == (State.QUARANTINED, ["turn_in_teeth"])


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "turn_in_walks"),
        ("seeker", "turn_in_walks"),
        ("access", "wait_of_scattered"),
        ("random_io", "wait_of_scattered"),
        ("zoned", "medium_rate"),
    ],
)
def test_solid_state_samples_under_a_disk_s_name_are_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.solid_state(measured(kind)))
    assert state == State.QUARANTINED
    assert check in held


def test_a_device_that_says_it_does_not_turn_is_held_under_the_name_of_one_that_does(judge: Judge) -> None:
    judge(measured("zoned", model="SAMPLE-D"))
    DriveModel.objects.update(rated_rpm=7200)
    content = measured("seeker", model="SAMPLE-D", rotation_rate_rpm=None)
    content["device"]["rotational"]["value"] = False
    state, held = judge(forging.solid_state(content))
    assert (state, list(held)) == (State.QUARANTINED, ["device_kind"])


def test_one_drive_s_samples_under_another_s_name_are_held_for_capacity_and_rotation(judge: Judge) -> None:
    judge(measured("zoned", model="SAMPLE-N"))
    DriveModel.objects.update(curated=True, capacity_bytes=4_000_000_000, rated_rpm=5400)
    state, held = judge(measured("skippy", model="SAMPLE-N", rotation_rate_rpm=None))
    assert state == State.QUARANTINED
    assert {"capacity", "rotation_rate"} <= held.keys()


def test_a_smaller_drive_s_samples_under_a_larger_one_s_name_are_held(judge: Judge) -> None:
    content = measured("zoned")
    content["device"]["capacity_bytes"] *= 2
    state, held = judge(content)
    assert (state, list(held)) == (State.QUARANTINED, ["coverage"])


def test_a_bandwidth_above_the_link_is_held(judge: Judge) -> None:
    state, held = judge(forging.scaled(measured("zoned", link_speed_bits_per_s=1_500_000_000), 0.01))
    assert state == State.QUARANTINED
    assert "link_rate" in held


def test_a_bandwidth_above_every_link_of_its_kind_is_held_where_the_link_is_not_known(judge: Judge) -> None:
    state, held = judge(forging.scaled(measured("zoned", interface="ata"), 0.005))
    assert state == State.QUARANTINED
    assert "link_rate" in held


def test_a_rotation_that_disagrees_with_the_rated_one_is_held(judge: Judge) -> None:
    state, held = judge(measured("skippy", rotation_rate_rpm=5400))
    assert state == State.QUARANTINED
    assert "5400 rpm" in held["rotation_rate"]


def test_samples_whose_sum_exceeds_the_elapsed_time_are_held(judge: Judge) -> None:
    content = measured("seeker")
    content["benchmarks"][0]["elapsed_ns"] //= 4
    state, held = judge(content)
    assert (state, list(held)) == (State.QUARANTINED, ["sample_sum"])


@pytest.mark.parametrize("kind", CARRYING)
def test_the_same_samples_under_a_new_run_id_are_held(judge: Judge, kind: str) -> None:
    content = measured(kind)
    assert judge(content)[0] == State.PUBLISHED
    state, held = judge(forging.renewed(content, unit_digest="cd" * 32, model="Another name"))
    assert state == State.QUARANTINED
    assert content["run_id"] in held["samples_new"]


@pytest.mark.parametrize("kind", CARRYING)
def test_a_simulated_run_that_comes_again_as_a_disk_s_is_held(judge: Judge, kind: str) -> None:
    content = golden_of(kind).document()
    assert judge(content) == (State.PUBLISHED, {})
    _state, held = judge(forging.renewed(forging.claimed_real(content)))
    assert content["run_id"] in held.get("samples_new", "")


def test_a_copy_with_a_little_noise_is_held(judge: Judge) -> None:
    content = measured("seeker")
    judge(content)
    state, held = judge(forging.jittered(content, 40.0))
    assert (state, list(held)) == (State.QUARANTINED, ["samples_new"])


def test_a_copy_with_as_much_noise_as_two_measurements_differ_by_is_not_caught(judge: Judge) -> None:
    content = measured("seeker")
    judge(content)
    assert judge(forging.jittered(content, 5_000.0)) == (State.PUBLISHED, {})


def test_a_repeat_that_is_a_copy_of_another_one_is_held(judge: Judge) -> None:
    content = measured("skippy")
    series = content["benchmarks"][0]["samples"]["series"]
    rows = [one for one in series if one["pattern"] == "increasing" and one["variant"] == "write"]
    first, second = rows[0], rows[1]
    shortest = min(len(first["latency_ns"]), len(second["latency_ns"]))
    for row in (first, second):
        for name in [key for key, value in row.items() if isinstance(value, list)]:
            row[name] = row[name][:shortest]
    second["latency_ns"] = list(first["latency_ns"])
    second["start_ns"] = list(first["start_ns"])
    state, held = judge(content)
    assert (state, list(held)) == (State.QUARANTINED, ["repeats_differ"])


# ---- Forgeries of whole runs: what one kind says of another.

ONE_DRIVE = ("skippy", "seeker", "zoned", "positional", "random_io", "bandwidth")
"""Kinds whose golden runs are of one simulated unit, so that they make one honest run."""


def whole_run(*kinds: str, **device: Any) -> dict[str, Any]:
    """The golden runs of some kinds as one run of a real disk."""
    return forging.together(*(measured(kind, **device) for kind in kinds or ONE_DRIVE))


def test_the_whole_run_that_forgeries_start_from_is_published(judge: Judge) -> None:
    assert judge(whole_run()) == (State.PUBLISHED, {})


def test_a_whole_run_on_a_clock_scaled_by_0_955_is_held(judge: Judge) -> None:
    state, held = judge(forging.scaled(whole_run(), 0.955))
    assert state == State.QUARANTINED
    assert {"rotation_rate", "turn_in_teeth"} <= held.keys()


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("skippy", "rotation_rate"),
        ("seeker", "turn_in_teeth"),
        ("sync_write", "turn_in_writes"),
        ("access", "sample_time"),
        ("positional", "sample_time"),
    ],
)
def test_a_kind_on_a_clock_scaled_by_0_955_is_held(judge: Judge, kind: str, check: str) -> None:
    state, held = judge(forging.scaled(measured(kind), 0.955))
    assert state == State.QUARANTINED
    assert check in held


def test_a_rated_rotation_that_was_scaled_with_the_clock_is_held(judge: Judge) -> None:
    state, held = judge(forging.scaled(measured("skippy", rotation_rate_rpm=7539), 0.955))
    assert (state, list(held)) == (State.QUARANTINED, ["rated_rotation"])


def test_a_rating_that_its_vendor_sells_as_a_class_is_held_against_what_such_drives_turn_at(
    judge: Judge,
) -> None:
    sold_as_a_class = {"vendor": "WDC", "model": "WD-SAMPLE", "rotation_rate_rpm": 5400}
    assert judge(whole_run("skippy", "seeker", **sold_as_a_class)) == (State.PUBLISHED, {})


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("kind", ["skippy", "seeker", "zoned", "access", "sync_write"])
def test_a_run_whose_slower_half_is_marked_as_disturbed_is_held(
    judge: Judge, kind: str, counted: bool
) -> None:
    state, held = judge(forging.slower_half_marked(measured(kind), counted=counted))
    assert state == State.QUARANTINED
    assert "marks_counted" in held


@pytest.mark.parametrize("seed", range(6))
def test_long_stretches_that_others_met_on_a_busy_machine_are_no_choice_by_time(
    judge: Judge, seed: int
) -> None:
    state, held = judge(through_machine(measured("fluctuation"), "busy", seed))
    assert (state, held) == (State.PUBLISHED, {})


def test_long_stretches_that_were_chosen_by_time_are_held(judge: Judge) -> None:
    state, held = judge(forging.slower_half_marked(measured("fluctuation"), counted=True))
    assert (state, list(held)) == (State.QUARANTINED, ["marks_counted"])


def test_random_requests_at_the_speed_of_a_cache_are_held(judge: Judge) -> None:
    state, held = judge(forging.random_from_cache(measured("random_io")))
    assert (state, list(held)) == (State.QUARANTINED, ["request_rate"])


def test_tracks_of_a_drive_with_rates_times_1_4_are_held(judge: Judge) -> None:
    state, held = judge(forging.rates_times(whole_run("skippy", "zoned"), "zoned"))
    assert (state, list(held)) == (State.QUARANTINED, ["track_and_rate"])


def test_rates_of_a_whole_run_times_1_4_are_held(judge: Judge) -> None:
    state, held = judge(forging.rates_times(whole_run("zoned", "positional"), "zoned"))
    assert (state, list(held)) == (State.QUARANTINED, ["rates_agree"])


def test_positional_rates_of_lengths_times_1_4_are_held(judge: Judge) -> None:
    state, held = judge(forging.lengths_times(whole_run("zoned", "positional"), "positional"))
    assert (state, list(held)) == (State.QUARANTINED, ["rates_agree"])


@pytest.mark.parametrize(
    "invented",
    [
        lambda times: np.where(times > np.median(times), 40, 20),
        lambda times: np.random.default_rng(20260103).normal(30, 8, times.size),
        lambda times: 45 + 8 * np.sin(np.arange(times.size) / 12),
    ],
    ids=["by sample", "drawn", "smooth but not the sensor's"],
)
def test_an_invented_column_of_temperatures_is_held(judge: Judge, invented: forging.Change) -> None:
    state, held = judge(forging.temperatures(measured("temperature"), invented))
    assert (state, list(held)) == (State.QUARANTINED, ["warms_slowly"])


def test_a_composite_of_two_units_of_one_model_is_held(judge: Judge) -> None:
    other = forging.scaled(measured("seeker"), 1.0005)
    other["benchmarks"][0]["params"]["rotation_estimate_ns"] += 4_200
    state, held = judge(forging.together(measured("skippy"), other))
    assert (state, list(held)) == (State.QUARANTINED, ["one_spindle"])


def test_a_composite_of_two_models_is_held(judge: Judge) -> None:
    slow = forging.rates_times(measured("zoned"), "zoned", 0.5)
    state, held = judge(forging.together(measured("positional"), slow))
    assert (state, list(held)) == (State.QUARANTINED, ["rates_agree"])


def test_a_composite_of_published_runs_is_held(judge: Judge) -> None:
    first, second = measured("skippy"), measured("zoned", unit_digest="cd" * 32)
    assert judge(first)[0] == judge(second)[0] == State.PUBLISHED
    state, held = judge(forging.together(first, second))
    assert (state, list(held)) == (State.QUARANTINED, ["samples_new"])


def test_random_reads_faster_than_the_seeks_of_the_run_allow_are_held(judge: Judge) -> None:
    _state, held = judge(forging.rates_times(whole_run("seeker", "random_io"), "random_io", 1.8))
    assert "access_and_seek" in held
