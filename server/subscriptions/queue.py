"""Putting messages into the queue. The rows are the truth: what the queue loses, the sweep finds."""

from __future__ import annotations

from uuid import UUID

import structlog
from django.db import transaction

log = structlog.get_logger("diskatlas.follows")


def delivery_enqueue(delivery_id: UUID) -> None:
    """Have a message sent once the transaction has committed."""
    transaction.on_commit(lambda: _send(str(delivery_id)))


def _send(delivery_id: str) -> None:
    from server.subscriptions import tasks  # here, since the tasks import the services that enqueue

    try:
        tasks.delivery_send.delay(delivery_id)
    except Exception as error:
        log.warning("not enqueued; the sweep will find it", delivery=delivery_id, error=repr(error))
