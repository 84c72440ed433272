"""`manage.py refile_runs`: files runs under the models that makers' numbers name today."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from server.submissions.model_merge import drive_model_merge, models_misfiled

REASON = "The maker's numbering says that it is a variant or another name of this model."


class Command(BaseCommand):
    """Merges models that are variants or other names of one; a second call changes nothing."""

    help = "File runs under the models that makers' numbers name today. Old addresses lead to the new ones."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--dry-run`."""
        parser.add_argument("--dry-run", action="store_true", help="say what would be merged")

    def handle(self, *args: Any, **options: Any) -> None:
        """Merge each model whose strings mean another one, and say so."""
        with transaction.atomic():
            for source, target in models_misfiled():
                self.stdout.write(f"{source.title} -> {target.title}")
                drive_model_merge(source=source, target=target, reason=REASON)
            transaction.set_rollback(options["dry_run"])
