"""`manage.py count_samples`: the number of samples of runs that came in before it was kept."""

from __future__ import annotations

from argparse import ArgumentParser
from itertools import islice
from typing import Any

from django.core.management.base import BaseCommand

from server.runs.aggregation import aggregates_update
from server.runs.models import AggregateDue
from server.runs.sample_counts import samples_count, uncounted_runs


class Command(BaseCommand):
    """Each run is a transaction of its own: the command may be stopped, and called again."""

    help = "Count the samples of runs that came in before they were counted, from the stored documents."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--limit`."""
        parser.add_argument("--limit", type=int, help="at most so many runs; the next call goes on")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Go through the runs, then have the sums of their models follow."""
        counted = lost = 0
        for run_id in islice(uncounted_runs(), options["limit"]):
            found = samples_count(run_id=run_id)
            counted, lost = counted + found, lost + (not found)
            if (counted + lost) % 500 == 0:
                self.stderr.write(f"{counted + lost} runs looked at")
        for drive_model_id in list(AggregateDue.objects.values_list("drive_model_id", flat=True)):
            aggregates_update(drive_model_id=drive_model_id)
        runs = f"{counted} run{'' if counted == 1 else 's'} counted"
        self.stdout.write(f"{runs}; the documents of {lost} are not in the storage.")
