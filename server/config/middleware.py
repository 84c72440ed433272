"""What every response carries, and what every request leaves in the log."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from server.config.error_views import error_response
from server.core.clock import monotonic_ms
from server.core.rate_limit import client_address, rate_limit_hit
from server.core.text import counted

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

    _NO_PAGES = ("/api/v1/", "/health/", "/static/")

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith(self._NO_PAGES):
            return self._get_response(request)
        state = rate_limit_hit(
            policy="page",
            client=client_address(request),
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


class RequestLogMiddleware:
    """Logs one line per request: method, path, status and time. No query string, no address."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began_ms = monotonic_ms()
        response = self._get_response(request)
        log.info(
            "request",
            method=request.method,
            path=request.path,
            status=response.status_code,
            elapsed_ms=round(monotonic_ms() - began_ms, 1),
        )
        return response
