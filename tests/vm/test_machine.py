"""What the static probe says of emulated disks, on a system with nothing else in it: `make test-vm`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.vm.conftest import BOOTS_S, Day, by_model

pytestmark = pytest.mark.timeout(BOOTS_S)

SECRETS = ("SATA0001", "SCSI0001", "NVME0001", "5000c5000000000", "5000C5000000000")
"""Serial numbers, and the part that the WWNs have in common."""

Disks = dict[str, dict[str, Any]]


def test_an_ata_disk_tells_its_whole_name_rate_link_and_caches(disks: Disks) -> None:
    disk = disks["SAMPLE ATA DISK WITH A LONG NAME"]
    assert (disk["interface"], disk["vendor"], disk["rotation_rate_rpm"]) == ("ata", None, 7200)
    assert disk["firmware"] == "1.2"
    assert disk["has_serial"] and disk["has_wwn"]
    assert disk["write_cache"] == {"current": True, "changeable": True, "default": None, "saved": None}
    assert disk["link_speed_bits_per_s"] == 1_500_000_000
    assert disk["temperature_celsius"] is not None
    assert disk["hba"]["driver"] == "ahci"


def test_a_scsi_disk_tells_current_changeable_and_default_values(disks: Disks) -> None:
    disk = disks["SCSI DISK"]
    assert (disk["interface"], disk["vendor"], disk["rotation_rate_rpm"]) == ("scsi", "SAMPLE", 15_000)
    assert disk["firmware"] == "3.4"
    assert disk["has_serial"] and disk["has_wwn"]
    write = disk["write_cache"]
    assert (write["current"], write["changeable"], write["default"]) == (True, True, True)


def test_an_nvme_disk_tells_its_temperature_and_cache_and_does_not_turn(disks: Disks) -> None:
    disk = disks["QEMU NVMe Ctrl"]
    assert (disk["interface"], disk["write_cache"]["current"]) == ("nvme", True)
    assert disk["has_serial"] and disk["temperature_celsius"] is not None
    assert (disk["rotation_rate_rpm"], disk["kernel_says_rotational"]) == (None, False)


def test_look_ahead_is_not_switchable_where_the_disk_says_that_it_is_not(disks: Disks) -> None:
    # The emulated ATA disk has no look-ahead in its IDENTIFY data; the SCSI disks' mode page has it fixed.
    states = {
        model: disks[model]["look_ahead"] for model in ("SAMPLE ATA DISK WITH A LONG NAME", "SCSI DISK")
    }
    assert [state["changeable"] for state in states.values()] == [False, False]
    assert [state["current"] for state in states.values()] == [False, True]


def test_disks_behind_usb_bridges_name_the_bridge(disks: Disks) -> None:
    for model, driver in (("UAS DISK", "uas"), ("QEMU HARDDISK", "usb-storage")):
        disk = disks[model]
        assert disk["interface"] == "usb"
        assert (disk["bridge"]["driver"], disk["bridge"]["usb_vendor_id"]) == (driver, "46f4")
        assert disk["bridge"]["pass_through"] is None


def test_without_permission_the_kernel_tells_who_a_disk_is_and_the_probe_what_it_lacks(
    day: Day, disks: Disks
) -> None:
    for model, disk in by_model(day.first, "nobody").items():
        known = disks[model]
        for field in ("vendor", "firmware", "capacity_bytes", "rotation_rate_rpm", "interface", "bridge"):
            assert disk[field] == known[field], (model, field)
        # What only the disk itself says.
        assert disk["temperature_celsius"] is None and disk["write_cache"]["changeable"] is None
        assert not disk["read"]["allowed"]
        assert "no permission to read" in disk["read"]["reasons"][0]


def test_no_serial_number_and_no_wwn_is_in_anything_that_the_probe_printed_or_wrote(day: Day) -> None:
    assert len(day.first.parts) > 30
    for record in (day.first, day.second):
        for name, text in record.parts.items():
            assert not [secret for secret in SECRETS if secret in text], name
    digests = [
        day.first.parsed(f"document whole {disk}")["device"]["unit_digest"]
        for disk in ("ata", "scsi", "nvme")
    ]
    assert all(digests) and len(set(digests)) == 3


def test_a_run_that_writes_back_what_stood_there_leaves_every_byte_as_it_was(day: Day) -> None:
    # Dozens of runs that wrote, most of them cut off in the middle.
    assert day.after == day.before
