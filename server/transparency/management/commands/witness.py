"""`manage.py witness [URL] [--key KEY] [--show]`: cosign the head of another archive's publication log."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from server.transparency.models import WitnessedHead
from server.transparency.witness import NotWitnessed, head_witness, witness_key


class Command(BaseCommand):
    """Cosign another archive's head where it goes on from the one before, and print it."""

    help = "Cosign the head of another archive's publication log, or show what was cosigned."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address, and the key where it is known."""
        parser.add_argument(
            "url", nargs="?", help="the archive's address; without it, all that were cosigned"
        )
        parser.add_argument("--key", default="", help="its verifier key; else that which was seen first")
        parser.add_argument(
            "--show", action="store_true", help="print the key of this archive's cosignatures"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the cosigned head; what is wrong ends with an error and keeps what was there."""
        if options["show"]:
            self.stdout.write(witness_key())
            return
        if options["url"]:
            try:
                head = head_witness(server=options["url"], key=options["key"])
            except NotWitnessed as error:
                raise CommandError(str(error)) from error
            self.stdout.write(head.note, ending="")
            return
        servers = WitnessedHead.objects.order_by("server", "-id").distinct("server")
        for head in servers:
            self.stdout.write(f"{head.at:%Y-%m-%d %H:%M} {head.server} {head.origin} {head.size}")
