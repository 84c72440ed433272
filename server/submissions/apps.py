"""The app of submissions, and the group of those who decide about them."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.functions import Now
from django.db.models.signals import post_migrate, post_save

MODERATORS = "moderators"
MAY = ("decide", "withdraw")


def moderators_group_make(**_signal: Any) -> None:
    """Have the group of moderators with its permissions; who is in it is for operators to say."""
    from django.contrib.auth.models import Group, Permission

    group, _made = Group.objects.get_or_create(name=MODERATORS)
    apps = ("submissions", "transparency")
    group.permissions.add(*Permission.objects.filter(codename__in=MAY, content_type__app_label__in=apps))


def on_probe_key_saved(*, instance: Any, update_fields: Any, **_signal: Any) -> None:
    """Have what a key signed since it was revoked leave its models' numbers."""
    from server.measurements.models import Run
    from server.submissions.events import models_due

    if update_fields is not None and "revoked_from" in update_fields and instance.revoked_from is not None:
        marked = Run.objects.filter(
            submission__probe_key=instance,
            submission__state="published",
            submission__received_at__gte=instance.revoked_from,
        )
        # Readers who follow what has changed are to see the mark.
        marked.update(updated_at=Now())
        models_due(set(marked.values_list("drive_model_id", flat=True)))


class SubmissionsConfig(AppConfig):
    """Intake, pipeline and moderation."""

    name = "server.submissions"

    def ready(self) -> None:
        """Make the group after each migration, when permissions are there, and hear of revocations."""
        post_migrate.connect(moderators_group_make, sender=self)
        post_save.connect(on_probe_key_saved, sender="accounts.ProbeKey")
