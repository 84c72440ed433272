"""`manage.py withdraw_run RUN --by USER --reason TEXT [--keep-envelope]`."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError, CommandParser

from server.accounts.models import User
from server.measurements.models import Run
from server.submissions.moderation import NoReason
from server.submissions.withdrawal import NotPublished, run_withdraw
from server.transparency.models import Withdrawal


def arguments_add(parser: CommandParser) -> None:
    """Take the run, whoever decides, and why."""
    parser.add_argument("run", type=UUID, help="the run's identity")
    parser.add_argument("--by", required=True, metavar="USER", help="who decides it: an account's name")
    parser.add_argument("--reason", required=True, help="public: it stands on the tombstone")


class Command(BaseCommand):
    """Withdraw a published run."""

    help = "Withdraw a published run: its data go, its leaf in the log and a tombstone stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Say what is withdrawn, by whom and why."""
        arguments_add(parser)
        parser.add_argument(
            "--keep-envelope",
            action="store_true",
            help="keep the signed bytes in the storage, shown to nobody",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Withdraw it."""
        run = Run.objects.filter(pk=options["run"]).first()
        by = User.objects.filter(username=options["by"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}. Copy the identity from its page.")
        if by is None:
            raise CommandError(f"There is no account {options['by']!r}. Give the name of one.")
        try:
            made = self.act(run, by, options)
        except (NotPublished, NoReason, PermissionDenied) as error:
            raise CommandError(str(error)) from error
        done = "erased" if made.erased else "withdrawn"
        self.stdout.write(f"{run.pk} is {done}: leaf {made.leaf_id}, envelope {made.envelope}.")

    def act(self, run: Run, by: User, options: dict[str, Any]) -> Withdrawal:
        """Do it."""
        return run_withdraw(run=run, by=by, reason=options["reason"], keep_envelope=options["keep_envelope"])
