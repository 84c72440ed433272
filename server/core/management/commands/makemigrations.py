"""Django's command, with migrations that hold the database alone."""

from django.core.management.commands import makemigrations

from server.core.migration_state import DatabaseAutodetector


class Command(makemigrations.Command):
    autodetector = DatabaseAutodetector
