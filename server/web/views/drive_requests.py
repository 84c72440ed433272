"""Asking for a drive that nobody has measured here, and which ones were asked for most."""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from server.catalog.models import DriveModel
from server.core.rate_limit import address_block, client_address, rate_limit_hit
from server.search.drive_requests import (
    NAME_MAX,
    BadName,
    drive_request_add,
    drive_requests,
    request_name,
    requested_model,
)
from server.submissions.moderation import PERMISSION
from server.web.page import page

PER_PAGE = 50
_DAY_S = 86_400


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Show what was asked for, with a form; count a drive that is asked for."""
    given = request.POST if request.method == "POST" else request.GET
    text, slug = given.get("q", "")[: 2 * NAME_MAX], given.get("drive", "")[:200]
    model = requested_model(slug)
    every = request.user.has_perm(PERMISSION)
    context: dict[str, Any] = {
        "wanted": model,
        "text": text,
        "error": "",
        "asked": "asked" in request.GET,
        "every": every,
        "name_max": NAME_MAX,
        "pages": Paginator(drive_requests(every_name=every), PER_PAGE).get_page(request.GET.get("page")),
    }
    status = 200
    if request.method == "POST":
        status, context["error"] = _count(request, model, text)
        if not context["error"]:
            return HttpResponseRedirect(f"{reverse('drive-ask')}?asked")
    return page(request, "web/drive_ask.html", context, section="drives", status=status)


def _count(request: HttpRequest, model: DriveModel | None, text: str) -> tuple[int, str]:
    """Count a request; return the status and what is wrong, empty where nothing is.

    What one network asks for twice within a day counts once, and is answered as if it had counted.
    """
    try:
        name = model.slug if model else request_name(text)
    except BadName as error:
        return 400, str(error)
    client = address_block(client_address(request))
    if rate_limit_hit(policy="ask", client=client, quota=settings.ASKS_PER_HOUR, window_s=3600).exceeded:
        return 429, "Too many models were asked for from here within the hour. Try again later."
    once = f"{client}:{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    if not rate_limit_hit(policy="ask-once", client=once, quota=1, window_s=_DAY_S).exceeded:
        drive_request_add(model=model, text=text)
    return 200, ""
