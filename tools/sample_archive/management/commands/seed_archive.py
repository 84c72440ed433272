"""`manage.py seed_archive`: an archive of sample data, of any size."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tools.sample_archive.filling import NotEmpty, Say, archive_derive, archive_fill
from tools.sample_archive.plan import Sizes

ONE_PROCESS_BELOW = 5000
MOST_RUNS = 10_000_000


class Command(BaseCommand):
    """Fills an empty archive; the same sizes and seed give the same archive."""

    help = "Fill an EMPTY archive with sample data, to measure pages and API at size. Nothing in it is real."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the sizes, the seed and the number of processes."""
        parser.add_argument("--models", type=_count, default=10_000)
        parser.add_argument("--units", type=_count, default=100_000)
        parser.add_argument("--runs", type=_count, default=1_000_000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--envelope-every",
            type=_count,
            default=1,
            metavar="N",
            help="store the envelope of every Nth run only, and of those that measured every kind",
        )
        parser.add_argument(
            "--step",
            choices=["all", "runs", "derived"],
            default="all",
            help="only write the runs, or only compute what follows from those that are there",
        )
        parser.add_argument(
            "--missing", action="store_true", help="compute it only of models of which it never was"
        )
        parser.add_argument(
            "--processes", type=int, help="how many write at once (default: one for each processor)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Fill, and say what was written."""
        sizes = Sizes(
            options["models"], options["units"], options["runs"], options["seed"], options["envelope_every"]
        )
        processes = options["processes"]
        if processes is None:
            processes = 0 if sizes.runs < ONE_PROCESS_BELOW else os.cpu_count() or 1
        say = self._say if options["verbosity"] else lambda _words: None
        if options["step"] != "derived":
            self._fill(sizes, processes, say)
        if options["step"] != "runs":
            archive_derive(processes=processes, say=say, missing=options["missing"])

    def _fill(self, sizes: Sizes, processes: int, say: Say) -> None:
        try:
            filled = archive_fill(sizes, processes=processes, say=say)
        except NotEmpty as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"{filled.runs:,} runs of {filled.units:,} units and {filled.models:,} models with "
            f"{filled.measurements:,} numbers"
        )

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()


def _count(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) <= MOST_RUNS:
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_RUNS:,}")
    return int(text)
