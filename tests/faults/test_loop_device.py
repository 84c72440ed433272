"""The raw path on a genuine block device with a disk's timing: write, keep every byte, find the inside."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from server.benchmarks.contract import Facts
from server.benchmarks.registry import KINDS
from tests.support.loop_device import digest, fill, loop_device, soon, why_not
from tests.support.probe import Probe, document_of, entry_of

FILLED_BYTES = 64 << 20
"""More than SKIPPY reaches at each of its three places: bytes that are put back wrongly show."""


RUN_TIMEOUT_S = 300
"""The platter turns in real time: three regions, three variants, three repeats."""

ATTEMPTS = 3
"""The kernel's loop worker has ordinary priority: beside other work a whole run can be too uneven."""


@pytest.mark.loop_device
@pytest.mark.probe
@pytest.mark.timeout(ATTEMPTS * RUN_TIMEOUT_S + 60)
def test_skippy_with_writes_on_a_loop_device_finds_the_drive_and_leaves_its_bytes(
    probe: Probe, simtool: Path, tmp_path: Path
) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    truth = json.loads(
        subprocess.run(
            [simtool, "truth", "ibm-ultrastar-xp", "--json"], capture_output=True, check=True
        ).stdout
    )
    wrong = []
    with loop_device(simtool, "ibm-ultrastar-xp", tmp_path) as device:
        for start in (region["start_block"] for region in truth["local"].values()):
            fill(device.store, FILLED_BYTES, b"sample", start * truth["block_bytes"])
        before = digest(device.store)
        for attempt in range(ATTEMPTS):
            document = _run(probe, device.path, tmp_path / f"run-{attempt}.json")
            assert digest(device.store) == before, "the device's bytes changed"
            assert document["provenance"] == "probe"
            wrong.append(_wrong(document, truth["rotation_period_ms"]))
            if not wrong[-1]:
                return
    load = os.getloadavg()[0]
    pytest.fail(f"none of {ATTEMPTS} runs found the drive, at a load average of {load:.1f}: {wrong}")


def _run(probe: Probe, device: Path, output: Path) -> dict[str, Any]:
    options = ("--only", "skippy", "--writes", "preserve", "--rotational", "yes", "--confirm", device.name)
    done = soon(probe).call("run", device, "-o", output, *options, timeout_s=RUN_TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return document_of(output)


def _wrong(document: dict[str, Any], rotation_period_ms: float) -> dict[str, Any]:
    """What extraction finds otherwise than the drive is; empty where all is right."""
    entry = entry_of(document, "skippy")
    if "skipped" in entry:
        return {"skipped": entry["skipped"]}
    written = any(series["variant"] == "write" for series in entry["samples"]["series"])
    facts = Facts(document["device"]["block_bytes"], document["device"]["capacity_bytes"])
    (kind,) = (kind for kind in KINDS if kind.slug == "skippy")
    found = {(m.metric, m.scope): m.value for m in kind.extract(entry, facts).measurements}
    turn, sectors, surfaces = (
        found.get(key)
        for key in (
            ("skippy.rotation_time", ""),
            ("skippy.sectors_per_track", "outer"),
            ("skippy.surfaces", ""),
        )
    )
    right = {
        "written": written,
        "turn": turn is not None and abs(turn / rotation_period_ms - 1) < 0.005,
        "sectors": sectors is not None and round(sectors) == 184,
        "surfaces": surfaces == 18,
    }
    return (
        {}
        if all(right.values())
        else {"turn": turn, "sectors": sectors, "surfaces": surfaces, "written": written}
    )
