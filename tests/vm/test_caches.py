"""Write caches through a real kernel: ATA SET FEATURES, SCSI MODE SELECT and NVMe Set Features.

How a cache stands is what the emulator says of its own disk, and not what the probe or the kernel says.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.vm.commands import SIGNALS
from tests.vm.conftest import BOOTS_S, Day, by_model

pytestmark = pytest.mark.timeout(BOOTS_S)

DISKS = tuple(SIGNALS)
MODELS = {"ata": "SAMPLE ATA DISK WITH A LONG NAME", "scsi": "SCSI DISK", "nvme": "QEMU NVMe Ctrl"}
ENDED = [(disk, signal) for disk, signals in SIGNALS.items() for signal in signals]


def states(day: Day, part: str) -> tuple[bool | None, ...]:
    """How the write cache stood before, during and after, as the document says."""
    conditions: dict[str, Any] = day.first.parsed(f"document {part}")["conditions"]
    return tuple(conditions.get(f"write_cache_{when}") for when in ("before", "during", "after"))


@pytest.mark.parametrize("disk", DISKS)
def test_a_run_states_the_cache_before_during_and_after_and_leaves_it_on(day: Day, disk: str) -> None:
    assert states(day, f"whole {disk}") == (True, False, True)
    document = day.first.parsed(f"document whole {disk}")
    assert document["benchmarks"][0]["caches"]["write"] is False
    assert document["benchmarks"][0]["caches"]["instead"] is None
    assert day.first.write_caches[f"whole {disk}"][disk] is True


@pytest.mark.parametrize(("disk", "signal"), ENDED)
def test_a_run_that_is_ended_puts_the_cache_back(day: Day, disk: str, signal: str) -> None:
    name = f"{signal} {disk}"
    assert day.first.write_caches[f"before {name}"][disk] is False
    assert day.first.parts[name].startswith("exit 1\n")
    assert day.first.write_caches[f"after {name}"][disk] is True
    assert day.first.parsed(f"document {name}")["conditions"]["interrupted"] is True
    assert states(day, name)[2] is True


@pytest.mark.parametrize("disk", DISKS)
def test_a_panic_puts_the_cache_back(day: Day, disk: str) -> None:
    printed = day.first.parts[f"panic {disk}"]
    assert "a panic in bandwidth, as it was asked for" in printed and "exit 101" in printed
    assert day.first.write_caches[f"panic {disk}"][disk] is True


@pytest.mark.parametrize("disk", DISKS)
def test_what_a_killed_run_left_is_said_and_then_put_back(day: Day, disk: str) -> None:
    first = day.first
    left = "a run that was killed left the write cache off"
    assert first.write_caches[f"killed {disk}"][disk] is False, "nobody can put it back meanwhile"
    notes = by_model(first, f"killed {disk}")[MODELS[disk]]["notes"]
    assert any(left in note for note in notes), notes
    # A run that only reads says so, switches nothing and states what it found.
    assert left in first.parts[f"read {disk}"]
    assert first.write_caches[f"read {disk}"][disk] is False
    assert states(day, f"read {disk}") == (False, False, False)
    # Resumed (SCSI) or measured anew (the others): on again first, and stated as before the killed run.
    assert f"{left}; it is on again, as before that run" in first.parts[f"mended {disk}"]
    assert first.write_caches[f"mended {disk}"][disk] is True
    assert states(day, f"mended {disk}") == (True, False, True)


@pytest.mark.parametrize("disk", DISKS)
def test_while_a_run_is_under_way_nobody_calls_its_switch_left_behind(day: Day, disk: str) -> None:
    assert day.first.write_caches[f"running {disk}"][disk] is False
    notes = by_model(day.first, f"running {disk}")[MODELS[disk]]["notes"]
    assert not [note for note in notes if "killed" in note]


def test_a_resumed_run_switches_the_cache_again_where_it_goes_on(day: Day) -> None:
    assert day.first.write_caches["goes on scsi"]["scsi"] is False


def test_a_kind_that_measures_with_both_states_states_none_for_the_whole(day: Day) -> None:
    entry = day.first.parsed("document both")["benchmarks"][0]
    assert entry["caches"]["write"] is None
    assert {series["write_cache"] for series in entry["samples"]["series"]} == {True, False}
    assert states(day, "both") == (True, None, True)
    assert "Switch it off" not in day.first.parts["both"]
    assert day.first.write_caches["both"]["scsi"] is True


def test_caches_that_are_to_be_kept_are_kept_and_the_document_says_what_was_wanted(day: Day) -> None:
    entry = day.first.parsed("document keep")["benchmarks"][0]
    assert entry["caches"]["write"] is True
    assert entry["caches"]["instead"] == "the write cache was wanted off: this run was not to switch caches"
    assert states(day, "keep") == (True, True, True)


def test_a_disk_whose_cache_is_switched_is_the_only_one(day: Day) -> None:
    for moment, caches in day.first.write_caches.items():
        off = [disk for disk, on in caches.items() if not on]
        assert len(off) <= 1, moment
