"""`manage.py refresh_summaries`: everything that is computed about drive models, anew."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from server.catalog.models import DriveModel
from server.model_stats.refresh import refresh_model
from server.search.archive_counts import archive_counts_deferred, archive_counts_update
from server.search.summaries import summaries_missing


class Command(BaseCommand):
    """Each model is a transaction of its own: the command may be stopped, and called again."""

    help = "Compute summaries and whatever else follows from aggregates anew, for every drive model."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--missing`."""
        parser.add_argument("--missing", action="store_true", help="only models that have no summary yet")

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the models, then add up."""
        every = DriveModel.objects.order_by("pk").values_list("pk", flat=True)
        ids = summaries_missing() if options["missing"] else list(every)
        for number, drive_model_id in enumerate(ids, start=1):
            with archive_counts_deferred():
                refresh_model(drive_model_id=drive_model_id)
            if number % 500 == 0:
                self.stderr.write(f"{number} of {len(ids)}")
        archive_counts_update()
        self.stdout.write(f"{len(ids)} drive models summed up.")
