"""The followed archive and followed drives over HTTP: an account's webhooks. Mail addresses are never
here."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from server.accounts.models import Scope, User
from server.api.framework.filters import missing
from server.api.framework.openapi import problems
from server.api.framework.read_view import ReadView
from server.api.framework.rows import AddressField
from server.api.tokens import CHALLENGE
from server.core.problems import ErrorItem, Problem, problem
from server.core.rate_limit import rate_limit_hit
from server.measurements.selectors import drive_model_public
from server.subscriptions.models import ArchiveEvent, Delivery, Subscription
from server.subscriptions.services import (
    TooMany,
    deliveries_latest,
    follow_stop,
    webhook_create,
    webhook_get,
    webhook_resume,
    webhook_test,
    webhooks_of,
)
from server.subscriptions.webhooks import MOST_LETTERS, BadTarget, message_id

TAG = ["follows"]
TESTS_PER_HOUR = 60
"""Test messages of one account: anybody's address may be named as a webhook."""
STATES = [(state.value, state.value) for state in (Subscription.State.ACTIVE, Subscription.State.PAUSED)]
_KINDS: dict[str, tuple[type, str]] = {
    "drive": (str, "a text"),
    "url": (str, "a text"),
    "simulated": (bool, "true or false"),
    "events": (list, "a list of types of events"),
}


class NewFollowSerializer(serializers.Serializer[Any]):
    """A webhook to be made."""

    drive = serializers.SlugField(
        max_length=200,
        required=False,
        help_text="Slug of the drive model whose new runs are told; left out, it is the whole archive, whose "
        "events are told.",
    )
    url = serializers.CharField(
        max_length=MOST_LETTERS, help_text="Where messages are posted: https:, a public address."
    )
    simulated = serializers.BooleanField(
        default=False, help_text="Whether runs of simulated drives count too."
    )
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=ArchiveEvent.Kind.choices),
        required=False,
        help_text="Of the whole archive: types of events that are told; left out or empty, all are.",
    )


class FollowSerializer(serializers.Serializer[Any]):
    """A drive model, or the whole archive, followed at a webhook."""

    id = serializers.UUIDField()
    drive = serializers.SlugField(
        source="drive_model.slug", default=None, allow_null=True, help_text="Null of the whole archive."
    )
    url = serializers.CharField()
    simulated = serializers.BooleanField()
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=ArchiveEvent.Kind.choices),
        help_text="Types of events that are told of the archive; none means all.",
    )
    state = serializers.ChoiceField(
        choices=STATES, help_text="Paused after ten tries of one message, or a 410."
    )
    reason = serializers.CharField(help_text="Why it is paused.")
    created_at = serializers.DateTimeField()
    active_since = serializers.DateTimeField(help_text="Runs published before are no news.")
    api_url = AddressField("api:follow", "pk")


class CreatedFollowSerializer(FollowSerializer):
    """A new webhook, with its secret this once."""

    secret = serializers.CharField(
        allow_null=True,
        help_text="Signs the messages (Standard Webhooks). Shown once; null where the webhook was there "
        "already.",
    )


class FollowsSerializer(serializers.Serializer[Any]):
    """An account's webhooks, the oldest first; never more than one page."""

    results = FollowSerializer(many=True)


class DeliverySerializer(serializers.Serializer[Any]):
    """A message and what became of it."""

    id = serializers.CharField(help_text="The message's `webhook-id`.")
    kind = serializers.ChoiceField(choices=Delivery.Kind.choices)
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    runs = serializers.IntegerField(help_text="Runs that it tells of.")
    events = serializers.IntegerField(help_text="Events of the archive that it tells of.")
    attempts = serializers.IntegerField()
    status = serializers.IntegerField(allow_null=True, help_text="The last HTTP status.")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    next_try_at = serializers.DateTimeField(allow_null=True, help_text="Null once it has ended.")


class FollowDetailSerializer(FollowSerializer):
    """A webhook with its last messages."""

    deliveries = DeliverySerializer(many=True, help_text="The last 20, the latest first.")


class AccountView(ReadView):
    """The base of what needs an account."""

    scope = Scope.MANAGE.value

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check that somebody asks; raises Problem."""
        super().initial(request, *args, **kwargs)
        if not isinstance(request.user, User):
            trouble = problem(
                "token-needed",
                "This address belongs to an account. Send `Authorization: Bearer TOKEN`; accounts make "
                "tokens at /accounts/tokens/.",
            )
            trouble.headers["WWW-Authenticate"] = CHALLENGE
            raise trouble

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Keep what is an account's own out of shared caches."""
        answered = super().finalize_response(request, response, *args, **kwargs)
        answered.headers["Cache-Control"] = "private, no-store"
        return answered

    def follow(self, request: Request, follow_id: UUID) -> Subscription:
        """Return one of the account's webhooks; raises Problem."""
        try:
            return webhook_get(owner=_owner(request), follow_id=follow_id)
        except Subscription.DoesNotExist:
            raise missing("follow", follow_id) from None


