"""Administration: see what is followed and what became of each message. Nothing is written by hand; a follow
may be deleted, as its owner could."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from server.core.admin import ReadOnlyAdmin
from server.subscriptions.models import ArchiveEvent, Delivery, PendingNotification, Subscription


@admin.register(Subscription)
class FollowAdmin(ReadOnlyAdmin):
    """Follows, without secrets and without mail addresses."""

    list_display = ("id", "drive_model", "channel", "state", "simulated", "created_at", "reason")
    list_filter = ("channel", "state")
    fields = (
        "drive_model",
        "channel",
        "url",
        "owner",
        "simulated",
        "events",
        "told_to",
        "state",
        "reason",
        "created_at",
        "active_since",
    )
    list_select_related = ("drive_model__vendor",)
    search_fields = ("url", "drive_model__slug")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever has the permission may end a follow."""
        return request.user.has_perm("subscriptions.delete_subscription")


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    """Messages and their tries."""

    list_display = (
        "id",
        "kind",
        "state",
        "runs",
        "events",
        "attempts",
        "status",
        "created_at",
        "next_try_at",
        "error",
    )
    list_filter = ("state", "kind")
    list_select_related = ("follow",)


@admin.register(PendingNotification)
class NewRunAdmin(ReadOnlyAdmin):
    """Runs of which nobody was told yet."""

    list_display = ("run", "drive_model", "noted_at")
    list_select_related = ("run", "drive_model__vendor")


@admin.register(ArchiveEvent)
class ArchiveEventAdmin(ReadOnlyAdmin):
    """Changes of what the archive shows; those without a number are listed within a minute."""

    list_display = ("id", "number", "kind", "run_id", "claim_id", "release", "at", "listed_at")
    list_filter = ("kind",)
    ordering = ("-id",)
