from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "server.runs"
    label = "runs"

    def ready(self) -> None:
        """Follow the catalogue's changes."""
        from server.catalog.signals import catalogue_changed
        from server.runs.hooks import catalogue_follow

        catalogue_changed.connect(catalogue_follow, dispatch_uid="runs.catalogue_follow")