class FollowsView(AccountView):
    """An account's webhooks."""

    @extend_schema(
        operation_id="follows_list",
        summary="Your webhooks",
        tags=TAG,
        responses={200: FollowsSerializer},
    )
    def get(self, request: Request) -> Response:
        """Return all of them."""
        rows = [follow_data(follow, request) for follow in webhooks_of(_owner(request))]
        return Response({"results": rows})

    @extend_schema(
        operation_id="follows_create",
        summary="Follow a drive or the whole archive at a webhook",
        description="The same drive and address twice make one webhook; the second answer is a 200.",
        tags=TAG,
        request=NewFollowSerializer,
        responses={200: CreatedFollowSerializer, 201: CreatedFollowSerializer, **problems(409, 422)},
    )
    def post(self, request: Request) -> Response:
        """Make a webhook."""
        wish = _wish(request)
        model = drive_model_public(slug=wish["drive"]) if "drive" in wish else None
        if "drive" in wish and model is None:
            raise missing("drive", wish["drive"])
        try:
            follow, made = webhook_create(
                owner=_owner(request),
                model=model,
                url=wish["url"],
                simulated=wish["simulated"],
                events=wish.get("events", ()),
            )
        except BadTarget as error:
            raise problem("bad-target", str(error), ErrorItem("/url", "is not taken")) from None
        except TooMany as error:
            raise problem("too-many-follows", str(error)) from None
        body = {**follow_data(follow, request), "secret": follow.secret if made else None}
        return Response(body, status=201 if made else 200, headers={"Location": body["api_url"]})


class FollowView(AccountView):
    """One webhook."""

    @extend_schema(
        operation_id="follows_get",
        summary="A webhook and its last messages",
        tags=TAG,
        responses={200: FollowDetailSerializer},
    )
    def get(self, request: Request, follow_id: UUID) -> Response:
        """Return it."""
        follow = self.follow(request, follow_id)
        deliveries = [delivery_data(one) for one in deliveries_latest(follow)]
        return Response({**follow_data(follow, request), "deliveries": deliveries})

    @extend_schema(
        operation_id="follows_delete",
        summary="End a webhook",
        tags=TAG,
        responses={204: None},
    )
    def delete(self, request: Request, follow_id: UUID) -> HttpResponse:
        """End it; nothing of it is kept."""
        follow_stop(follow_id=self.follow(request, follow_id).pk)
        return HttpResponse(status=204)


class FollowResumeView(AccountView):
    """Going on with a paused webhook."""

    @extend_schema(
        operation_id="follows_resume",
        summary="Go on with a paused webhook",
        description="With what is published from now on; the list of runs has what was missed.",
        tags=TAG,
        request=None,
        responses={200: FollowSerializer},
    )
    def post(self, request: Request, follow_id: UUID) -> Response:
        """Make it active again."""
        follow = webhook_resume(follow=self.follow(request, follow_id))
        return Response(follow_data(follow, request))


class FollowTestView(AccountView):
    """Trying a webhook."""

    @extend_schema(
        operation_id="follows_test",
        summary="Have a test message sent",
        description="A signed message of type `follow.test`, within a minute.",
        tags=TAG,
        request=None,
        responses={202: DeliverySerializer},
    )
    def post(self, request: Request, follow_id: UUID) -> Response:
        """Send a message without runs."""
        state = rate_limit_hit(
            policy="webhook-test", client=str(_owner(request).pk), quota=TESTS_PER_HOUR, window_s=3600
        )
        if state.exceeded:
            raise Throttled(state.reset_s)
        made = webhook_test(follow=self.follow(request, follow_id))
        return Response(delivery_data(made), status=202)


def follow_data(follow: Subscription, request: Request) -> dict[str, Any]:
    """Return a webhook's body, without its secret."""
    return dict(FollowSerializer(follow, context={"request": request}).data)


def delivery_data(delivery: Delivery) -> dict[str, Any]:
    """Return a message's body; what has ended is not tried again."""
    ended = {} if delivery.state == Delivery.State.WAITING else {"next_try_at": None}
    return {**DeliverySerializer(delivery).data, "id": message_id(delivery.pk), **ended}


def _owner(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


def _wish(request: Request) -> dict[str, Any]:
    data = request.data
    if not isinstance(data, dict):
        raise _wrong(ErrorItem("", "is not an object with url and drive."))
    for name, (kind, words) in _KINDS.items():
        # Fields are read strictly: a serializer takes 1 for a text and "yes" for true.
        if name in data and not isinstance(data[name], kind):
            raise _wrong(ErrorItem(f"/{name}", f"is not {words}."))
    if data.get("events") and "drive" in data:
        raise _wrong(ErrorItem("/events", "is of the whole archive: a drive's followers are told of runs."))
    for index, event in enumerate(data.get("events", ())):
        if not isinstance(event, str) or event not in ArchiveEvent.Kind.values:
            known = ", ".join(ArchiveEvent.Kind.values)
            raise _wrong(ErrorItem(f"/events/{index}", f"is no type of event. Choose of: {known}."))
    wish = NewFollowSerializer(data=data)
    if not wish.is_valid():
        raise _wrong(*(ErrorItem(f"/{name}", str(words[0])) for name, words in wish.errors.items()))
    unknown = sorted(set(data) - set(wish.fields))
    if unknown:
        raise _wrong(ErrorItem(f"/{unknown[0][:60]}", "is not known."))
    found: dict[str, Any] = wish.validated_data
    return found


def _wrong(*errors: ErrorItem) -> Problem:
    first = errors[0]
    return problem(
        "bad-request",
        f"{first.path or 'The body'} {first.message} Send JSON with url, the drive unless all of the archive "
        "is meant and, if you like, simulated and events.",
        *errors,
    )
