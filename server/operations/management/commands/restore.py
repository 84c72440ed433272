"""`manage.py restore SOURCE (--known-head FILE | --no-newer-head | --new-log) [--backup NAME]`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from server.operations.backup import BackupError
from server.operations.restore import backup_restore


class Command(BaseCommand):
    """Restore a backup into an empty, migrated database and an empty storage."""

    help = "Restore a backup into an empty place; refuses where the publication log would fork."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", help="the folder or s3://bucket/prefix that backups go to")
        parser.add_argument("--backup", default="", metavar="NAME", help="default: the latest")
        parser.add_argument("--without-keys", action="store_true", help="do not write the log's key")
        heads = parser.add_mutually_exclusive_group(required=True)
        heads.add_argument(
            "--known-head",
            type=Path,
            metavar="FILE",
            help="the newest checkpoint that anybody has",
        )
        heads.add_argument(
            "--no-newer-head",
            action="store_true",
            help="nobody can have a head that is newer than the backup: the site answered nobody since",
        )
        heads.add_argument(
            "--new-log", action="store_true", help="begin another log, with a new LOG_ORIGIN and LOG_KEY"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        file: Path | None = options["known_head"]
        try:
            restored = backup_restore(
                where=options["source"],
                name=options["backup"],
                known_head=file.read_text() if file else "",
                new_log=options["new_log"],
                keys=not options["without_keys"],
            )
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"Restored {restored.name}: all as of {restored.point_in_time}. Start worker and beat, which go "
            "on with what was under way. Then ask `manage.py doctor --full`."
        )
