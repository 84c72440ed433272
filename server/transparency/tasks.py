"""The jobs: having the log's head cosigned."""

from __future__ import annotations

from celery import shared_task

from server.transparency import cosignatures

EVERY_S = 3600.0


@shared_task(name="transparency.cosignatures_ask", ignore_result=True, expires=EVERY_S)
def cosignatures_ask() -> list[str]:
    """Send the head to the witnesses."""
    return cosignatures.cosignatures_ask()
