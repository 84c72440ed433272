"""What the holder of a key asks for by requests that the key signs: no account is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from server.accounts.key_logins import INTERVAL_S, login_state
from server.accounts.models import KeyLogin, ProbeKey
from server.api.framework.filters import missing
from server.api.framework.limits import CommandThrottle
from server.api.framework.openapi import described, problems
from server.api.framework.query_deadline import QueryDeadline
from server.api.framework.read_view import ReadView
from server.api.request_body import BodyLimits, body_read
from server.api.serializers import SignatureSerializer
from server.core.envelope import COMMAND_TYPE
from server.core.lifecycle import State
from server.core.rate_limit import client_address
from server.submissions.commands import MOST_BYTES, Command, command_run
from server.submissions.holder import (
    HolderRuns,
    holder_label,
    holder_license,
    holder_login,
    holder_revoke,
    holder_rotate,
    holder_runs,
    holder_withdraw,
    last_reason,
)
from server.submissions.models import Submission
from server.submissions.selectors import came_after_revocation, submission_run

LOGIN_STATES = [(state, state) for state in (*KeyLogin.State.values, "expired")]
LIMITS = BodyLimits(MOST_BYTES, MOST_BYTES, "A command takes some hundred bytes: send it as the probe does.")


class CommandSerializer(serializers.Serializer[Any]):
    """A DSSE envelope around a command (command/v1)."""

    payloadType = serializers.CharField(help_text=f"`{COMMAND_TYPE}`.")
    payload = serializers.CharField(help_text="Base64 of the command.")
    signatures = SignatureSerializer(many=True)


class HolderKeySerializer(serializers.Serializer[Any]):
    """A key of the holder."""

    keyid = serializers.CharField()
    status = serializers.ChoiceField(choices=ProbeKey.Status.choices)
    first_seen_at = serializers.DateTimeField()
    revoked_from = serializers.DateTimeField(allow_null=True)


class HolderRunSerializer(serializers.Serializer[Any]):
    """What a key of the holder signed, published or not. A document that was no run has no run_id."""

    run_id = serializers.UUIDField(source="run.run_id", allow_null=True)
    submission = serializers.UUIDField(source="pk")
    keyid = serializers.CharField(source="probe_key.keyid")
    state = serializers.ChoiceField(choices=State.choices)
    reason = serializers.SerializerMethodField(help_text="Why it is there, in a sentence or more.")
    drive = serializers.SerializerMethodField(help_text="Vendor and model as the archive names them.")
    provenance = serializers.CharField(source="run.provenance", allow_null=True)
    license = serializers.CharField(source="run.license", allow_null=True)
    batch = serializers.SerializerMethodField(help_text="Week and label of the batch.")
    after_revocation = serializers.SerializerMethodField(
        help_text="Whether it came in after its key may have been in other hands."
    )
    received_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    status_url = serializers.SerializerMethodField()
    run_url = serializers.SerializerMethodField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().to_representation(instance)
        return dict.fromkeys(("run_id", "provenance", "license")) | found

    def get_reason(self, submission: Submission) -> str:
        return last_reason(submission)

    def get_drive(self, submission: Submission) -> str | None:
        run = submission_run(submission)
        return str(run.drive_model) if run else None

    def get_batch(self, submission: Submission) -> str | None:
        run = submission_run(submission)
        return str(run.batch) if run and run.batch else None

    def get_after_revocation(self, submission: Submission) -> bool:
        return came_after_revocation(submission)

    def get_status_url(self, submission: Submission) -> str:
        address: str = self._request.build_absolute_uri(reverse("api:submission", args=[submission.pk]))
        return address

    def get_run_url(self, submission: Submission) -> str | None:
        run = submission_run(submission)
        return self._request.build_absolute_uri(f"/runs/{run.pk}/") if run else None

    @property
    def _request(self) -> Request:
        request: Request = self.context["request"]
        return request


class HolderRunsSerializer(serializers.Serializer[Any]):
    """A holder's runs, the latest first."""

    keys = HolderKeySerializer(many=True, help_text="The keys of one holder, the first one first.")
    results = HolderRunSerializer(many=True, source="submissions")
    after = serializers.UUIDField(allow_null=True, help_text="For the next command; null on the last page.")


class KeyLoginSerializer(serializers.Serializer[Any]):
    """What a person does next, in the words of RFC 8628. `/api/v1/logins/<id>/` says how it ended."""

    id = serializers.UUIDField()
    user_code = serializers.SerializerMethodField(help_text="Typed, or compared, in the browser.")
    verification_uri = serializers.SerializerMethodField(help_text="Where the code is typed.")
    verification_uri_complete = serializers.SerializerMethodField(help_text="The same with the code.")
    expires_at = serializers.DateTimeField()
    interval = serializers.IntegerField(default=INTERVAL_S, help_text="Seconds between two looks.")

    def get_user_code(self, login: KeyLogin) -> str:
        return f"{login.user_code[:4]}-{login.user_code[4:]}"

    def get_verification_uri(self, login: KeyLogin) -> str:
        request: Request = self.context["request"]
        address: str = request.build_absolute_uri(reverse("account-device"))
        return address

    def get_verification_uri_complete(self, login: KeyLogin) -> str:
        return f"{self.get_verification_uri(login)}?code={self.get_user_code(login)}"


