"""`manage.py doctor [--full]`."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from server.operations.doctor import Level, installation_examine, summary_of


class Command(BaseCommand):
    """Say what is wrong with this installation: exit code 0 without errors, 1 with."""

    help = "Say what is wrong with this installation and what to do about it, one line each."
    # The doctor says what is wrong with them itself, beside all else.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--full", action="store_true", help="read the whole publication log too")

    def handle(self, *_args: Any, **options: Any) -> None:
        findings = installation_examine(full=options["full"])
        for finding in findings:
            self.stdout.write(str(finding))
        self.stdout.write(summary_of(findings))
        if any(finding.level == Level.ERROR for finding in findings):
            sys.exit(1)
