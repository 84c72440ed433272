"""The publication log over HTTP: its signed head, its leaves, and the proofs that auditors check."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.keyset import chunks_after
from server.api.framework.openapi import described, problems
from server.api.framework.parameters import (
    LARGEST,
    digest_or_none,
    identity_or_none,
    instant_or_none,
    number_needed,
    number_or_none,
)
from server.api.framework.query_deadline import QueryDeadline
from server.api.framework.read_view import ReadView
from server.api.framework.rows import columns_of, rows_words
from server.core.problems import problem
from server.core.signed_note import verifier_key
from server.submissions.models import Decision
from server.submissions.selectors import decisions_public, tombstones_list
from server.transparency import publication_log
from server.transparency.cosignatures import head_cosigned
from server.transparency.log_entry import VERSION, time_text
from server.transparency.log_key import keys_list
from server.transparency.models import LogKey, LogLeaf, Withdrawal

PAGE = 100
MOST = 1000
NUMBER = {"type": "integer", "minimum": 0, "maximum": LARGEST}
DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$", "minLength": 64, "maxLength": 64}
LIMIT = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 0, "maximum": MOST},
    description=f"At most {MOST}; {PAGE} otherwise.",
)
_HASH = "Base64 of the 32 bytes."


class Base64Field(serializers.CharField):
    """Bytes, as base64 with padding."""

    def to_representation(self, value: Any) -> str:
        return base64.b64encode(value).decode()


class LogKeySerializer(serializers.Serializer[Any]):
    """A key that signed heads."""

    verifier_key = serializers.CharField(help_text="As tools that verify signed notes are given it.")
    public_key = serializers.CharField(help_text="`ed25519:` and the base64 of the raw key.")
    first_used_at = serializers.DateTimeField()


class LogHeadSerializer(serializers.Serializer[Any]):
    """The log at one size."""

    origin = serializers.CharField(help_text="The log's name.")
    size = serializers.IntegerField(help_text="Leaves.")
    root_hash = Base64Field(source="root", help_text=_HASH)
    checkpoint = serializers.CharField(help_text="The signed head, a note as C2SP tlog-checkpoint has it.")
    verifier_key = serializers.CharField(help_text="The key that signed this head.")
    keys = LogKeySerializer(many=True, help_text="Every key that signed heads, the first one first.")


class LogLeafSerializer(serializers.Serializer[Any]):
    """A submission was published or withdrawn, or digests of files were released."""

    index = serializers.IntegerField(help_text="Number of the leaf, from 0.")
    kind = serializers.ChoiceField(choices=LogLeaf.Kind.choices)
    digest = serializers.CharField(
        help_text="Lower-case hex SHA-256 of the envelope, or of the file SHA256SUMS that was released."
    )
    run_id = serializers.UUIDField(help_text="All zeros for what is no run.")
    at = serializers.CharField(help_text="UTC with six decimals of the second, as the leaf's bytes have it.")
    version = serializers.CharField(help_text="How the leaf's bytes are made.")


class LogLeavesSerializer(serializers.Serializer[Any]):
    """Leaves in their order."""

    results = LogLeafSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`start` of the next page; null at the end.")


class InclusionSerializer(serializers.Serializer[Any]):
    """That a leaf is in the log of one size."""

    leaf = LogLeafSerializer()
    leaf_hash = Base64Field(help_text=_HASH)
    size = serializers.IntegerField()
    proof = serializers.ListField(child=Base64Field(help_text=_HASH))


class ConsistencySerializer(serializers.Serializer[Any]):
    """That the log of one size is the beginning of a later one."""

    first = serializers.IntegerField()
    second = serializers.IntegerField()
    proof = serializers.ListField(child=Base64Field(help_text=_HASH))


class TombstoneSerializer(serializers.Serializer[Any]):
    """A run that was here."""

    run_id = serializers.UUIDField(source="leaf.run_id")
    digest = serializers.CharField(source="leaf.digest", help_text="Lower-case hex SHA-256 of the envelope.")
    withdrawn_at = serializers.DateTimeField(source="leaf.at")
    leaf = serializers.IntegerField(source="leaf_id", help_text="Number of the withdrawal's leaf.")
    reason = serializers.CharField()
    envelope = serializers.ChoiceField(choices=Withdrawal.Envelope.choices)
    erased = serializers.BooleanField(help_text="Whether every word that came with it was taken down too.")


class TombstonesSerializer(serializers.Serializer[Any]):
    """Tombstones in the order of their leaves."""

    results = TombstoneSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`start` of the next page; null at the end.")


class DecisionSerializer(serializers.Serializer[Any]):
    """What a moderator decided about a run. Who it was is not told."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    verdict = serializers.ChoiceField(choices=Decision.Verdict.choices)
    run_id = serializers.UUIDField(source="submission.run.run_id")
    reason = serializers.CharField(source="shown_reason")


