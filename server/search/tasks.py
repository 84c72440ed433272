"""The jobs: adding the archive up where something is due."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from server.search import archive_counts


@shared_task(name="search.archive_counts_settle", ignore_result=True, expires=settings.ARCHIVE_COUNTS_EVERY_S)
def archive_counts_settle() -> bool:
    """Count what is due."""
    return archive_counts.archive_counts_settle()
