"""Reading follows. None of these gives a mail address."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from server.accounts.models import User
from server.subscriptions.models import Delivery, Subscription

LATEST = 20


def webhooks_of(owner: User) -> QuerySet[Subscription]:
    """Return an account's webhooks, the oldest first."""
    return (
        Subscription.objects.filter(owner=owner, channel=Subscription.Channel.WEBHOOK)
        .select_related("drive_model__vendor")
        .order_by("created_at", "id")
    )


def webhook_get(*, owner: User, follow_id: UUID) -> Subscription:
    """Return one of an account's webhooks; raises Follow.DoesNotExist for those of others too."""
    return webhooks_of(owner).get(pk=follow_id)


def deliveries_latest(follow: Subscription) -> list[Delivery]:
    """Return the last messages to a follower, the latest first."""
    return list(follow.deliveries.order_by("-created_at", "-id")[:LATEST])


def follow_find(*, follow_id: UUID) -> Subscription | None:
    """Return a follow with its model; None where it was ended."""
    return Subscription.objects.select_related("drive_model__vendor").filter(pk=follow_id).first()
