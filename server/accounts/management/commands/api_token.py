"""`manage.py api_token USERNAME NAME`: make an API token and print it once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from server.accounts.models import User
from server.accounts.services import api_token_create


class Command(BaseCommand):
    help = "Make an API token for an account and print it. It is kept as a digest and can't be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("name", help="what the token is for")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["username"]).first()
        if owner is None:
            raise CommandError(
                f"There is no account {options['username']!r}. Make one in the administration first."
            )
        _token, secret = api_token_create(owner=owner, name=options["name"][:100])
        self.stdout.write(secret)
