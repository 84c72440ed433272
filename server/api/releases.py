"""Dataset releases over HTTP: which there are, what is in one, what changed, and the files themselves."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.openapi import described, problems
from server.api.framework.parameters import LARGEST, instant_or_none, number_or_none
from server.api.framework.read_view import ReadView
from server.api.framework.rows import AddressField, columns_of, rows_words
from server.api.framework.tables import TableView, fields_of
from server.api.ranges import file_response
from server.core.problems import problem
from server.datasets.metadata import MISSING_NAMED, missing_count
from server.datasets.models import Release, ReleaseFile
from server.datasets.selectors import file_open, release_file, release_files, releases_list
from server.datasets.storage import storage

_MEDIA = {".json": "application/json", ".md": "text/markdown; charset=utf-8", ".gz": "application/gzip"}
_MEDIA |= {".parquet": "application/vnd.apache.parquet", ".cff": "text/yaml; charset=utf-8"}


class ReleaseSerializer(serializers.Serializer[Any]):
    """One release."""

    number = serializers.IntegerField()
    url = AddressField("api:release", "number")
    published_at = serializers.DateTimeField()
    schema_version = serializers.CharField(help_text="Of tables and columns; see the datasets' reference.")
    log_size = serializers.IntegerField(help_text="Leaves of the publication log that it holds.")
    rows = serializers.DictField(child=serializers.IntegerField(), help_text="Table to rows.")
    changes = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Runs added, withdrawn and extracted anew since the one before.",
    )
    file_count = serializers.IntegerField()
    total_bytes = serializers.IntegerField()


class ReleasesSerializer(serializers.Serializer[Any]):
    """Releases, the latest first."""

    results = ReleaseSerializer(many=True)


class ReleaseFileSerializer(serializers.Serializer[Any]):
    """One file."""

    path = serializers.CharField()
    url = AddressField("api:release-file", "release_id", "path")
    table = serializers.CharField(help_text="Empty for what describes the release.")
    kind = serializers.CharField()
    format = serializers.CharField()
    rows = serializers.IntegerField(allow_null=True)
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class MissingSerializer(serializers.Serializer[Any]):
    """A run whose samples could not be read when the release was made."""

    run_id = serializers.CharField()
    reason = serializers.CharField()


class ReleaseDetailSerializer(ReleaseSerializer):
    """One release with its files."""

    began_at = serializers.DateTimeField(help_text="When its data were read.")
    previous = serializers.IntegerField(allow_null=True)
    checkpoint = serializers.CharField(help_text="Signed head of the publication log.")
    extractors = serializers.DictField(
        child=serializers.DictField(child=serializers.IntegerField()),
        help_text="Kind to version of the extraction to benchmarks.",
    )
    samples_missing = MissingSerializer(
        many=True, help_text=f"Runs whose samples could not be read, the first {MISSING_NAMED} of them."
    )
    samples_missing_count = serializers.IntegerField(help_text="How many such runs there are.")
    files = ReleaseFileSerializer(many=True)
    removed = serializers.ListField(
        child=serializers.CharField(), help_text="With `since`: paths of that release that this one has not."
    )
    deltas = ReleaseFileSerializer(
        many=True,
        help_text="With `since`: the rows that changed in each release after that one, oldest first.",
    )
    change_lists = serializers.ListField(
        child=serializers.URLField(), help_text="With `since`: what changed in each release after that one."
    )


@described("releases", "Dataset releases", shape=ReleasesSerializer)
class ReleasesView(ReadView):
    """The releases."""

    renderer_classes = TABLES
    parameters = (
        OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only later ones; a date will do."),
    )

    def lines_words(self) -> str:
        return rows_words(ReleaseSerializer())

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return every complete release, the latest first."""
        found = releases_list(since=instant_or_none(request, "since"))
        results = ReleaseSerializer(found, many=True, context={"request": request}).data
        if streams_lines(self, request):
            columns = list(columns_of(ReleaseSerializer()))
            return streamed([results], request.accepted_renderer, columns, name="releases")
        return Response({"results": results})


