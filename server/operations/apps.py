from django.apps import AppConfig
from django.conf import settings
from django.db.backends.signals import connection_created

from server.core.statement_limit import statement_limit_set


class OperationsConfig(AppConfig):
    """What whoever runs an archive needs: readiness, the doctor, backups."""

    name = "server.operations"
    label = "operations"

    def ready(self) -> None:
        """Bound this process's statements where the settings say so."""
        if settings.DATABASE_STATEMENT_TIMEOUT_MS:
            connection_created.connect(statement_limit_set)
