"""Old addresses of drive models: what was merged into another model leads there."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from server.catalog.models import DriveRedirect

_OF_MODEL = re.compile(r"^(?P<before>/(?:api/v1/)?drives/)(?P<slug>[-a-zA-Z0-9_]+)(?P<after>/.*)$")


class DriveRedirectMiddleware:
    """Asks for a redirect where an address below a model's was not found, and only there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Before: a view takes out of it what it does not know.
        query = request.META.get("QUERY_STRING", "")
        response = self._get_response(request)
        if response.status_code != 404 or request.method not in ("GET", "HEAD"):
            return response
        found = _OF_MODEL.match(request.path)
        moved = (
            DriveRedirect.objects.filter(slug=found["slug"])
            .values_list("drive_model__slug", flat=True)
            .first()
            if found
            else None
        )
        if found is None or moved is None:
            return response
        address = f"{found['before']}{moved}{found['after']}" + (f"?{query}" if query else "")
        return HttpResponsePermanentRedirect(address)
