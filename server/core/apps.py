from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CoreConfig(AppConfig):
    name = "server.core"
    label = "core"

    def ready(self) -> None:
        """Register what every connection and every query has."""
        from server.core.querying import read_instants_fast

        connection_created.connect(read_instants_fast, dispatch_uid="read-instants-fast")
