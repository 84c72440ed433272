"""Shapes of the API's answers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request

from server.core.lifecycle import Provenance, State
from server.measurements.models import Benchmark
from server.submissions.intake import Received
from server.submissions.models import Submission
from server.submissions.selectors import submission_queue_position, submission_run


class SignatureSerializer(serializers.Serializer[Any]):
    """One signature of an envelope."""

    keyid = serializers.CharField(help_text="Lower-case hex SHA-256 of the raw public key.")
    sig = serializers.CharField(help_text="Base64 of the ed25519 signature.")
    public_key = serializers.CharField(required=False, help_text="`ed25519:` and the base64 of the raw key.")


class EnvelopeSerializer(serializers.Serializer[Any]):
    """A DSSE envelope."""

    payloadType = serializers.ChoiceField(choices=["application/vnd.diskatlas.run+json"])
    payload = serializers.CharField(help_text="Base64 of the run document.")
    signatures = SignatureSerializer(many=True)


class ChallengeSerializer(serializers.Serializer[Any]):
    """A nonce that was just given out."""

    nonce = serializers.CharField(help_text="What the run's random places follow from.")
    expires_at = serializers.DateTimeField(help_text="When a run under it has to have come in.")


class ReceiptSerializer(serializers.Serializer[Any]):
    """What a sender keeps."""

    id = serializers.UUIDField()
    digest = serializers.CharField(help_text="Lower-case hex SHA-256 of the envelope.")
    state = serializers.ChoiceField(choices=State.choices)
    status_url = serializers.URLField()
    run_url = serializers.URLField()


class BenchmarkStatusSerializer(serializers.Serializer[Any]):
    """Where one kind stands."""

    kind = serializers.CharField()
    state = serializers.ChoiceField(choices=Benchmark.State.choices)
    reason = serializers.CharField()


class EventSerializer(serializers.Serializer[Any]):
    """One step of a life."""

    at = serializers.DateTimeField()
    state = serializers.ChoiceField(choices=State.choices)
    reason = serializers.CharField()


class StatusSerializer(serializers.Serializer[Any]):
    """Where a submission stands; the run's fields are null for a document that was rejected."""

    id = serializers.UUIDField()
    digest = serializers.CharField()
    state = serializers.ChoiceField(choices=State.choices)
    queue_position = serializers.IntegerField(allow_null=True)
    run_id = serializers.UUIDField(allow_null=True)
    run_url = serializers.URLField(allow_null=True)
    provenance = serializers.ChoiceField(choices=Provenance.choices, allow_null=True)
    received_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    benchmarks = BenchmarkStatusSerializer(many=True)
    events = EventSerializer(many=True)


class ErrorItemSerializer(serializers.Serializer[Any]):
    """One place in the input that is wrong."""

    path = serializers.CharField(help_text="JSON Pointer into the document, or `?name` for a parameter.")
    message = serializers.CharField()


class ProblemSerializer(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.URLField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="Fact, limit, remedy.")
    errors = ErrorItemSerializer(many=True)  # type: ignore[assignment]  # the field's published name
    status_url = serializers.URLField(
        required=False, help_text="Where a signed but rejected document's status stands."
    )


def receipt_data(received: Received, request: Request) -> dict[str, Any]:
    """Return the body of a 202."""
    status_path = reverse("api:submission", args=[received.submission_id])
    return {
        "id": str(received.submission_id),
        "digest": received.digest,
        "state": received.state,
        "status_url": request.build_absolute_uri(status_path),
        "run_url": _run_url(received.run_id, request),
    }


def status_data(submission: Submission, request: Request) -> dict[str, Any]:
    """Return the body of the status address."""
    run = submission_run(submission)
    data = {
        "id": submission.pk,
        "digest": submission.digest,
        "state": submission.state,
        "queue_position": submission_queue_position(submission),
        "run_id": run.run_id if run else None,
        "run_url": _run_url(run.run_id if run else None, request),
        "provenance": run.provenance if run else None,
        "received_at": submission.received_at,
        "published_at": submission.published_at,
        "benchmarks": list(run.benchmarks.all()) if run else [],
        "events": list(submission.events.all()),
    }
    return dict(StatusSerializer(data).data)


def _run_url(run_id: UUID | None, request: Request) -> str | None:
    return request.build_absolute_uri(f"/runs/{run_id}/") if run_id else None
