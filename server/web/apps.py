from django.apps import AppConfig
from django.db.models.signals import post_save


class WebConfig(AppConfig):
    name = "server.web"
    label = "web"

    def ready(self) -> None:
        """Let no kept page outlive what it was rendered from."""
        from server.measurements.signals import aggregates_updated, run_published
        from server.search.models import ArchiveCounts
        from server.web.keeping import pages_changed

        for signal in (aggregates_updated, run_published):
            signal.connect(pages_changed, dispatch_uid="web.pages_changed")
        post_save.connect(pages_changed, sender=ArchiveCounts, dispatch_uid="web.pages_changed")
