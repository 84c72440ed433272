"""Exports of a drive model from its aggregates and its representative run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from server.benchmarks.contract import Measurand, MetricKey
from server.benchmarks.measurands import defining_metrics, source
from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.core.text import counted
from server.exports.derivation import drive_of, numbers_lacking
from server.exports.drive import ExportError, Identity, MeasuredDrive
from server.exports.files import disksim, fio, sim_file
from server.measurements.models import Aggregate, Benchmark, Run
from server.model_stats.selectors import drive_representative_run


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that a drive can be exported in."""

    slug: str
    title: str
    ending: str
    write: Callable[[MeasuredDrive], str]


FORMATS: Mapping[str, ExportFormat] = {
    one.slug: one
    for one in (
        ExportFormat("simulated", "Drive file for `diskatlas run sim:FILE`", "toml", sim_file),
        ExportFormat("disksim", "Parameters for DiskSim 4.0", "parv", disksim),
        ExportFormat("fio", "Job file for fio: zones and random accesses at their measured pace", "fio", fio),
    )
}


@dataclass(frozen=True, slots=True)
class Export:
    """A drive model in one format."""

    name: str
    """Of the file."""
    text: str


def drive_exports(*, drive_model: DriveModel) -> tuple[tuple[Provenance, str], ...]:
    """Return the provenances that a model has published runs of, each with the reason why no file can be made
    of them; empty where one can."""
    found = []
    for provenance in Provenance:
        run = drive_representative_run(drive_model=drive_model, provenance=provenance)
        if run is not None:
            try:
                _measured_drive(drive_model, run)
                found.append((provenance, ""))
            except ExportError as error:
                found.append((provenance, str(error)))
    return tuple(found)


def drive_exports_lacking(*, drive_model: DriveModel) -> dict[Provenance, tuple[str, ...]]:
    """Return what the numbers of each provenance lack for a file, by one query; nothing where they have all.
    Whether what extraction kept of the run is enough too, `drive_exports` says, which takes as long as making
    the file."""
    numbers: dict[str, dict[MetricKey, float]] = {}
    keys = [metric.key for metric in defining_metrics()]
    rows = Aggregate.objects.filter(drive_model=drive_model, metric__in=keys)
    for provenance, metric, scope, median in rows.values_list("provenance", "metric", "scope", "median"):
        numbers.setdefault(provenance, {})[metric, scope] = median
    return {one: tuple(numbers_lacking(numbers[one])) for one in Provenance if one in numbers}


def drive_export(*, drive_model: DriveModel, provenance: Provenance, format: ExportFormat) -> Export:
    """Return a model in a format, by its published runs of one provenance: medians over them, and zones and
    seeks of the run that has most kinds. Raises ExportError that names what its runs lack."""
    run = drive_representative_run(drive_model=drive_model, provenance=provenance)
    if run is None:
        there = [one.value for one, _reason in drive_exports(drive_model=drive_model)]
        known = f"There are runs of {', '.join(there)}." if there else "There is none of any other either."
        raise ExportError([f"{drive_model.title} has no published run of that provenance.", known])
    drive = _measured_drive(drive_model, run)
    return Export(f"{drive_model.slug}.{format.ending}", format.write(drive))


def _measured_drive(drive_model: DriveModel, run: Run) -> MeasuredDrive:
    medians = Aggregate.objects.filter(
        drive_model=drive_model,
        provenance=run.provenance,
        metric__in=[metric.key for metric in defining_metrics()],
    )
    numbers = {
        (metric, scope): median for metric, scope, median in medians.values_list("metric", "scope", "median")
    }
    extracted = [one for one in run.benchmarks.all() if one.state == Benchmark.State.EXTRACTED]
    return drive_of(_identity(drive_model, run), numbers, {one.kind: one.details for one in extracted})


def _identity(model: DriveModel, run: Run) -> Identity:
    metric, scope = source(Measurand.ROTATION_TIME)
    rotation = Aggregate.objects.filter(
        drive_model=model, provenance=run.provenance, metric=metric, scope=scope
    ).first()
    runs, units = (rotation.n, rotation.units) if rotation else (1, 1)
    what = "simulated" if run.provenance == Provenance.SIMULATED else "measured"
    interface = str(run.summary.get("device", {}).get("interface") or model.interface)
    return Identity(
        title=model.title,
        vendor=model.vendor.name,
        number=model.number,
        interface="scsi" if interface in ("scsi", "sas") else "ata",
        form_factor=model.form_factor,
        provenance=run.provenance,
        origin=(
            f"Provenance {run.provenance}: {counted(runs, f'{what} run')} of {counted(units, 'unit')}, "
            "medians over them.",
            f"Zones and seeks are those of run {run.pk} ({run.license}).",
        ),
        block_bytes=run.block_bytes,
        capacity_bytes=run.capacity_bytes,
    )
