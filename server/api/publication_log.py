"""The publication log over HTTP: its signed head, its leaves, and the proofs that auditors check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.keyset import CHUNK_ROWS
from server.api.framework.query_deadline import QueryDeadline
from server.api.framework.read_view import ReadView
from server.api.framework.rows import columns_of
from server.api.params import (
    LARGEST,
    digest_or_none,
    identity_or_none,
    instant_or_none,
    number_needed,
    number_or_none,
)
from server.api.publication_log_shapes import (
    ConsistencySerializer,
    InclusionSerializer,
    LogHeadSerializer,
    LogLeafSerializer,
    LogLeavesSerializer,
    TombstoneSerializer,
    TombstonesSerializer,
    bytes_text,
    key_data,
    leaf_data,
    tombstone_data,
)
from server.core.problems import problem
from server.submissions.withdrawal import tombstones_list
from server.transparency import publication_log
from server.transparency.log_key import keys_list
from server.transparency.publication_log import NotInLog

Answer = TypeVar("Answer")

PAGE = 100
MOST = 1000
NUMBER = {"type": "integer", "minimum": 0, "maximum": LARGEST}
DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$", "minLength": 64, "maxLength": 64}


class LogView(ReadView):
    """The head."""

    known = frozenset({"size"})

    @extend_schema(
        operation_id="log_head",
        summary="Signed head of the publication log",
        parameters=[
            OpenApiParameter("size", NUMBER, description="An earlier size; the present one otherwise.")
        ],
        responses={200: LogHeadSerializer},
    )
    def get(self, request: Request) -> Response:
        """Return size, root and signature."""
        size = number_or_none(request, "size")
        head = _found(lambda: publication_log.log_head(size=size))
        return Response(
            {
                "origin": head.origin,
                "size": head.size,
                "root_hash": bytes_text(head.root),
                "checkpoint": head.checkpoint,
                "verifier_key": head.verifier_key,
                "keys": [key_data(key) for key in keys_list()],
            }
        )


class CheckpointView(ReadView):
    """The head as other tools read it."""

    @extend_schema(
        operation_id="log_checkpoint",
        summary="Signed head as a C2SP checkpoint",
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the signed note alone."""
        note = publication_log.log_head().checkpoint
        return HttpResponse(note, content_type="text/plain; charset=utf-8")


