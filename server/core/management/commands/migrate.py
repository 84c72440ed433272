"""Django's command, with migrations that hold the database alone."""

from django.core.management.commands import migrate

from server.core.migration_state import DatabaseAutodetector


class Command(migrate.Command):
    autodetector = DatabaseAutodetector
