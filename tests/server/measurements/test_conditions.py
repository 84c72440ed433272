"""Unlike runs are never averaged silently: a model's statistics say what the runs differ in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from server.core.lifecycle import Provenance
from server.measurements.conditions import differing_of, differing_words
from server.measurements.models import Aggregate, Run
from server.model_stats.statistics import drive_statistics
from server.submissions.models import Submission
from tests.support.documents import document, skippy_part

pytestmark = pytest.mark.django_db
BRIDGE = {
    "usb_vendor_id": "152d",
    "usb_product_id": "0578",
    "vendor": "Sample",
    "product": "Bridge",
    "driver": "uas",
    "pass_through": "ata16",
}


@pytest.fixture
def publish(
    submit: Callable[..., Submission], run_jobs: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Publish one run with a host and device of its own."""
    monkeypatch.setattr("django.db.transaction.on_commit", lambda call, **_: call())

    def one(kernel: str | None = None, cache: bool | None = False, **device: Any) -> None:
        # No two runs are alike, or the second one is held as a copy.
        run = document(skippy_part(steps=150 + Submission.objects.count()), **device)
        run["host"]["kernel"] = kernel
        run["conditions"]["write_cache_during"] = cache
        submit(run)
        run_jobs()

    return one


def differing() -> dict[str, dict[str, int]]:
    run = Run.objects.latest("created_at")
    statistics = drive_statistics(drive_model=run.drive_model, provenance=Provenance.PROBE)
    assert statistics is not None
    return {name: dict(states) for name, states in statistics.differing.items()}


def test_like_runs_differ_in_nothing(publish: Callable[..., None]) -> None:
    publish("Linux 6.1.0-13-amd64", firmware="S1")
    publish("Linux 6.1.22", firmware="S1", unit_digest="cd" * 32)
    assert differing() == {}


def test_firmware_bridge_kernel_and_cache_are_told_with_their_runs(publish: Callable[..., None]) -> None:
    publish("Linux 6.1.0", firmware="S1", interface="ata", link_speed_bits_per_s=6_000_000_000)
    publish("Linux 6.1.0", firmware="S1", interface="ata", link_speed_bits_per_s=6_000_000_000)
    publish("Linux 6.12.3", cache=True, firmware="S2", interface="usb", bridge=BRIDGE)
    assert differing() == {
        "firmware": {"S1": 2, "S2": 1},
        "interface": {"ata": 2, "usb": 1},
        "bridge": {"none": 2, "Sample Bridge (152d:0578)": 1},
        "kernel": {"Linux 6.1": 2, "Linux 6.12": 1},
        "write_cache": {"off": 2, "on": 1},
    }
    # The one that differs in its bridge and cache is no part of the other two's median.
    row = Aggregate.objects.get(metric="skippy.longest")
    assert (row.n, row.differing, len(row.strata)) == (2, {}, 1)


def test_what_was_not_told_is_counted_but_is_no_difference_of_its_own() -> None:
    assert differing_of([{"firmware": "S1"}, {"firmware": ""}]) == {}
    found = differing_of([{"firmware": "S1"}, {"firmware": ""}, {"firmware": "S2"}, {"firmware": "S2"}])
    assert found == {"firmware": {"S2": 2, "": 1, "S1": 1}}
    assert differing_words(found, 4) == "4 runs under 2 firmware revisions (S2: 2, not told: 1, S1: 1)"


def test_many_states_are_not_all_listed() -> None:
    found = differing_of([{"kernel": f"Linux 6.{n}"} for n in range(9)])
    assert differing_words(found, 9) == (
        "9 runs under 9 kernels (Linux 6.0: 1, Linux 6.1: 1, Linux 6.2: 1, Linux 6.3: 1, 5 more)"
    )
    assert differing_words({}, 3) == ""
