from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    name = "server.measurements"
    label = "measurements"

    def ready(self) -> None:
        """Draw a model's charts after its aggregates."""
        from server.measurements.model_charts import drive_charts_follow
        from server.measurements.signals import aggregates_updated

        aggregates_updated.connect(drive_charts_follow, dispatch_uid="measurements.drive_charts_follow")
