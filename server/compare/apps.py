from django.apps import AppConfig


class CompareConfig(AppConfig):
    name = "server.compare"
    label = "compare"

    def ready(self) -> None:
        """Keep what is computed about a model as new as its aggregates."""
        from server.compare.deriving import derived_update
        from server.runs.signals import aggregates_updated

        aggregates_updated.connect(derived_update, dispatch_uid="compare.derived_update")
