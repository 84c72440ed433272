"""Entity tags, dates and 304: whoever has an answer already gets told so."""

from __future__ import annotations

import hashlib
from datetime import datetime

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date

REVALIDATE = "public, no-cache"
"""Caches may keep an answer but ask before they give it again: what is withdrawn must vanish."""


def conditional(
    request: HttpRequest, response: HttpResponseBase, *, modified: datetime | None = None
) -> HttpResponseBase:
    """Return the response with its tag, or a 304 where the client has it.

    `modified` is given for single rows only. A list has no such date: a row that was taken out leaves none
    behind, so that a date would call a changed list unchanged. Its tag does not.
    """
    patch_vary_headers(response, ("Accept", "Accept-Encoding"))
    response.headers.setdefault("Cache-Control", REVALIDATE)
    if response.status_code != 200 or not isinstance(response, HttpResponse) or "ETag" in response:
        return response
    tag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
    response.headers["ETag"] = tag
    if modified is None:
        return get_conditional_response(request, etag=tag, response=response) or response
    seconds = int(modified.timestamp())
    response.headers["Last-Modified"] = http_date(seconds)
    return get_conditional_response(request, etag=tag, last_modified=seconds, response=response) or response
