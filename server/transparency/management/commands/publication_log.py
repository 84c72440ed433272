"""`manage.py publication_log [--fill] [--released FILE] [--ask-witnesses] [--check]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from server.transparency.cosignatures import cosignatures_ask
from server.transparency.log_entry import sums_entry
from server.transparency.publication_log import leaves_list, log_append, log_check, log_fill, log_head


class Command(BaseCommand):
    """Show the log's head, fill it up, or check all of it."""

    help = "Show the signed head of the publication log."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--fill", action="store_true", help="append a leaf for every published run that has none"
        )
        parser.add_argument(
            "--released",
            type=Path,
            metavar="SHA256SUMS",
            help="append a leaf for digests of files",
        )
        parser.add_argument(
            "--ask-witnesses", action="store_true", help="have LOG_WITNESSES cosign the head now"
        )
        parser.add_argument("--check", action="store_true", help="compute every hash anew and compare")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["fill"]:
            self.stdout.write(f"{log_fill()} leaves were added.")
        if options["released"]:
            entry = sums_entry(options["released"].read_bytes())
            leaf = leaves_list(digest=entry.digest).filter(kind=entry.kind).first()
            with transaction.atomic():
                leaf = leaf or log_append(entry)
            self.stdout.write(f"Leaf {leaf.index} holds {entry.digest}.")
        if options["check"]:
            wrong = log_check()
            if wrong:
                raise CommandError("\n".join(["The log is not what its leaves say:", *wrong[:20]]))
            self.stdout.write("Every hash is the one of its leaves.")
        if options["ask_witnesses"]:
            for line in cosignatures_ask():
                self.stdout.write(line)
        head = log_head()
        self.stdout.write(f"{head.verifier_key}\n\n{head.checkpoint}", ending="")
