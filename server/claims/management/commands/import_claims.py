"""`manage.py import_claims FILE`: vendors' claims from a CSV or JSON file."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from server.claims.file_format import MAX_BYTES, ClaimFileError
from server.claims.import_file import claims_import


class Command(BaseCommand):
    """Takes all claims of a file, or none."""

    help = (
        "Import vendors' claims from a CSV or JSON file. Every line is checked before the first is written."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file and `--dry-run`."""
        parser.add_argument("file", help="the file; - reads standard input")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import, and say what was done to each claim that is not as it was."""
        dry_run = options["dry_run"]
        try:
            report = claims_import(_content(options["file"]), dry_run=dry_run)
        except ClaimFileError as error:
            count = len(error.errors)
            raise CommandError(
                "\n".join([*error.errors, f"{count} error{'' if count == 1 else 's'}; nothing was written."])
            ) from None
        would = "would be " if dry_run else ""
        for word, claims in (("created", report.created), ("changed", report.changed)):
            for claim in claims:
                self.stdout.write(
                    f"{would}{word}: {claim.drive_model} / {claim.metric} {claim.scope} {claim.form}"
                )
        self.stdout.write(
            f"{len(report.created)} {would}created, {len(report.changed)} {would}changed, "
            f"{len(report.unchanged)} as they are"
        )


def _content(name: str) -> bytes:
    """Return the file's bytes, not many more than are allowed."""
    try:
        if name == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}. Give a file that exists.") from None
