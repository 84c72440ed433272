"""`manage.py api_token USERNAME NAME`: make an API token and print it once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from server.accounts.models import Scope, User
from server.accounts.services import TooManyTokens, api_token_create
from server.core import clock


class Command(BaseCommand):
    help = "Make an API token for an account and print it. It is kept as a digest and can't be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("name", help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            help="what it may do, repeatable; read and manage if left out",
        )
        parser.add_argument("--days", type=int, help="after how many days it ends; never if left out")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["username"]).first()
        if owner is None:
            raise CommandError(
                f"There is no account {options['username']!r}. Make one in the administration first."
            )
        days = options["days"]
        try:
            _token, secret = api_token_create(
                owner=owner,
                name=options["name"][:100],
                scopes=options["scope"],
                expires_at=clock.now() + timedelta(days=days) if days else None,
            )
        except TooManyTokens as error:
            raise CommandError(str(error)) from None
        self.stdout.write(secret)
