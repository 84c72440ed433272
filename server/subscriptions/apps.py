from django.apps import AppConfig


class SubscriptionsConfig(AppConfig):
    name = "server.subscriptions"
    label = "subscriptions"
    verbose_name = "Events and followed drives"

    def ready(self) -> None:
        """Note what other rooms tell."""
        from server.measurements.signals import run_reextracted
        from server.subscriptions.events import reextraction_note

        run_reextracted.connect(reextraction_note, dispatch_uid="subscriptions.reextraction_note")
