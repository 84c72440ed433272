"""What every response carries, and what every request leaves in the log."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from server.core.clock import monotonic_ms

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
