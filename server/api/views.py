"""The API's views: each decodes, calls one service or selector, and answers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import resolve
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from server.accounts.models import Scope
from server.api.description import RUN_DOCUMENT
from server.api.errors import problem_response
from server.api.framework.filters import missing
from server.api.framework.limits import SubmissionThrottle
from server.api.framework.openapi import described, problems
from server.api.framework.read_view import ReadView
from server.api.request_body import body_opened, submission_limits
from server.api.resources.shared import gone_check
from server.api.serializers import (
    ChallengeSerializer,
    EnvelopeSerializer,
    ReceiptSerializer,
    StatusSerializer,
    receipt_data,
    status_data,
)
from server.api.tokens import BearerAuthentication, ScopePermission, account_acting
from server.core.envelope_store import envelope_load
from server.core.lifecycle import State
from server.core.problems import Problem, problem
from server.core.rate_limit import client_address
from server.measurements.documents import envelope_of
from server.plausibility.nonces import nonce_issue
from server.submissions.intake import submission_receive
from server.submissions.models import Submission
from server.submissions.selectors import submission_get, submission_of_run, submission_visible


class SubmissionsView(APIView):
    """Where signed runs come in."""

    authentication_classes = [BearerAuthentication]
    permission_classes = [AllowAny, ScopePermission]
    throttle_classes = [SubmissionThrottle]
    scope = Scope.SUBMIT.value

    @extend_schema(
        operation_id="submission_create",
        summary="Submit a signed run",
        description="The body is a DSSE envelope; the same bytes twice give the same submission.",
        parameters=[
            OpenApiParameter("Content-Encoding", str, OpenApiParameter.HEADER, enum=["zstd", "gzip"])
        ],
        request=EnvelopeSerializer,
        responses={
            202: ReceiptSerializer,
            **problems(400, 401, 403, 409, 411, 413, 415, 422, 429, 503),
        },
    )
    def post(self, request: Request) -> Response:
        """Take in an envelope."""
        with body_opened(request, submission_limits()) as content:
            try:
                received = submission_receive(content=content, address=client_address(request._request))
            except Problem as trouble:
                submission_id = trouble.extensions.pop("submission_id", None)
                if submission_id is not None:
                    address = request.build_absolute_uri(f"{request.path}{submission_id}/")
                    trouble.extensions["status_url"] = address
                raise
        body = receipt_data(received, request)
        return Response(body, status=202, headers={"Location": body["status_url"]})


@described("submission_status", "State of a submission", shape=StatusSerializer)
class SubmissionView(ReadView):
    """What became of a submission."""

    def get(self, request: Request, submission_id: UUID) -> Response:
        """Return the state, the queue position and every reason."""
        try:
            submission = submission_get(submission_id=submission_id)
        except Submission.DoesNotExist:
            raise problem(
                "not-found", f"There is no submission {submission_id}. Check the address."
            ) from None
        return Response(status_data(submission, request), headers={"Cache-Control": "no-store"})


@described(
    "challenge_get",
    "A fresh challenge for one run",
    "submissions",
    ChallengeSerializer,
    codes=(429,),
    description="Random places of a run that is measured under the nonce follow from it, so that the run "
    "can't have been measured before. Each answer has another nonce; it is good for one run.",
)
class ChallengesView(ReadView):
    """Where a probe asks what to measure by, before it measures."""

    def get(self, request: Request) -> Response:
        """Give out a nonce."""
        data = ChallengeSerializer(nonce_issue()).data
        return Response(data, headers={"Cache-Control": "no-store"})


@described(
    "run_envelope",
    "Signed envelope of a run",
    "runs",
    EnvelopeSerializer,
    codes=(410, 503),
)
class RunEnvelopeView(ReadView):
    """The signed envelope of a run, byte for byte."""

    def get(self, request: Request, run_id: UUID) -> HttpResponse:
        """Return the bytes that were submitted."""
        submission = _submission(request, run_id)
        content = envelope_load(digest=submission.digest, name=submission.storage_name)
        return _download(content, f"{run_id}.envelope.json", submission)


@described(
    "run_document",
    "Run document with all samples",
    "runs",
    responses={(200, "application/json"): RUN_DOCUMENT, **problems(410, 503)},
)
class RunDocumentView(ReadView):
    """The run document inside the envelope, byte for byte."""

    def get(self, request: Request, run_id: UUID) -> HttpResponse:
        """Return the bytes that were signed."""
        submission = _submission(request, run_id)
        return _download(envelope_of(submission).payload, f"{run_id}.run.json", submission)


@csrf_exempt  # It does nothing, and says so in the API's own words.
def unknown_address(request: HttpRequest, **_kwargs: Any) -> HttpResponse:
    """Answer every other address below /api/; one that lacks its last slash leads to it."""
    if not request.path.endswith("/") and resolve(f"{request.path_info}/").func is not unknown_address:
        query = request.META.get("QUERY_STRING", "")
        return HttpResponsePermanentRedirect(
            f"{request.path}/{'?' if query else ''}{query}", preserve_request=True
        )
    return problem_response(
        request, problem("not-found", f"Nothing is at {request.path}. Check the address.")
    )


def _submission(request: Request, run_id: UUID) -> Submission:
    try:
        submission = submission_of_run(run_id=run_id)
    except Submission.DoesNotExist:
        raise problem("not-found", f"There is no run {run_id}. Check the address.") from None
    gone_check(submission, run_id)
    if not submission_visible(submission, account_acting(request)):
        raise missing("published run", run_id)
    return submission


def _download(content: bytes, name: str, submission: Submission) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    if submission.state != State.PUBLISHED:
        headers["Cache-Control"] = "private, no-store"
    return HttpResponse(content, content_type="application/json", headers=headers)
