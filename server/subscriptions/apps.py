from django.apps import AppConfig


class SubscriptionsConfig(AppConfig):
    name = "server.subscriptions"
    label = "subscriptions"
    verbose_name = "Followed drives"

    def ready(self) -> None:
        """Note each new run in the transaction that publishes it."""
        from server.measurements.signals import run_published
        from server.subscriptions.outbox import pending_notification_add

        run_published.connect(pending_notification_add, dispatch_uid="subscriptions.run_note")
