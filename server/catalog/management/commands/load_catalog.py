"""`manage.py load_catalog`: the drive models that documents describe, with their published values."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from server.catalog.loading import catalog_load


class Command(BaseCommand):
    """Loads the data file; a second call changes nothing."""

    help = "Load the drive models with published values and claims."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, and say how many models there are."""
        self.stdout.write(f"{catalog_load()} drive models loaded")
