from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_save


class WebConfig(AppConfig):
    name = "server.web"
    label = "web"

    def ready(self) -> None:
        """Let no cached page outlive what it was rendered from."""
        from server.accounts.models import ProbeKey
        from server.search.models import ArchiveCounts

        post_save.connect(_counts_changed, sender=ArchiveCounts, dispatch_uid="web.counts_changed")
        post_save.connect(_key_changed, sender=ProbeKey, dispatch_uid="web.key_changed")


def _counts_changed(**_: Any) -> None:
    from server.core.cache import LISTS, purge_on_commit

    purge_on_commit(LISTS)


def _key_changed(*, instance: Any, created: bool, **_: Any) -> None:
    from server.core.cache import key_tag, purge_on_commit

    if not created:
        purge_on_commit(key_tag(instance.pk))
