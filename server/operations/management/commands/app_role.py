"""`manage.py app_role`."""

from __future__ import annotations

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from server.operations.app_role import AppRoleError, app_role_make


class Command(BaseCommand):
    """Make or update the database account that the archive works with."""

    help = (
        "Make or update the account that APP_DATABASE_URL names: it reads and writes rows, and changes no "
        "table. Run it after `migrate`, with the owner's DATABASE_URL."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        address = os.environ.get("APP_DATABASE_URL", "")
        if not address:
            raise CommandError(
                "APP_DATABASE_URL is not set: the DATABASE_URL that web, workers and beat are to have."
            )
        try:
            name = app_role_make(address)
        except AppRoleError as trouble:
            raise CommandError(str(trouble)) from trouble
        self.stdout.write(f"{name} may read and write rows, and change no table.")
