"""The jobs of followed drives. Each may be killed or run twice at any point."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from server.subscriptions import delivery, outbox, services


@shared_task(
    name="subscriptions.delivery_send", acks_late=True, ignore_result=True, soft_time_limit=60, time_limit=75
)
def delivery_send(delivery_id: str) -> str | None:
    """Send one message. What fails is tried again by the sweep, at its time."""
    state = delivery.deliveries_send(delivery_id=UUID(delivery_id))
    return state.value if state else None


@shared_task(name="subscriptions.sweep", ignore_result=True, expires=60)
def subscriptions_sweep() -> int:
    """Make the messages of runs whose window has ended, and send what is due."""
    # What is due first: it must not wait for a message that can't be made.
    sent = delivery.deliveries_sweep()
    return sent + outbox.notifications_batch()


@shared_task(name="subscriptions.expire", ignore_result=True)
def subscriptions_expire() -> int:
    """Delete what nobody confirmed, and old deliveries."""
    return services.expired_remove()
