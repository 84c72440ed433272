"""`manage.py load_identities`: the drive models that drives of a public collection are of."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from server.catalog.sightings import sightings_load


class Command(BaseCommand):
    """Loads what real drives said of themselves; a second call changes nothing."""

    help = "Load the models of data/identities.csv, so that a drive is found before anyone measured it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, and say how many there are."""
        self.stdout.write(f"{sightings_load()} drive models by what drives of a public collection say")
