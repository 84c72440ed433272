from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Knows every part: registers the system checks."""

    name = "server.config"
    label = "site"

    def ready(self) -> None:
        from server.config import celery, checks  # noqa: F401 -- importing registers them
