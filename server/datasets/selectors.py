"""Reading releases: for pages and the API alike. What is not complete is not there."""

from __future__ import annotations

from datetime import datetime
from typing import IO

from django.db.models import Count, QuerySet, Sum

from server.datasets.models import Release, ReleaseFile
from server.datasets.storage import storage


def releases_list(*, since: datetime | None = None) -> QuerySet[Release]:
    """Return the releases, the latest first, with `file_count` and `total_bytes`."""
    found = Release.objects.filter(state=Release.State.PUBLISHED)
    if since is not None:
        found = found.filter(published_at__gte=since)
    sizes = {"file_count": Count("files"), "total_bytes": Sum("files__size_bytes", default=0)}
    return found.annotate(**sizes).order_by("-number")


def release_files(*, release: Release) -> QuerySet[ReleaseFile]:
    return release.files.order_by("path")


def release_file(*, number: int, path: str) -> ReleaseFile:
    """Return a file of a release; raises ReleaseFile.DoesNotExist."""
    return ReleaseFile.objects.get(release__number=number, release__state=Release.State.PUBLISHED, path=path)


def file_open(file: ReleaseFile) -> IO[bytes]:
    """Open a file's bytes; raises FileNotFoundError where the storage has none."""
    return storage().open(file.storage_name, "rb")
