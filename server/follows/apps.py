from django.apps import AppConfig


class FollowsConfig(AppConfig):
    name = "server.follows"
    label = "follows"
    verbose_name = "Followed drives"

    def ready(self) -> None:
        """Note each new run in the transaction that publishes it."""
        from server.follows.noting import run_note
        from server.runs.signals import run_published

        run_published.connect(run_note, dispatch_uid="follows.run_note")
