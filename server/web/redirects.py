"""Old addresses of drive models and vendors: what was merged into another one leads there."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from server.catalog.models import DriveRedirect, Vendor
from server.measurements.selectors import vendors_public
from server.submissions.models import CatalogueChange

_OF_MODEL = re.compile(r"^(?P<before>/(?:api/v1/)?drives/)(?P<slug>[-a-zA-Z0-9_]+)(?P<after>/.*)$")
_OF_VENDOR = re.compile(r"^/api/v1/vendors/(?P<slug>[-a-zA-Z0-9_]+)/$")


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
        if vendor := _OF_VENDOR.match(request.path):
            return _vendor_moved(vendor["slug"]) or response
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


def _vendor_moved(slug: str) -> HttpResponsePermanentRedirect | None:
    """Return the way to the vendor that one of this address was merged into, be it by several merges; None
    where none of them is shown. Vendors may have been merged to and fro."""
    merged = CatalogueChange.objects.filter(action=CatalogueChange.Action.VENDORS_MERGED, undone_by=None)
    passed = set[str]()
    while slug not in passed:
        passed.add(slug)
        target = merged.filter(details__source_slug=slug).values_list("details__target", flat=True).first()
        found = Vendor.objects.filter(pk=target).first() if target else None
        if found is None:
            return None
        slug = found.slug
        if Vendor.objects.filter(vendors_public(), pk=found.pk).exists():
            return HttpResponsePermanentRedirect(f"/api/v1/vendors/{slug}/")
    return None
