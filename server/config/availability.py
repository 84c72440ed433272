"""Whether the archive can answer, and what is said while it cannot: a page in the site's look, without a
database, or a problem document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DataError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe
from psycopg.errors import QueryCanceled

from server.config.error_views import error_response

log = structlog.get_logger("diskatlas.availability")
Handler = Callable[[HttpRequest], HttpResponseBase]

DATABASE_UNREACHABLE = (OperationalError, InterfaceError)
MESSAGE_MAX_CHARS = 500
RETRY_WITHOUT_DATABASE_S = 30
RETRY_IN_MAINTENANCE_S = 600
HEALTH_PATHS = ("/health/", "/healthz", "/readyz")
"""What a proxy or a monitor asks: not counted, and answered in maintenance too."""
DEFAULT_MESSAGE = "The archive is being looked after and will be back soon."


class AvailabilityMiddleware:
    """Answers 503 while the file `MAINTENANCE_FILE` is there, and where the database does not answer.

    `HEALTH_PATHS` are left alone: a process that is asked to wait is not to be restarted.
    """

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        message = None if request.path in HEALTH_PATHS else maintenance_message(settings.MAINTENANCE_FILE)
        if message is not None:
            return _unavailable(request, message, RETRY_IN_MAINTENANCE_S)
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        """Answer for a view that found no database, or asked it with what it takes nowhere; leave other
        failures to their own answer."""
        if isinstance(exception, DataError):
            log.warning("not taken by the database", path=request.path, exc_info=exception)
            return error_response(
                request,
                "bad-request",
                "The request holds what no text or number of the archive can be, such as a NUL character. "
                "Leave it out.",
            )
        if request.path in HEALTH_PATHS or not isinstance(exception, DATABASE_UNREACHABLE):
            return None
        if isinstance(exception.__cause__, QueryCanceled):
            log.warning("query given up", path=request.path)
            return _unavailable(
                request,
                "Finding what this page shows took the database too long. Narrow the choice, or try again "
                "in a minute.",
                RETRY_WITHOUT_DATABASE_S,
            )
        log.error("database unreachable", path=request.path, exc_info=exception)
        return _unavailable(
            request,
            "The archive's database does not answer just now. Try again in a minute.",
            RETRY_WITHOUT_DATABASE_S,
        )


def maintenance_message(path: Path) -> str | None:
    """Return what the maintenance file says, or a sentence where it is empty; None where there is none."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return " ".join(text.split())[:MESSAGE_MAX_CHARS] or DEFAULT_MESSAGE


def _unavailable(request: HttpRequest, message: str, retry_after_s: int) -> HttpResponseBase:
    response = error_response(request, "unavailable", message)
    response.headers["Retry-After"] = str(retry_after_s)
    response.headers["Cache-Control"] = "no-store"
    return response


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Answer 200 where the database answers; the queue may be away without a submission being lost."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})
