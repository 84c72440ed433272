"""Rendered pages, kept for a while: most of a page's time is its rendering, and most visits are to few pages.

A kept page stands under the archive's version, which is another one after each change that pages show. What
was rendered before a change is therefore not shown after it, and a lost version only costs a rendering.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

import structlog
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from redis.exceptions import RedisError

log = structlog.get_logger("diskatlas.pages")

MOST_BYTES = 1024 * 1024
"""A larger page is not kept."""
_VERSION = "pages:version"
_VERSION_S = 30 * 86_400
_COOKIES = ("theme",)
View = Callable[..., HttpResponseBase]


def kept_rendered(*headers: str) -> Callable[[View], View]:
    """Keep what a view answers to everyone alike, by address, theme and the request's `headers`.

    For GET of pages without forms, sessions or anything else of one reader; `PAGES_KEPT_S` of 0 turns it off.
    Without the cache every page is rendered.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method != "GET" or not settings.PAGES_KEPT_S:
                return view(request, *args, **kwargs)
            key = _key(request, headers)
            found = _read(key) if key else None
            if found is not None:
                return _response(found)
            response = view(request, *args, **kwargs)
            if key and isinstance(response, HttpResponse) and _alike(response):
                _write(key, response)
            return response

        return answer

    return decorate


def pages_changed(**_: Any) -> None:
    """Give the archive another version once the present transaction stands; also a receiver of signals."""
    transaction.on_commit(_version_renew)


def _version_renew() -> None:
    try:
        cache.set(_VERSION, secrets.token_hex(8), _VERSION_S)
    except (RedisError, OSError) as error:
        log.warning("pages are kept until they are too old", error=str(error))


def _key(request: HttpRequest, headers: tuple[str, ...]) -> str:
    """Return what a page is kept under; empty where the cache does not answer."""
    try:
        version = cache.get(_VERSION)
        if version is None:
            # `add` lets one of several win: all then read the same.
            cache.add(_VERSION, secrets.token_hex(8), _VERSION_S)
            version = cache.get(_VERSION)
    except (RedisError, OSError):
        return ""
    told = [
        version,
        request.scheme,
        request.get_host(),
        request.get_full_path(),
        [request.COOKIES.get(name, "") for name in _COOKIES],
        [request.headers.get(name, "") for name in headers],
    ]
    return f"pages:{hashlib.sha256(json.dumps(told).encode()).hexdigest()}"


def _read(key: str) -> tuple[bytes, dict[str, str]] | None:
    try:
        found: tuple[bytes, dict[str, str]] | None = cache.get(key)
    except (RedisError, OSError):
        return None
    return found


def _write(key: str, response: HttpResponse) -> None:
    try:
        cache.set(key, (response.content, dict(response.items())), settings.PAGES_KEPT_S)
    except (RedisError, OSError) as error:
        log.warning("a page is not kept", error=str(error))


def _alike(response: HttpResponse) -> bool:
    """Return whether an answer is a whole page that is nobody's own."""
    return (
        response.status_code == 200
        and not response.cookies
        and "private" not in response.get("Cache-Control", "")
        and "no-store" not in response.get("Cache-Control", "")
        and len(response.content) <= MOST_BYTES
    )


def _response(found: tuple[bytes, dict[str, str]]) -> HttpResponse:
    content, told = found
    return HttpResponse(content, headers=told)
