"""`manage.py release_dataset`."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from server.datasets.builder import ReleaseRunning, release_build
from server.datasets.columns import FORMATS
from server.datasets.metadata import missing_count

NAMED = 20
"""Runs without samples that are named on the terminal."""


class Command(BaseCommand):
    """Make a release of the archive, or go on with one that was cut off."""

    help = "Make a release of the archive, or go on with one that was cut off."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--formats",
            nargs="+",
            choices=FORMATS,
            default=list(FORMATS),
            help="write only these; one that was cut off goes on in those that it was begun with",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        began = time.monotonic()
        try:
            release = release_build(formats=options["formats"])
        except ReleaseRunning as error:
            raise CommandError(str(error)) from error
        rows = ", ".join(f"{count} {table}" for table, count in release.rows.items())
        self.stdout.write(f"Release {release.number} in {time.monotonic() - began:.1f} s: {rows}.")
        for one in release.missing[:NAMED]:
            self.stderr.write(f"no samples of {one['run_id']}: {one['reason']}")
        if (count := missing_count(release)) > NAMED:
            self.stderr.write(f"no samples of {count} runs in all; README.md of the release names more")