@described("release", "One dataset release with its files", shape=ReleaseDetailSerializer)
class ReleaseView(TableView):
    """One release."""

    tables = {"files": ("file", fields_of(ReleaseFileSerializer))}
    file_name = "files"
    parameters = (
        OpenApiParameter(
            "since",
            {"type": "integer", "minimum": 0, "maximum": LARGEST},
            description="Number of an earlier release: only files that are new or other since then.",
        ),
    )

    def get(self, request: Request, number: int, format: str | None = None) -> HttpResponseBase:
        """Return what is in a release, or what is different since an earlier one."""
        number = int(number)  # A suffix' pattern gives its digits.
        release = _release(number)
        files = list(release_files(release=release))
        removed, lists, deltas = list[str](), list[ReleaseFile](), list[ReleaseFile]()
        since = number_or_none(request, "since", most=number)
        if since is not None:
            before = dict(release_files(release=_release(since)).values_list("path", "sha256"))
            removed = sorted(before.keys() - {file.path for file in files})
            lists = files_since(release, since, path="ndjson/changes.ndjson.gz")
            deltas = files_since(release, since, table__startswith="delta_")
            files = [file for file in files if before.get(file.path) != file.sha256]
        context = {"request": request}

        def files_shown(some: list[ReleaseFile]) -> list[dict[str, Any]]:
            return list(ReleaseFileSerializer(some, many=True, context=context).data)

        body = {
            **ReleaseSerializer(release, context=context).data,
            "began_at": release.began_at,
            "previous": release.previous_id,
            "checkpoint": release.checkpoint,
            "extractors": release.extractors,
            "samples_missing": release.missing,
            "samples_missing_count": missing_count(release),
            "files": files_shown(files),
            "removed": removed,
            "deltas": files_shown(deltas),
            "change_lists": [one["url"] for one in files_shown(lists)],
        }
        return self.answer(request, body, {"files": body["files"]})


@described(
    "release_file",
    "One file of a dataset release",
    responses={
        (200, "application/octet-stream"): OpenApiTypes.BINARY,
        (206, "application/octet-stream"): OpenApiTypes.BINARY,
        302: OpenApiResponse(description="Where the file is."),
        304: OpenApiResponse(description="The file is the one that the client has."),
        **problems(416, 503),
    },
    description="Answers ranges. Where the archive keeps its files in object storage, it points there.",
)
class ReleaseFileView(ReadView):
    """The files."""

    parameters = (
        OpenApiParameter("path", str, OpenApiParameter.PATH, description="Path within the release."),
        OpenApiParameter("Range", str, OpenApiParameter.HEADER, description="One range of bytes."),
    )

    def get(self, request: Request, number: int, path: str) -> HttpResponseBase:
        """Return the bytes."""
        try:
            file = release_file(number=number, path=path)
        except ReleaseFile.DoesNotExist:
            raise problem(
                "not-found", f"Release {number} has no file {path[:200]!r}. Its list is one up."
            ) from None
        if settings.S3_BUCKET:
            return HttpResponseRedirect(storage().url(file.storage_name))
        try:
            content = file_open(file)
        except FileNotFoundError:
            raise problem(
                "storage-unavailable",
                f"The bytes of {path} are not in the storage. An operator restores them.",
            ) from None
        ending = path[path.rfind(".") :] if "." in path else ""
        return file_response(
            request,
            open_file=lambda: content,
            size=file.size_bytes,
            digest=file.sha256,
            media=_MEDIA.get(ending, "text/plain; charset=utf-8"),
            name=path.replace("/", "-").replace("=", "-"),
        )


_FOUND = OpenApiResponse(description="Where the latest one is.")


@described(
    "release_latest",
    "The latest dataset release",
    responses={302: _FOUND, **problems()},
    description="Leads to the release's own address, which never changes.",
)
class LatestReleaseView(ReadView):
    """The latest release, at an address that stays."""

    def get(self, request: Request) -> HttpResponseBase:
        """Lead to the latest release."""
        return _to_latest("api:release")


@described(
    "release_latest_file",
    "One file of the latest dataset release",
    responses={302: _FOUND, **problems()},
    description="Leads to the file's own address, whose bytes never change.",
)
class LatestReleaseFileView(ReadView):
    """The files of the latest release."""

    parameters = (
        OpenApiParameter("path", str, OpenApiParameter.PATH, description="Path within the release."),
    )

    def get(self, request: Request, path: str) -> HttpResponseBase:
        """Lead to the file."""
        return _to_latest("api:release-file", path)


def _to_latest(view: str, *parts: str) -> HttpResponseBase:
    latest = releases_list().first()
    if latest is None:
        raise problem("not-found", "There is no release yet. /api/v1/releases/ lists them as they are made.")
    return HttpResponseRedirect(reverse(view, args=[latest.number, *parts]))


def files_since(release: Release, since: int, **which: str) -> list[ReleaseFile]:
    """Return such files of the releases after `since`, up to this one, the oldest first."""
    found = ReleaseFile.objects.filter(
        release__state=Release.State.PUBLISHED,
        release__number__gt=since,
        release__number__lte=release.number,
        **which,
    )
    return list(found.order_by("release__number", "path"))


def _release(number: int) -> Any:
    try:
        return releases_list().get(number=number)
    except Release.DoesNotExist:
        raise problem("not-found", f"There is no release {number}. /api/v1/releases/ lists them.") from None
