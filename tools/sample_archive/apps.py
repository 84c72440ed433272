"""The app of the sample archive."""

from django.apps import AppConfig


class SeedingConfig(AppConfig):
    """Brings the command `seed_archive`."""

    name = "tools.sample_archive"
