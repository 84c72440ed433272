from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "server.runs"
    label = "runs"

    def ready(self) -> None:
        """Follow the catalogue's changes, and draw a model's charts after its aggregates."""
        from server.catalog.signals import catalogue_changed
        from server.runs.hooks import catalogue_follow

        catalogue_changed.connect(catalogue_follow, dispatch_uid="runs.catalogue_follow")

        from server.runs.drive_charts import drive_charts_follow
        from server.runs.signals import aggregates_updated

        aggregates_updated.connect(drive_charts_follow, dispatch_uid="runs.drive_charts_follow")
