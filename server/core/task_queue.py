"""Putting messages into the queue. The rows say what is due: what the queue does not take, a sweeper finds.

Nobody waits long for it: a Redis that is away costs what it costs the cache, and is left alone with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import structlog
from celery import current_app
from kombu.exceptions import OperationalError
from kombu.pools import producers

from server.core.cache import TIMEOUT_S, breaker

log = structlog.get_logger("diskatlas.queue")


def message_send(task: str, *arguments: object, **options: Any) -> bool:
    """Send a task by its name, now; return whether the queue took it."""

    def send() -> bool:
        # Nobody asks for the result, to which Celery would subscribe on a connection that waits longer.
        quiet: dict[str, Any] = {"ignore_result": True, **options}
        try:
            with producers[_connection()].acquire(block=True, timeout=TIMEOUT_S) as producer:
                current_app.send_task(task, arguments, producer=producer, **quiet)
        except OperationalError as error:
            raise ConnectionError(str(error)) from error
        return True

    def away() -> bool:
        log.warning("not enqueued; a sweeper will find it", task=task, arguments=arguments)
        return False

    return breaker.call(send, away=away)


def queue_check() -> None:
    """Raise where the queue does not answer; whatever was known of it before."""
    _ask(lambda client: client.ping())


def queue_policy() -> str | None:
    """Return what the queue's Redis does when it is full (`maxmemory-policy`); None where it won't tell."""
    policy: str | None = _ask(lambda client: client.info("memory").get("maxmemory_policy"))
    return policy


def queue_depths() -> dict[str, int]:
    """Return how many messages wait in each queue, and under `taken` those that workers have or hold back."""
    names = sorted(current_app.amqp.queues)

    def count(client: Any) -> dict[str, int]:
        found = {name: int(client.llen(name)) for name in names}
        return {**found, "taken": int(client.hlen("unacked"))}

    return _ask(count) or {}


def _ask(question: Callable[[Any], Any]) -> Any:
    with _connection().clone() as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=TIMEOUT_S)
        client = getattr(connection.default_channel, "client", None)
        # The transport of tests keeps messages in memory and has no server.
        return question(client) if client is not None else None


@cache
def _connection() -> Any:
    """Return what the pool makes connections after: as all others, but with little patience."""
    waits = {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S}
    return current_app.connection_for_write(transport_options=waits)
