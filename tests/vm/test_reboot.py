"""A run that was killed, the machine switched off, and the run gone on with after the next boot."""

from __future__ import annotations

import pytest

from tests.vm.conftest import BOOTS_S, Day

pytestmark = pytest.mark.timeout(BOOTS_S)


def test_the_disk_that_is_gone_on_with_has_another_name_after_the_second_boot(day: Day) -> None:
    # The kernel meets disks side by side: which names the other ones get is not told beforehand. The shell's
    # word on the killed run may stand below.
    first, second = (record.parts["names"].splitlines()[0].split() for record in (day.first, day.second))
    assert len(first) == len(second) == 2
    assert first[0] != second[0]


def test_another_disk_is_refused_and_nothing_of_it_is_switched(day: Day) -> None:
    said = day.second.parts["other"]
    assert "is not the disk that this run was measuring" in said and "exit 2" in said
    assert all(day.second.write_caches["other"].values())


def test_the_same_disk_is_found_under_its_new_name_and_the_run_becomes_whole(day: Day) -> None:
    assert day.first.write_caches["left ata"]["ata"] is False, "killed with the cache off"
    assert "exit 0" in day.second.parts["resumed"]
    document = day.second.parsed("document resumed")
    assert document["device"]["model"] == "SAMPLE ATA DISK WITH A LONG NAME"
    conditions = document["conditions"]
    assert conditions["interrupted"] is False
    assert [interruption["kind"] for interruption in conditions["interruptions"]] == ["bandwidth"]
    assert (conditions["write_cache_before"], conditions["write_cache_during"]) == (True, False)
    assert day.second.write_caches["resumed"]["ata"] is True
    entry = document["benchmarks"][0]
    assert {series["repeat"] for series in entry["samples"]["series"]} == {0, 1, 2}


def test_nothing_remains_of_the_journal(day: Day) -> None:
    remains = day.second.parts["remains"].split()
    assert "run.json" in remains and "run.json.journal" not in remains