class DecisionsSerializer(serializers.Serializer[Any]):
    """Decisions in their order."""

    results = DecisionSerializer(many=True)
    next = serializers.IntegerField(allow_null=True, help_text="`start` of the next page; null at the end.")


def key_data(key: LogKey) -> dict[str, Any]:
    public = bytes(key.public_key)
    return {
        "verifier_key": verifier_key(key.origin, public),
        "public_key": f"ed25519:{base64.b64encode(public).decode()}",
        "first_used_at": key.first_used_at,
    }


def leaf_data(leaf: LogLeaf) -> dict[str, Any]:
    """Return a leaf's body; its bytes can be made from it."""
    return {
        "index": leaf.index,
        "kind": leaf.kind,
        "digest": leaf.digest,
        "run_id": str(leaf.run_id),
        "at": time_text(leaf.at),
        "version": VERSION,
    }


def decision_data(decision: Decision) -> dict[str, Any]:
    return dict(DecisionSerializer(decision).data)


def tombstone_data(tombstone: Withdrawal) -> dict[str, Any]:
    return dict(TombstoneSerializer(tombstone).data)


@described("log_head", "Signed head of the publication log", shape=LogHeadSerializer)
class LogView(ReadView):
    """The head."""

    parameters = (
        OpenApiParameter("size", NUMBER, description="An earlier size; the present one otherwise."),
    )

    def get(self, request: Request) -> Response:
        """Return size, root and signature."""
        head = publication_log.log_head(size=number_or_none(request, "size"))
        keys = [key_data(key) for key in keys_list()]
        return Response(LogHeadSerializer({**asdict(head), "keys": keys}).data)


@described(
    "log_checkpoint", "Signed head as a C2SP checkpoint", responses={(200, "text/plain"): OpenApiTypes.STR}
)
class CheckpointView(ReadView):
    """The head as other tools read it."""

    def get(self, request: Request) -> HttpResponse:
        """Return the signed note alone."""
        note = publication_log.log_head().checkpoint
        return HttpResponse(note, content_type="text/plain; charset=utf-8")


@described(
    "log_cosigned",
    "The latest head that witnesses cosigned",
    responses={(200, "text/plain"): OpenApiTypes.STR, **problems(404)},
)
class CosignedView(ReadView):
    """The head with what others signed under it."""

    def get(self, request: Request) -> HttpResponse:
        """Return the signed note with its cosignatures (C2SP tlog-cosignature)."""
        note = head_cosigned()
        if note is None:
            raise problem("not-found", "No witness cosigned a head of this log yet.")
        return HttpResponse(note, content_type="text/plain; charset=utf-8")


class _ListedView(ReadView):
    """The base of rows that have numbers: pages by `start`, or all of them as lines."""

    renderer_classes = TABLES
    streams = streams_lines
    row: ClassVar[type[serializers.Serializer[Any]]]

    def lines_words(self) -> str:
        return rows_words(self.row())

    def listed(
        self,
        request: Request,
        found: QuerySet[Any],
        key: str,
        data: Callable[[Any], dict[str, Any]],
        name: str,
    ) -> HttpResponseBase:
        """Return a page of rows by the number `key`, or all of them from `start` on as lines."""

        def read(after: int, size: int) -> list[Any]:
            return list(found.filter(**{f"{key}__gt": after})[:size])

        def read_piece(after: int, size: int) -> list[Any]:
            with QueryDeadline(settings.API_EXPORT_LIMIT_MS):
                return read(after, size)

        before = (number_or_none(request, "start") or 0) - 1
        given = number_or_none(request, "limit", most=MOST)
        limit = PAGE if given is None else max(given, 1)
        if streams_lines(self, request):
            most = None if given is None else limit
            pieces = chunks_after(read_piece, before, lambda row: int(getattr(row, key)), most)
            chunks = ([data(row) for row in rows] for rows in pieces)
            return streamed(chunks, request.accepted_renderer, list(columns_of(self.row())), name=name)
        rows = read(before, limit + 1)
        following = getattr(rows[limit], key) if len(rows) > limit else None
        return Response({"results": [data(row) for row in rows[:limit]], "next": following})


