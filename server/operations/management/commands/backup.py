"""`manage.py backup [DESTINATION] [--keep N] [--without-keys] [--every HOURS]`."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import close_old_connections

from server.operations.backup import BackupError, backup_make, backups_forget

log = structlog.get_logger("diskatlas.backup")
AGAIN_H = 1.0
"""After a backup that failed: a database that is restarted must not cost the night's."""


class Command(BaseCommand):
    """Back up database, envelopes, releases, log and keys."""

    help = "Back up database, envelopes, releases, log and keys to a folder or to s3://bucket/prefix."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("destination", nargs="?", default=settings.BACKUP_TO, help="default: BACKUP_TO")
        parser.add_argument("--keep", type=int, default=0, help="remove all but so many backups after this")
        parser.add_argument("--without-keys", action="store_true", help="leave all secrets out")
        parser.add_argument("--every", type=float, metavar="HOURS", help="go on for ever, at this interval")

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["every"]:
            # As a container's first process it would be deaf to it. What is half made has no manifest.
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        every_h = options["every"]
        while True:
            wait_h = every_h
            try:
                self._once(options)
            except Exception as error:
                if not every_h:
                    if isinstance(error, BackupError):
                        raise CommandError(str(error)) from None
                    raise
                # The next one may succeed; the alert BackupOld comes meanwhile.
                log.exception("backup failed")
                wait_h = min(every_h, AGAIN_H)
            if not every_h:
                return
            close_old_connections()
            time.sleep(wait_h * 3600)

    def _once(self, options: dict[str, Any]) -> None:
        where = options["destination"] or ""
        made = backup_make(where=where, keys=not options["without_keys"])
        self.stdout.write(
            f"Backup {made.name}: the database as of {made.point_in_time}, {made.envelopes} envelopes, a log "
            f"of {made.log_size} leaves."
        )
        if options["keep"]:
            for name in backups_forget(where=where, keep=options["keep"]):
                self.stdout.write(f"Removed {name}.")
