"""What every response carries, and what every request leaves in the log."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from structlog.contextvars import bind_contextvars, clear_contextvars

from server.accounts.second_factor import second_factor_due
from server.config.availability import HEALTH_PATHS
from server.config.error_views import error_response
from server.core.clock import monotonic_ms
from server.core.large_bodies import RETRY_S, places
from server.core.metrics import http_requests, http_seconds, method_label
from server.core.rate_limit import limit_client, rate_limit_hit
from server.core.text import counted
from server.operations.log_context import request_id_choose

log = structlog.get_logger("diskatlas.http")
Handler = Callable[[HttpRequest], HttpResponseBase]


class SecurityHeadersMiddleware:
    """Adds the content security policy and the permissions policy to every response, and to those of the API
    that scripts and pictures of other sites may embed them: they are public."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if request.path.startswith("/api/"):
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response


class PageLimitMiddleware:
    """Counts what one address reads of the site's pages; the API has counts of its own."""

    _NO_PAGES = ("/api/v1/", "/static/", *HEALTH_PATHS)

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(self._NO_PAGES):
            return self._get_response(request)
        state = rate_limit_hit(
            policy="page",
            client=limit_client(request),
            quota=settings.PAGE_READS_PER_MINUTE,
            window_s=60,
        )
        if not state.exceeded:
            return self._get_response(request)
        response = error_response(
            request,
            "too-many-requests",
            f"Your address asked for more than {state.quota} pages within a minute. Try again in "
            f"{counted(state.reset_s, 'second')}. Programs read the API, and all of the archive at once as "
            "datasets.",
        )
        response.headers["Retry-After"] = str(state.reset_s)
        return response


class LargeBodyMiddleware:
    """Answers so many requests with a large body at a time, in each process of the web server, and tells the
    others to come again.

    A proxy keeps small bodies back until they are whole; of a large one the rest may come as slowly as its
    sender likes, and holds a thread. Half of the threads are left to all others.
    """

    LARGE_BYTES = 1024**2
    """What docker/Caddyfile keeps back (`request_buffers`)."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) <= self.LARGE_BYTES:
            return self._get_response(request)
        with places.taken() as free:
            if free:
                request.has_large_place = True  # type: ignore[attr-defined]
                return self._get_response(request)
        response = error_response(
            request,
            "overloaded",
            f"Other large uploads are under way, so that none of your {length} bytes was read. Send them "
            f"again in {RETRY_S} s.",
        )
        response.headers["Retry-After"] = str(RETRY_S)
        return response


class SecondFactorMiddleware:
    """Sends accounts that may moderate or administer to the page where a second factor is set up, and
    nowhere else, until they have one. The API takes no sessions."""

    _OPEN = (
        *("/api/v1/", "/static/", "/accounts/2fa/", "/accounts/reauthenticate/", *HEALTH_PATHS),
        *("/accounts/email/", "/accounts/confirm-email/", "/accounts/password/", "/accounts/log"),
    )

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Who has no session is not asked for one, and the answer does not vary by it.
        signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES and not request.path.startswith(
            self._OPEN
        )
        if signed_in and request.user.is_authenticated and second_factor_due(request.user):
            return HttpResponseRedirect(reverse("mfa_index"))
        return self._get_response(request)


class RequestLogMiddleware:
    """Logs one line per request: method, path, status and time. No query string, no address.

    All lines of a request carry its id, those of the tasks that it led to as well; so does the answer.
    """

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began_ms = monotonic_ms()
        request_id = request_id_choose(request.headers.get("X-Request-Id"), trusted=settings.BEHIND_PROXY)
        clear_contextvars()
        bind_contextvars(request_id=request_id)
        response = self._get_response(request)
        response.headers["X-Request-Id"] = request_id
        log.info(
            "request",
            method=request.method,
            path=request.path,
            status=response.status_code,
            elapsed_ms=round(monotonic_ms() - began_ms, 1),
        )
        # The pattern and not the address, of which there are as many as anybody likes to ask for.
        route = request.resolver_match.route if request.resolver_match else "none"
        http_requests.labels(route, method_label(request.method), response.status_code).inc()
        http_seconds.labels(route).observe((monotonic_ms() - began_ms) / 1000)
        return response
