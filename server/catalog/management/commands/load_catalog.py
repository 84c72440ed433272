"""`manage.py load_catalog`: the drive models that documents describe, with their published values."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from server.catalog.files import CatalogError
from server.catalog.loading import catalog_load


class Command(BaseCommand):
    """Loads the catalogue's files; a second call changes nothing."""

    help = "Load the drive models with published values and claims. What a person edited stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--overwrite`."""
        parser.add_argument(
            "--overwrite", action="store_true", help="put the files' values over what people edited"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, and say what changed."""
        try:
            report = catalog_load(overwrite=options["overwrite"])
        except CatalogError as error:
            raise CommandError(str(error)) from None
        for word, rows in (("removed", report.removed), ("kept as a person left it", report.kept)):
            for row in rows:
                self.stdout.write(f"{word}: {row}")
        if options["verbosity"] > 1:
            for row in [*report.created, *report.changed]:
                self.stdout.write(f"brought: {row}")
        self.stdout.write(
            f"{report.drives} drive models: {len(report.created)} rows created, "
            f"{len(report.changed)} changed, {len(report.removed)} removed, {len(report.kept)} kept, "
            f"{report.unchanged} as they were"
        )