@described("log_leaves", "Leaves of the publication log", shape=LogLeavesSerializer)
class LeavesView(_ListedView):
    """The leaves."""

    row = LogLeafSerializer
    parameters = (
        OpenApiParameter("start", NUMBER, description="Number of the first leaf; 0 otherwise."),
        LIMIT,
        OpenApiParameter("digest", DIGEST, description="Only what the log says of this envelope."),
        OpenApiParameter("run", OpenApiTypes.UUID, description="Only what the log says of this run."),
    )

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return leaves from `start` on, or those of a submission."""
        leaves = publication_log.leaves_list(
            digest=digest_or_none(request, "digest"), run_id=identity_or_none(request, "run")
        )
        return self.listed(request, leaves, "index", leaf_data, "leaves")


@described("log_inclusion", "Proof that a leaf is in the log", shape=InclusionSerializer)
class InclusionView(ReadView):
    """Proofs that a leaf is in the log."""

    parameters = (
        OpenApiParameter("leaf", NUMBER, required=True, description="Number of the leaf."),
        OpenApiParameter("size", NUMBER, description="Size of the log; the present one otherwise."),
    )

    def get(self, request: Request) -> Response:
        """Return the path from the leaf to the root (RFC 6962, 2.1.1)."""
        index, size = number_needed(request, "leaf"), number_or_none(request, "size")
        shown = publication_log.log_inclusion(index=index, size=size)
        return Response(
            InclusionSerializer(
                {
                    "leaf": leaf_data(shown.leaf),
                    "leaf_hash": shown.leaf_hash,
                    "size": shown.size,
                    "proof": shown.proof,
                }
            ).data
        )


@described(
    "log_consistency",
    "Proof that an earlier log is the beginning of a later one",
    shape=ConsistencySerializer,
)
class ConsistencyView(ReadView):
    """Proofs that nothing was taken back."""

    parameters = (
        OpenApiParameter("first", NUMBER, required=True, description="The earlier size."),
        OpenApiParameter("second", NUMBER, description="The later size; the present one otherwise."),
    )

    def get(self, request: Request) -> Response:
        """Return the proof (RFC 6962, 2.1.2); it is empty for equal sizes and for a first size of 0."""
        first, second = number_needed(request, "first"), number_or_none(request, "second")
        later, proof = publication_log.log_consistency(first=first, second=second)
        return Response(ConsistencySerializer({"first": first, "second": later, "proof": proof}).data)


@described("tombstones", "Withdrawn runs", "log", TombstonesSerializer)
class TombstonesView(_ListedView):
    """Runs that were withdrawn."""

    row = TombstoneSerializer
    parameters = (
        OpenApiParameter("since", OpenApiTypes.DATETIME, description="Only later ones; a date will do."),
        OpenApiParameter("start", NUMBER, description="Number of the first leaf to look at; 0 otherwise."),
        LIMIT,
    )

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return tombstones in the order of their leaves."""
        found = tombstones_list(since=instant_or_none(request, "since"))
        return self.listed(request, found, "leaf_id", tombstone_data, "tombstones")


@described("decisions", "What moderators decided", "runs", DecisionsSerializer)
class DecisionsView(_ListedView):
    """Decisions of moderators."""

    row = DecisionSerializer
    parameters = (
        OpenApiParameter("start", NUMBER, description="Id of the first decision to look at; 0 otherwise."),
        LIMIT,
    )

    def get(self, request: Request, format: str | None = None) -> HttpResponseBase:
        """Return decisions, the oldest first."""
        found = decisions_public().order_by("id")
        return self.listed(request, found, "id", decision_data, "decisions")
