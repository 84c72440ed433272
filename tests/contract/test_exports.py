"""A drive that was measured can be simulated, and measuring that gives the same drive again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from server.compare.exports.deriving import ExportError, Identity, Place, drive_of
from server.compare.exports.disksim import disksim
from server.compare.exports.drive import MeasuredDrive
from server.compare.exports.fio import fio
from server.compare.exports.sim_file import sim_file
from server.runs.kinds import kinds_by_slug
from tests.contract.golden import facts_of
from tests.support.probe import Probe, probe_path

KINDS = ("skippy", "zoned", "seeker", "access")
SAME = 0.03
COMPARED: tuple[Place, ...] = (
    ("skippy.rotation_time", ""),
    ("skippy.mtm", ""),
    *(
        (f"skippy.{name}", region)
        for name in ("head_switch_gap", "cylinder_switch_gap")
        for region in ("outer", "inner")
    ),
    *(("skippy.sectors_per_track", region) for region in ("outer", "middle", "inner")),
    ("zoned.outer_bandwidth", ""),
    ("zoned.mean_bandwidth", ""),
    ("zoned.inner_bandwidth", ""),
    ("seeker.minimum", "without_mtm"),
    ("seeker.average", "without_mtm"),
    ("seeker.full_stroke", "with_mtm"),
    ("access.access_time", ""),
)


def extracted(document: Mapping[str, Any]) -> tuple[dict[Place, float], dict[str, Mapping[str, Any]]]:
    """What a document's kinds give: usable numbers, and what the charts need."""
    numbers: dict[Place, float] = {}
    details: dict[str, Mapping[str, Any]] = {}
    for part in document["benchmarks"]:
        found = kinds_by_slug()[part["kind"]].extract(part, facts_of(dict(document)))
        details[part["kind"]] = found.details
        for one in found.measurements:
            if one.value is not None and one.quality in ("good", "fair"):
                numbers[one.metric, one.scope] = one.value
    return numbers, details


def identity_of(document: Mapping[str, Any]) -> Identity:
    device = document["device"]
    names = (f"{device['vendor']} {device['model']}", device["vendor"], device["model"], "scsi", "")
    return Identity(
        *names, "simulated", ("Provenance simulated.",), device["block_bytes"], device["capacity_bytes"]
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    path = probe_path()
    if path is None:
        pytest.skip("the probe is not built: call `make probe`")
    folder = tmp_path_factory.mktemp("measured")
    return measure(Probe(path, folder), "seagate-barracuda", folder)


def measure(probe: Probe, drive: str | Path, folder: Path) -> dict[str, Any]:
    """Measure a simulated drive without noise, with writes that keep what stands there."""
    options = ("--only", ",".join(KINDS), "--writes", "preserve")
    return probe.run(f"sim:{drive},noise=off,seed=1", folder / "run.json", *options)


@pytest.fixture(scope="module")
def drive(measured: Mapping[str, Any]) -> MeasuredDrive:
    return drive_of(identity_of(measured), *extracted(measured))


def test_a_measured_drive_that_is_simulated_measures_the_same(
    probe: Probe, measured: Mapping[str, Any], drive: MeasuredDrive, tmp_path: Path
) -> None:
    file = tmp_path / "exported.toml"
    file.write_text(sim_file(drive), encoding="utf-8")
    before, _ = extracted(measured)
    after, _ = extracted(measure(probe, file, tmp_path))
    assert round(after["skippy.surfaces", ""]) == round(before["skippy.surfaces", ""])
    assert after["zoned.zone_count", ""] == pytest.approx(before["zoned.zone_count", ""], abs=1)
    off = {place: after[place] / before[place] - 1 for place in COMPARED}
    assert {place: value for place, value in off.items() if abs(value) > SAME} == {}


def test_disksim_gets_every_zone_and_the_whole_capacity(drive: MeasuredDrive) -> None:
    text = disksim(drive)
    assert text.count("dm_layout_g1_zone {") == len(drive.zones)
    assert f"Block count = {drive.capacity_bytes // drive.block_bytes}," in text
    assert f"Last cylinder number = {drive.cylinders - 1}," in text
    assert text.count("{") == text.count("}") and text.count("[") == text.count("]")
    assert sum(drive.zone_blocks) * drive.block_bytes >= drive.capacity_bytes


def test_the_seek_equation_of_disksim_has_no_step_at_its_division(drive: MeasuredDrive) -> None:
    line = next(line for line in disksim(drive).splitlines() if "HPL" in line)
    division, base, root, start, slope, _single = (
        float(one) for one in line.split("[")[1].split("]")[0].split(",")
    )
    assert base + root * division**0.5 == pytest.approx(start + slope * division, rel=1e-4)
    assert start + slope * (drive.cylinders - 1) == pytest.approx(drive.seek.full_stroke_ms, rel=1e-3)


def test_fio_reads_each_zone_at_its_rate_and_all_of_the_drive(drive: MeasuredDrive) -> None:
    text = fio(drive)
    sizes = [int(line.removeprefix("size=")) for line in text.splitlines() if line.startswith("size=")]
    assert sum(sizes[:-1]) == drive.capacity_bytes
    assert f"rate={round(drive.zones[0].mb_per_s * 1e6)}" in text
    assert "write" not in text.replace("readonly", "").split("[global]")[1]


def test_what_is_missing_is_named_all_at_once() -> None:
    identity = Identity("X", "V", "N", "ata", "", "probe", (), 512, 1 << 30)
    with pytest.raises(ExportError) as caught:
        drive_of(identity, {("skippy.rotation_time", ""): 8.3}, {})
    text = str(caught.value)
    assert "the number of surfaces" in text and "the zones" in text and "the seek curve" in text
    assert "the rotation time" not in text
