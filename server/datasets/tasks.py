"""The jobs: a release every month, and going on with one that was cut off."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from server.datasets.builder import ReleaseRunning, release_build
from server.datasets.models import Release


@shared_task(
    name="datasets.release_build",
    acks_late=False,
    ignore_result=True,
    soft_time_limit=settings.RELEASE_TIME_LIMIT_S,
    time_limit=settings.RELEASE_TIME_LIMIT_S + 60,
)
def release_build_task() -> int | None:
    """Make a release; nothing where another process does."""
    try:
        return release_build().number
    except ReleaseRunning:
        return None


@shared_task(name="datasets.releases_sweep", ignore_result=True, expires=600)
def releases_sweep() -> bool:
    """Go on with a release whose worker was killed; the lock keeps two from building at once."""
    cut_off = Release.objects.filter(state=Release.State.BUILDING).exists()
    if cut_off:
        release_build_task.delay()
    return cut_off
