from django.apps import AppConfig


class ModelStatsConfig(AppConfig):
    name = "server.model_stats"
    label = "model_stats"

    def ready(self) -> None:
        """Keep what is computed about a model as new as the catalogue."""
        from server.catalog.signals import catalogue_changed
        from server.model_stats.refresh import catalogue_follow

        catalogue_changed.connect(catalogue_follow, dispatch_uid="model_stats.catalogue_follow")
