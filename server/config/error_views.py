"""Answers to errors that no view caught: problem details below /api/, a page elsewhere."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string

from server.api.errors import problem_response
from server.core.problems import PROBLEM_TYPES, Problem


def error_response(request: HttpRequest, slug: str, detail: str) -> HttpResponseBase:
    """Return a listed problem as a page, or below /api/ as a problem document."""
    kind = PROBLEM_TYPES[slug]
    if request.path.startswith("/api/"):
        return problem_response(request, Problem(kind, detail))
    # The page reads the theme's cookie; nothing that could fail again, such as a context processor, runs.
    context = {"request": request, "title": kind.title, "detail": detail, "status": kind.status}
    return HttpResponse(render_to_string("web/error.html", context), status=kind.status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 400."""
    return error_response(
        request,
        "bad-request",
        "The request is malformed, so that it was not read further. "
        "Check the address, or start at the home page.",
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 403."""
    return error_response(
        request, "forbidden", "This address is not open to you. Sign in with an account that may see it."
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer 404."""
    return error_response(
        request, "not-found", f"Nothing is at {request.path}. Check the address, or start at the home page."
    )


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer 500."""
    return error_response(
        request, "server-error", "The archive failed to answer; the failure is in its log. Try again later."
    )


def too_many_requests(request: HttpRequest) -> HttpResponseBase:
    """Answer 429: to one who tries to sign in again and again."""
    return error_response(
        request,
        "too-many-requests",
        "This was asked too often from here within a short time. Try again in some minutes.",
    )