class LeavesView(ReadView):
    """The leaves."""

    renderer_classes = TABLES
    known = frozenset({"start", "limit", "digest", "run"})
    streams = streams_lines

    @extend_schema(
        operation_id="log_leaves",
        summary="Leaves of the publication log",
        parameters=[
            OpenApiParameter("start", NUMBER, description="Number of the first leaf; 0 otherwise."),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 0, "maximum": MOST},
                description=f"At most {MOST}; {PAGE} otherwise.",
            ),
            OpenApiParameter("digest", DIGEST, description="Only what the log says of this envelope."),
            OpenApiParameter("run", OpenApiTypes.UUID, description="Only what the log says of this run."),
        ],
        responses={200: LogLeavesSerializer},
    )
    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return leaves from `start` on, or those of a submission."""
        leaves = publication_log.leaves_list(
            digest=digest_or_none(request, "digest"), run_id=identity_or_none(request, "run")
        )
        return _listed(self, request, leaves, "index", leaf_data, LogLeafSerializer(), "leaves")


class InclusionView(ReadView):
    """Proofs that a leaf is in the log."""

    known = frozenset({"leaf", "size"})

    @extend_schema(
        operation_id="log_inclusion",
        summary="Proof that a leaf is in the log",
        parameters=[
            OpenApiParameter("leaf", NUMBER, required=True, description="Number of the leaf."),
            OpenApiParameter("size", NUMBER, description="Size of the log; the present one otherwise."),
        ],
        responses={200: InclusionSerializer},
    )
    def get(self, request: Request) -> Response:
        """Return the path from the leaf to the root (RFC 6962, 2.1.1)."""
        index, size = number_needed(request, "leaf"), number_or_none(request, "size")
        shown = _found(lambda: publication_log.log_inclusion(index=index, size=size))
        return Response(
            {
                "leaf": leaf_data(shown.leaf),
                "leaf_hash": bytes_text(shown.leaf_hash),
                "size": shown.size,
                "proof": [bytes_text(part) for part in shown.proof],
            }
        )


class ConsistencyView(ReadView):
    """Proofs that nothing was taken back."""

    known = frozenset({"first", "second"})

    @extend_schema(
        operation_id="log_consistency",
        summary="Proof that an earlier log is the beginning of a later one",
        parameters=[
            OpenApiParameter("first", NUMBER, required=True, description="The earlier size."),
            OpenApiParameter("second", NUMBER, description="The later size; the present one otherwise."),
        ],
        responses={200: ConsistencySerializer},
    )
    def get(self, request: Request) -> Response:
        """Return the proof (RFC 6962, 2.1.2); it is empty for equal sizes and for a first size of 0."""
        first, second = number_needed(request, "first"), number_or_none(request, "second")
        later, proof = _found(lambda: publication_log.log_consistency(first=first, second=second))
        return Response({"first": first, "second": later, "proof": [bytes_text(part) for part in proof]})


class TombstonesView(ReadView):
    """Runs that were withdrawn."""

    renderer_classes = TABLES
    known = frozenset({"since", "start", "limit"})
    streams = streams_lines

    @extend_schema(
        operation_id="tombstones",
        summary="Withdrawn runs",
        parameters=[
            OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only later ones; a date will do."),
            OpenApiParameter(
                "start", NUMBER, description="Number of the first leaf to look at; 0 otherwise."
            ),
            OpenApiParameter(
                "limit",
                {"type": "integer", "minimum": 0, "maximum": MOST},
                description=f"At most {MOST}; {PAGE} otherwise.",
            ),
        ],
        responses={200: TombstonesSerializer},
    )
    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return tombstones in the order of their leaves."""
        found = tombstones_list(since=instant_or_none(request, "since"))
        return _listed(self, request, found, "leaf_id", tombstone_data, TombstoneSerializer(), "tombstones")


def _listed(
    view: ReadView,
    request: Request,
    found: QuerySet[Any],
    key: str,
    data: Callable[[Any], dict[str, Any]],
    shape: serializers.Serializer[Any],
    name: str,
) -> HttpResponseBase:
    """Return a page of rows by the number `key`, or all of them from `start` on as lines."""
    start, limit = _window(request)
    if streams_lines(view, request):
        most = limit if "limit" in request.query_params else None
        chunks = ([data(row) for row in rows] for rows in _chunks(found, key, start, most))
        return streamed(chunks, request.accepted_renderer, list(columns_of(shape)), name=name)
    rows = list(found.filter(**{f"{key}__gte": start})[: limit + 1])
    following = getattr(rows[limit], key) if len(rows) > limit else None
    return Response({"results": [data(row) for row in rows[:limit]], "next": following})


def _chunks(found: QuerySet[Any], key: str, start: int, left: int | None) -> Iterator[list[Any]]:
    while left is None or left > 0:
        size = CHUNK_ROWS if left is None else min(CHUNK_ROWS, left)
        with QueryDeadline(settings.API_EXPORT_LIMIT_MS):
            rows = list(found.filter(**{f"{key}__gte": start})[:size])
        yield rows
        if len(rows) < size:
            return
        start, left = getattr(rows[-1], key) + 1, None if left is None else left - size


def _window(request: Request) -> tuple[int, int]:
    """Return the first leaf and how many."""
    start, limit = number_or_none(request, "start"), number_or_none(request, "limit", most=MOST)
    return start or 0, PAGE if limit is None else max(limit, 1)


def _found(read: Callable[[], Answer]) -> Answer:
    try:
        return read()
    except NotInLog as error:
        raise problem("not-found", str(error)) from None
