"""`manage.py erase_run RUN --by USER --reason TEXT`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from server.accounts.models import User
from server.measurements.models import Run
from server.submissions.management.commands import withdraw_run
from server.submissions.withdrawal import run_erase
from server.transparency.models import Withdrawal


class Command(withdraw_run.Command):
    """Erase a run, published or not."""

    help = "Erase a run for legal reasons: all that it said goes; leaf, tombstone and fingerprints stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Say what is erased, by whom and why."""
        withdraw_run.arguments_add(parser)

    def act(self, run: Run, by: User, options: dict[str, Any]) -> Withdrawal:
        """Do it."""
        return run_erase(run=run, by=by, reason=options["reason"])
