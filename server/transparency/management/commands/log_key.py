"""`manage.py log_key [--new] [--adopt]`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from server.core.signed_note import verifier_key
from server.transparency.log_key import key_adopt, keys_list, seed_new


class Command(BaseCommand):
    """List the keys that signed heads of the publication log."""

    help = "List the keys of the publication log."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--new", action="store_true", help="print a new key for LOG_KEY; nothing is kept")
        parser.add_argument("--adopt", action="store_true", help="go over to the present key")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["new"]:
            self.stdout.write(seed_new())
            return
        if options["adopt"]:
            key_adopt()
        for key in keys_list():
            shown = verifier_key(key.origin, bytes(key.public_key))
            self.stdout.write(f"{key.first_used_at:%Y-%m-%d} {shown}")
