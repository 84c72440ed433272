"""Requests are text in UTF-8. A Content-Type may name any codec that Python has, and Django reads the query
and forms by it: by one that takes quadratic time, one that makes halves of surrogates, or one that is no
codec of text at all. The entry point (wsgi.py) takes the others out, and here they are refused in words."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from server.config.error_views import error_response

Handler = Callable[[HttpRequest], HttpResponseBase]
REFUSED = "diskatlas.charset"
"""The variable of a request by which the entry point says what was named in place of UTF-8."""


class CharsetMiddleware:
    """Answers 415 to a request that says its text is something else than UTF-8."""

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        charset = request.META.get(REFUSED)
        if charset is None:
            return self._get_response(request)
        return error_response(
            request,
            "unsupported-media-type",
            f"The Content-Type says that the text is {charset[:40]!r}. All text here is UTF-8: send it so, "
            "or leave the charset out.",
        )
