"""`manage.py reextract`: extraction done anew from the stored envelopes."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from server.benchmarks.registry import kinds_by_slug
from server.measurements.models import AggregateDue
from server.measurements.reextraction import Change, Choice, benchmark_reextract, benchmarks_due, version_key
from server.model_stats.refresh import refresh_model

MOST_SHOWN = 200


class Command(BaseCommand):
    help = (
        "Extract anew from the stored envelopes what another version extracted. Rows of old versions stay. "
        "It may be stopped at any point; the same command goes on where it was."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--kind", action="append", default=[], help="only this kind; may be given again")
        parser.add_argument("--model", type=int, metavar="ID", help="only runs of the drive model of this id")
        parser.add_argument("--run", type=UUID, metavar="RUN_ID", help="only this run")
        parser.add_argument(
            "--older-than-version", default="", metavar="V", help="only numbers of versions before V"
        )
        parser.add_argument("--present", action="store_true", help="also what the present version extracted")
        parser.add_argument("--batch", type=int, default=50, help="write the report after so many benchmarks")
        parser.add_argument(
            "--report", type=Path, metavar="FILE", help="write what changed as JSON, and as text to FILE.txt"
        )
        parser.add_argument("--dry-run", action="store_true", help="change nothing, say what would change")

    def handle(self, *_: Any, **options: Any) -> None:
        due = benchmarks_due(_choice(options))
        report = Report(options["report"], bool(options["dry_run"]))
        for number, benchmark_id in enumerate(due, start=1):
            report.add(benchmark_reextract(benchmark_id=benchmark_id, dry_run=options["dry_run"]))
            if number % max(options["batch"], 1) == 0:
                self.stderr.write(f"{number} of {len(due)}")
                _aggregate(options["dry_run"])
                report.write(finished=False)
        _aggregate(options["dry_run"])
        report.write(finished=True)
        self.stdout.write(report.text())


def _aggregate(dry_run: bool) -> None:
    """The marks stand in the database: a command that is killed leaves the rest to the sweeper."""
    if not dry_run:
        for drive_model_id in list(AggregateDue.objects.values_list("drive_model_id", flat=True)):
            refresh_model(drive_model_id=drive_model_id)


def _choice(options: dict[str, Any]) -> Choice:
    unknown = sorted(set(options["kind"]) - set(kinds_by_slug()))
    if unknown:
        known = ", ".join(kinds_by_slug())
        raise CommandError(f"There is no kind {unknown[0]!r}. Known kinds: {known}.")
    version = options["older_than_version"]
    if version and not version_key(version):
        raise CommandError(f"{version!r} is no version. Give numbers and points, as in 2.0.0.")
    return Choice(
        kinds=tuple(options["kind"]),
        drive_model_id=options["model"],
        run_id=options["run"],
        older_than=version,
        present=options["present"],
    )


class Report:
    """What changed, on disk after each batch; one of a command that was cut off is gone on with."""

    def __init__(self, path: Path | None, dry_run: bool) -> None:
        self.path, self.dry_run = path, dry_run
        self.done = 0
        self.changes: list[dict[str, object]] = []
        if path is not None and path.is_file() and not dry_run:
            before = json.loads(path.read_text(encoding="utf-8"))
            if not before["finished"] and not before["dry_run"]:
                self.done, self.changes = before["benchmarks"], before["changes"]

    def add(self, changes: list[Change]) -> None:
        self.done += 1
        self.changes += [change.as_json() for change in changes]

    def write(self, *, finished: bool) -> None:
        if self.path is None:
            return
        content = {
            "finished": finished,
            "dry_run": self.dry_run,
            "benchmarks": self.done,
            "changes": self.changes,
        }
        beside = self.path.with_name(self.path.name + ".part")
        beside.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        beside.replace(self.path)
        self.path.with_name(self.path.name + ".txt").write_text(self.text(None), encoding="utf-8")

    def text(self, most: int | None = MOST_SHOWN) -> str:
        counts = Counter((str(one["kind"]), str(one["what"])) for one in self.changes)
        done = "would be extracted" if self.dry_run else "extracted"
        lines = [f"{self.done} benchmarks {done} anew, {len(self.changes)} changes."]
        lines += [f"{kind}: {number} {what}" for (kind, what), number in sorted(counts.items())]
        lines += [_line(one) for one in self.changes[:most]]
        left = len(self.changes) - len(self.changes[:most])
        return "\n".join([*lines, *([f"... and {left} more; --report FILE holds all."] if left else [])])


def _line(one: dict[str, object]) -> str:
    where = f"{one['run_id']} {one['metric'] or one['kind']}" + (f" [{one['scope']}]" if one["scope"] else "")
    if one["what"] == "failed":
        return f"{where} failed with {one['version_after']}: {one['reason']}"
    quality = f"{one['quality_before'] or 'none'} -> {one['quality_after'] or 'none'}"
    return f"{where} {one['what']}: {one['before']} -> {one['after']} ({quality})"
