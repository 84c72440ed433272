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

from server.api.framework.keyset import QueryTimeout
from server.core.problems import MEDIA_TYPE, Problem, problem

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
        away = problem(
            "unavailable", "The archive's database does not answer just now. Nothing was accepted."
        )
        away.headers["Retry-After"] = "30"
        return problem_response(request, away)
    return problem_response(
        request,
        problem("server-error", "The archive failed to answer. Nothing was accepted; try again later."),
    )


def _of_api_exception(error: exceptions.APIException, request: Request) -> Problem:
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.Throttled):
        seconds = round(getattr(error, "wait", None) or 60)
        headers["Retry-After"] = str(seconds)
        trouble = problem(
            "too-many-requests", f"Too many requests from this address. Try again in {seconds} seconds."
        )
    elif isinstance(error, exceptions.NotFound):
        trouble = problem("not-found", f"Nothing is at {request.path}. Check the address.")
    elif isinstance(error, exceptions.MethodNotAllowed):
        trouble = problem("method-not-allowed", f"{request.method} is not understood at {request.path}.")
    else:
        slug = _SLUGS.get(error.status_code, "server-error" if error.status_code >= 500 else "bad-request")
        trouble = problem(slug, str(error.detail))
    trouble.headers.update(headers)
    return trouble


def _too_slow(error: QueryTimeout) -> Problem:
    """Return the problem of an answer that the database had no time for. Lists tell theirs themselves, with
    the filters that help."""
    trouble = problem(
        "unavailable",
        f"The database looked for this answer for {error.limit_ms / 1000:g} s, the limit, and had "
        "not all of it. It may be busy: ask again after 30 s. Where that is no help, ask for less: fewer "
        "groups, one kind, a narrower filter.",
    )
    trouble.headers["Retry-After"] = "30"
    return trouble


def _host(request: HttpRequest | Request) -> str:
    """Return the host of absolute addresses; a forged one must not break the error answer itself."""
    try:
        return request.get_host()
    except Exception:
        return "localhost"