class LoginStateSerializer(serializers.Serializer[Any]):
    """How a request of a key stands."""

    state = serializers.ChoiceField(choices=LOGIN_STATES)


@described(
    "login_state",
    "How a key's login stands",
    "keys",
    LoginStateSerializer,
    description="Ask every `interval` seconds, as the answer to the command `login` says.",
)
class LoginView(ReadView):
    """Whether somebody approved a key."""

    def get(self, request: Request, login_id: UUID) -> Response:
        """Return the state."""
        state = login_state(login_id=login_id)
        if state is None:
            raise missing("login", login_id)
        return Response({"state": state}, headers={"Cache-Control": "no-store"})


class CommandView(APIView):
    """The base: takes a signed command, carries it out once, and says what came of it."""

    throttle_classes = [CommandThrottle]
    action: ClassVar[str]
    do: ClassVar[Callable[[Command], Any]]
    shape: ClassVar[type[serializers.Serializer[Any]]]

    def post(self, request: Request) -> Response:
        """Carry a command out."""
        content = body_read(request, LIMITS)
        with QueryDeadline(settings.API_PAGE_LIMIT_MS):
            done = command_run(
                content=content,
                action=self.action,
                addresses=own_addresses(request),
                do=type(self).do,
                sender=client_address(request._request),
            )
            data = self.shape(done, context={"request": request}).data
        return Response(data, headers={"Cache-Control": "private, no-store"})


def own_addresses(request: Request) -> list[str]:
    """Return the addresses that a command may name: the site's, and the one it came to where the settings
    say which those may be."""
    called = [] if "*" in settings.ALLOWED_HOSTS else [request.build_absolute_uri("/")]
    return [settings.SITE_URL, *called]


def command_view(
    name: str,
    do: Callable[[Command], HolderRuns | Submission | ProbeKey | KeyLogin],
    answer: type[serializers.Serializer[Any]],
    summary: str,
    description: str,
) -> type[CommandView]:
    """Return the view of one action."""

    class View(CommandView):
        action = name
        shape = answer

    View.do = staticmethod(do)
    View.__name__ = View.__qualname__ = f"{name.title()}View"
    describe = extend_schema(
        operation_id=f"my_{name}",
        summary=summary,
        description=f"{description} The body is a command `{name}` of the schema command/v1 in an envelope "
        "that the key signed, with a nonce of `/api/v1/challenges/`; each is carried out once.",
        tags=["keys"],
        parameters=[
            OpenApiParameter("Content-Encoding", str, OpenApiParameter.HEADER, enum=["zstd", "gzip"])
        ],
        request=CommandSerializer,
        responses={200: answer, **problems(400, 403, 404, 409, 411, 413, 415, 422, 429, 503)},
    )
    return extend_schema_view(post=describe)(View)


RunsView = command_view(
    "runs",
    holder_runs,
    HolderRunsSerializer,
    "Your runs",
    "All that a key and those that it followed have signed, published or not, with the reasons.",
)
WithdrawView = command_view(
    "withdraw",
    holder_withdraw,
    HolderRunSerializer,
    "Take a run back",
    "A published run leaves a tombstone and its leaves of the log; one that was not published leaves its id.",
)
LicenseView = command_view(
    "license",
    holder_license,
    HolderRunSerializer,
    "Widen a run's licence",
    "CC-BY-4.0 may become CC0-1.0. The signed command is kept as the proof of it.",
)
LabelView = command_view(
    "label",
    holder_label,
    HolderRunSerializer,
    "Label the batch of a run's drive",
    "The label stands beside the week of manufacture and takes the place of the one in the document.",
)
RevokeView = command_view(
    "revoke",
    holder_revoke,
    HolderKeySerializer,
    "Give a key up",
    "What it signs is refused from now on; runs that came in since the date are marked.",
)
RotateView = command_view(
    "rotate",
    holder_rotate,
    HolderKeySerializer,
    "Have a new key follow",
    "Both keys sign; from then on they are one holder's, and either may see and change the other's runs.",
)
LoginCommandView = command_view(
    "login",
    holder_login,
    KeyLoginSerializer,
    "Bind the key to an account",
    "Somebody who is signed in approves it within a quarter of an hour (RFC 8628). No token comes of it.",
)
