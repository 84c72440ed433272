"""Two boots of one machine, which all the tests look at."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.probe import ROOT, probe_path
from tests.vm import commands, hardware, machine
from tests.vm.boot import TIMEOUT_S, MachineStalledError, Record, boot

TRIES = 2
"""An emulator that hangs is started once more, on new disks, and the test run says so."""

BOOTS_S = 2 * TRIES * TIMEOUT_S
"""How long the first test may wait for all boots."""

OTHER_ORDER = (*("virtio_pci", "virtio_scsi", "sd_mod"), *machine.MODULES)
"""The SCSI disks are met first, so that the names are others than in the first boot."""


@dataclass(frozen=True, slots=True)
class Day:
    """What came of both boots, and the digests of the disks' content before and after."""

    first: Record
    second: Record
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="session")
def parts() -> machine.Parts:
    """What every machine here is made of."""
    probe = probe_path()
    if reason := machine.why_not(probe):
        pytest.skip(reason)
    assert probe is not None
    development = Path(os.environ.get("DISKATLAS_DEVELOPMENT", ROOT / "client/probe/target/debug/diskatlas"))
    if not development.is_file():
        pytest.skip("the probe for tests is not built: call `make simtool`")
    return machine.parts(probe, development)


@pytest.fixture(scope="session")
def day(parts: machine.Parts, tmp_path_factory: pytest.TempPathFactory) -> Day:
    """Boot, switch off, boot again."""
    for left in reversed(range(TRIES)):
        try:
            return _day(parts, tmp_path_factory.mktemp("vm"))
        except MachineStalledError as trouble:
            if not left:
                raise
            warnings.warn(f"Booted once more, since {trouble}", stacklevel=1)
    raise AssertionError("there was no try")


def _day(parts: machine.Parts, folder: Path) -> Day:
    before = hardware.make_disks(folder)
    first = boot(parts, folder, commands.first_boot())
    second = boot(parts, folder, commands.second_boot(), OTHER_ORDER)
    return Day(first, second, before, hardware.digests(folder))


@pytest.fixture(scope="session")
def disks(day: Day) -> dict[str, dict[str, Any]]:
    """What `diskatlas list --json` said, by model."""
    return by_model(day.first, "list")


def by_model(record: Record, part: str) -> dict[str, dict[str, Any]]:
    return {disk["model"]: disk for disk in record.parsed(part)}
