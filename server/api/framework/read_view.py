"""What every readable address does: who asks, how often, with which parameters, and whether it is new."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from server.accounts.models import Scope
from server.api.framework.formats import JSON_ONLY
from server.api.framework.limits import ReadThrottle
from server.api.framework.openapi import ReadSchema
from server.api.framework.parameters import parameters_check
from server.api.framework.query_deadline import QueryDeadline
from server.api.tokens import BearerAuthentication, ScopePermission
from server.core.rate_limit import RateLimitState
from server.core.replica import replica_answer
from server.core.replication import on_primary

REVALIDATE = "public, no-cache"
"""Caches may keep an answer but ask before they give it again: what is withdrawn must vanish."""


class ReadView(APIView):
    """The base of every view that only reads."""

    renderer_classes = JSON_ONLY
    authentication_classes = [BearerAuthentication]
    permission_classes = [AllowAny, ScopePermission]
    scope: ClassVar[str] = Scope.READ.value
    """What a token has to be for, where one is sent."""
    throttle_classes = [ReadThrottle]
    schema = ReadSchema()
    parameters: ClassVar[Sequence[OpenApiParameter]] = ()
    """Those that the view reads itself: no others may be given than these and the base's."""
    repeatable: ClassVar[frozenset[str]] = frozenset()
    """Those of them that may be given more than once."""
    more_problems: ClassVar[tuple[int, ...]] = ()
    """Statuses of problems that only some views have."""
    from_replica: ClassVar[bool] = False
    """Whether the answer may be as old as the replica (`REPLICA_MAX_LAG_S`)."""
    deadline: QueryDeadline
    """Bounds the queries of the request being answered."""
    modified: datetime | None = None
    """When the single row that is answered with was changed last."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer; the answer carries its tag and where the client stands."""
        if self.from_replica and request.method in {"GET", "HEAD"}:
            return replica_answer(lambda: self._answer(request, *args, **kwargs))
        return self._answer(request, *args, **kwargs)

    def _answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with QueryDeadline() as self.deadline:
            response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
            if isinstance(response, Response) and not response.is_rendered:
                response.render()
        if links := _links(getattr(response, "data", None)):
            response.headers["Link"] = links
        response = conditional(request, response, modified=self.modified)
        state: RateLimitState | None = getattr(request, "rate_limit_state", None)
        for name, value in (state.headers() if state else {}).items():
            response.headers[name] = value
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check who asks, how often, and with which parameters; raises Problem."""
        with on_primary():  # Tokens may be new, and note when they were used.
            super().initial(request, *args, **kwargs)
        if request.method in {"GET", "HEAD"}:
            lines = self.streams(request)
            self.deadline.limit_ms = settings.API_EXPORT_LIMIT_MS if lines else settings.API_PAGE_LIMIT_MS
            parameters_check(request, self.known_parameters(), repeatable=self.repeatable)

    def check_throttles(self, request: Request) -> None:
        """Count the request; once, where the primary answers after the replica."""
        if not hasattr(request._request, "rate_limit_state"):
            super().check_throttles(request)

    def streams(self, request: Request) -> bool:
        """Return whether the answer is a stream of many lines, which counts apart and may take longer."""
        return False

    def exports(self, request: Request) -> bool:
        """Return whether the answer counts as the stream of a whole list."""
        return self.streams(request)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        return HttpResponse(status=204, headers={"Allow": ", ".join(self.allowed_methods)})

    def lines_words(self) -> str:
        """Return what the lines of CSV and NDJSON are, with their columns; empty where there are none."""
        return ""

    def known_parameters(self) -> set[str]:
        """Return the parameters that may be given."""
        return {one.name for one in self.parameters if one.location == OpenApiParameter.QUERY}


def _links(body: Any) -> str:
    """Return the page's neighbours as a `Link` field has them (RFC 8288); empty where there are none."""
    if not isinstance(body, Mapping):
        return ""
    neighbours = {"next": body.get("next"), "prev": body.get("previous")}
    return ", ".join(
        f'<{address}>; rel="{name}"'
        for name, address in neighbours.items()
        if isinstance(address, str) and address.startswith("http")
    )


def conditional(
    request: HttpRequest, response: HttpResponseBase, *, modified: datetime | None = None
) -> HttpResponseBase:
    """Return the response with its tag, or a 304 where the client has it.

    `modified` is given for single rows only. A list has no such date: a row that was taken out leaves none
    behind, so that a date would call a changed list unchanged. Its tag does not.
    """
    patch_vary_headers(response, ("Accept", "Accept-Encoding"))
    response.headers.setdefault("Cache-Control", REVALIDATE)
    if response.status_code != 200 or not isinstance(response, HttpResponse) or "ETag" in response:
        return response
    tag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = tag
    if modified is None:
        return get_conditional_response(request, etag=tag, response=response) or response
    seconds = int(modified.timestamp())
    response.headers["Last-Modified"] = http_date(seconds)
    return get_conditional_response(request, etag=tag, last_modified=seconds, response=response) or response
