"""The one place where errors become responses."""

from __future__ import annotations

from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest, JsonResponse
from psycopg.errors import QueryCanceled
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.views import set_rollback

from server.api.framework.query_deadline import QueryTimeout
from server.core.envelope_store import EnvelopeLost, StorageUnavailable
from server.core.problems import MEDIA_TYPE, Problem, problem
from server.exports.drive import ExportError
from server.transparency.publication_log import NotInLog

log = structlog.get_logger("diskatlas.api")

_SLUGS = {
    status.HTTP_400_BAD_REQUEST: "bad-request",
    status.HTTP_401_UNAUTHORIZED: "forbidden",
    status.HTTP_403_FORBIDDEN: "forbidden",
    status.HTTP_404_NOT_FOUND: "not-found",
    status.HTTP_405_METHOD_NOT_ALLOWED: "method-not-allowed",
    status.HTTP_413_REQUEST_ENTITY_TOO_LARGE: "too-large",
    status.HTTP_415_UNSUPPORTED_MEDIA_TYPE: "unsupported-media-type",
    status.HTTP_429_TOO_MANY_REQUESTS: "too-many-requests",
}
_SLUG_OF: dict[type[Exception], str] = {
    EnvelopeLost: "storage-unavailable",
    ExportError: "not-found",
    NotInLog: "not-found",
}
"""Errors of other rooms whose words are for whoever asks."""


def problem_response(request: HttpRequest | Request, trouble: Problem) -> JsonResponse:
    """Return the problem document as a response."""
    body = trouble.body(base_url=f"{request.scheme}://{_host(request)}")
    response = JsonResponse(body, status=trouble.type.status, content_type=MEDIA_TYPE)
    for name, value in trouble.headers.items():
        response.headers[name] = value
    return response


def problem_exception_handler(error: Exception, context: dict[str, Any]) -> JsonResponse:
    """DRF's exception handler: every exception becomes a problem document."""
    request: Request = context["request"]
    if connection.in_atomic_block:
        set_rollback()
    if type(error) in _SLUG_OF:
        error = problem(_SLUG_OF[type(error)], str(error))
    if isinstance(error, Problem):
        log.info("problem", slug=error.type.slug, detail=error.detail)
        return problem_response(request, error)
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if isinstance(error, exceptions.APIException):
        return problem_response(request, _of_api_exception(error, request))
    if isinstance(error, OperationalError) and isinstance(error.__cause__, QueryCanceled):
        error = QueryTimeout(settings.API_PAGE_LIMIT_MS)  # while rows were fetched
    if isinstance(error, QueryTimeout):
        log.warning("looked too long", path=request.path, limit_ms=error.limit_ms)
        return problem_response(request, _too_slow(error))
    log.error("request failed", path=request.path, exc_info=error)
    if isinstance(error, OperationalError | InterfaceError):
        words = "The archive's database does not answer just now. Nothing was accepted."
        return problem_response(request, _retry_later(problem("unavailable", words)))
    if isinstance(error, StorageUnavailable):
        words = "The archive's storage of envelopes does not answer just now."
        return problem_response(request, _retry_later(problem("storage-unavailable", words)))
    words = "The archive failed to answer. Nothing was accepted; try again later."
    return problem_response(request, problem("server-error", words))


def _of_api_exception(error: exceptions.APIException, request: Request) -> Problem:
    if isinstance(error, exceptions.Throttled):
        seconds = round(getattr(error, "wait", None) or 60)
        words = f"Too many requests from this address. Try again in {seconds} seconds."
        return _retry_later(problem("too-many-requests", words), seconds)
    if isinstance(error, exceptions.NotFound):
        return problem("not-found", f"Nothing is at {request.path}. Check the address.")
    if isinstance(error, exceptions.MethodNotAllowed):
        return problem("method-not-allowed", f"{request.method} is not understood at {request.path}.")
    slug = _SLUGS.get(error.status_code, "server-error" if error.status_code >= 500 else "bad-request")
    return problem(slug, str(error.detail))


def _too_slow(error: QueryTimeout) -> Problem:
    """Return the problem of an answer that the database had no time for. Lists tell theirs themselves, with
    the filters that help."""
    trouble = problem(
        "unavailable",
        f"The database looked for this answer for {error.limit_ms / 1000:g} s, the limit, and had "
        "not all of it. It may be busy: ask again after 30 s. Where that is no help, ask for less: fewer "
        "groups, one kind, a narrower filter.",
    )
    return _retry_later(trouble)


def _retry_later(trouble: Problem, seconds: int = 30) -> Problem:
    trouble.headers["Retry-After"] = str(seconds)
    return trouble


def _host(request: HttpRequest | Request) -> str:
    """Return the host of absolute addresses; a forged one must not break the error answer itself."""
    try:
        return request.get_host()
    except Exception:
        return "localhost"
