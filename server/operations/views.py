"""What a proxy and a monitor ask a web process."""

from __future__ import annotations

import structlog
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from server.operations.readiness import readiness

log = structlog.get_logger("diskatlas.readiness")
_HEADERS = {"Cache-Control": "no-store"}


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200 where the process lives. It asks nothing else: restarting it would mend nothing else."""
    return HttpResponse("ok\n", content_type="text/plain", headers=_HEADERS)


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 where database, cache, queue and storage are reached, else 503 and which are not.

    What exactly is wrong stands in the log alone: addresses and accounts are nobody's business.
    """
    troubles = readiness.troubles()
    wrong = {name: words for name, words in troubles.items() if words}
    if wrong:
        log.warning("not ready", **wrong)
    body = {
        "ready": not wrong,
        "parts": {name: "unreachable" if words else "ok" for name, words in troubles.items()},
    }
    return JsonResponse(
        body,
        status=503 if wrong else 200,
        headers={**_HEADERS, "Retry-After": "5"} if wrong else _HEADERS,
    )
