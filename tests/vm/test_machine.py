"""What the static probe says of emulated disks, on a system with nothing else in it: `make test-vm`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.probe import probe_path
from tests.vm import machine

COMMANDS = f"""
sleep 3
echo '{machine.MARK}list'; diskatlas list --json
echo '{machine.MARK}key'; diskatlas key new
echo '{machine.MARK}run'
diskatlas run /dev/sda --only positional --rotational yes --repeats 1 -o /tmp/run.json >/dev/null 2>&1
diskatlas show --json /tmp/run.json
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    probe = probe_path()
    if reason := machine.why_not(probe):
        pytest.skip(reason)
    assert probe is not None
    return machine.boot(machine.parts(probe), tmp_path_factory.mktemp("vm"), COMMANDS)


@pytest.fixture(scope="module")
def disks(printed: dict[str, str]) -> dict[str, dict[str, Any]]:
    return {disk["model"]: disk for disk in machine.parsed(printed, "list")}


def test_an_ata_disk_tells_its_whole_name_rate_link_and_caches(disks: dict[str, dict[str, Any]]) -> None:
    disk = disks["SAMPLE ATA DISK WITH A LONG NAME"]
    assert (disk["interface"], disk["vendor"], disk["rotation_rate_rpm"]) == ("ata", None, 7200)
    assert disk["has_serial"] and disk["has_wwn"]
    assert disk["write_cache"] == {"current": True, "changeable": True, "default": None, "saved": None}
    assert disk["link_speed_bits_per_s"] == 1_500_000_000
    assert disk["temperature_celsius"] is not None
    assert disk["hba"]["driver"] == "ahci"


def test_a_scsi_disk_tells_current_changeable_and_default_values(disks: dict[str, dict[str, Any]]) -> None:
    disk = disks["SCSI DISK"]
    assert (disk["interface"], disk["vendor"], disk["rotation_rate_rpm"]) == ("scsi", "SAMPLE", 15_000)
    assert disk["has_serial"] and disk["has_wwn"]
    write = disk["write_cache"]
    assert (write["current"], write["changeable"], write["default"]) == (True, True, True)


def test_an_nvme_disk_tells_its_temperature_and_cache(disks: dict[str, dict[str, Any]]) -> None:
    disk = disks["QEMU NVMe Ctrl"]
    assert (disk["interface"], disk["write_cache"]["current"]) == ("nvme", True)
    assert disk["has_serial"] and disk["temperature_celsius"] is not None


def test_disks_behind_usb_bridges_name_the_bridge(disks: dict[str, dict[str, Any]]) -> None:
    for model, driver in (("UAS DISK", "uas"), ("QEMU HARDDISK", "usb-storage")):
        disk = disks[model]
        assert disk["interface"] == "usb"
        assert (disk["bridge"]["driver"], disk["bridge"]["usb_vendor_id"]) == (driver, "46f4")
        assert disk["bridge"]["pass_through"] is None


def test_a_run_that_only_reads_switches_nothing_and_sends_no_serial_number(printed: dict[str, str]) -> None:
    document = machine.parsed(printed, "run")
    assert document["conditions"]["writes"] == "none"
    assert document["benchmarks"][0]["caches"]["write"] is True
    assert document["conditions"]["write_cache_after"] is True
    assert "SATA0001" not in printed["run"] and document["device"]["unit_digest"]
