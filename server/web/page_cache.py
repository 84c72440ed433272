"""Rendered pages, cached: most of a page's time is its rendering, and most visits are to few pages.

A page is kept under the tags of all that it shows (server/core/cache.py): models, runs, the lists. A change
of one of them ends the pages that show it, and no others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.request import split_domain_port
from django.http.response import HttpResponseBase

from server.core.cache import purges_before, tagged_get, tagged_set
from server.core.metrics import lookup_count
from server.core.replica import replica_answer

MOST_BYTES = 1024 * 1024
"""A larger page is not kept."""
_THEMES = ("light", "dark")
_shown: ContextVar[set[str] | None] = ContextVar("page_cache_shown", default=None)
View = Callable[..., HttpResponseBase]
Known = Iterable[str] | Mapping[str, Callable[[str], bool]]


def shows(*tags: str) -> None:
    """Note what the page that is being rendered shows; a page of which nothing is noted is not kept."""
    found = _shown.get()
    if found is not None:
        found.update(tags)


def cache_page(*headers: str, known: Known = ()) -> Callable[[View], View]:
    """Cache what a view answers to everyone alike, by address, theme, and which of `headers` a request has.

    `known` are the parameters that the view reads. Any other is taken out of the request, before the view and
    the page's own links see it: an address with junk behind it is the address without. With a function that
    says which values mean something, what means nothing is junk too, and of several values the last counts.

    For GET of pages without forms, sessions or anything else of one reader; the view says by `shows` what
    ends it. `PAGE_CACHE_S` of 0 turns it off.
    """

    names = frozenset(known)
    means = known if isinstance(known, Mapping) else {}

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            _narrow(request, names, means)
            if request.method != "GET":
                return view(request, *args, **kwargs)
            if not settings.PAGE_CACHE_S or not _own_name(request):
                return replica_answer(lambda: view(request, *args, **kwargs))
            key = _key(request, headers)
            found: tuple[bytes, dict[str, str]] | None = tagged_get(key)
            lookup_count("page", hit=found is not None)
            if found is not None:
                return HttpResponse(found[0], headers=found[1])
            purges, tags = purges_before(), set[str]()
            token = _shown.set(tags)
            try:
                response = replica_answer(lambda: view(request, *args, **kwargs), purges=purges)
            finally:
                _shown.reset(token)
            if tags and isinstance(response, HttpResponse) and _alike(response):
                page = (response.content, dict(response.items()))
                tagged_set(key, page, tags=tags, purges=purges, keep_s=settings.PAGE_CACHE_S)
            return response

        return answer

    return decorate


def _narrow(request: HttpRequest, known: frozenset[str], means: Mapping[str, Callable[[str], bool]]) -> None:
    if not request.META.get("QUERY_STRING"):
        return
    given = QueryDict(mutable=True)
    for name, values in request.GET.lists():
        if name in means:
            values = [value for value in values[-1:] if means[name](value)]
        if name in known and values:
            given.setlist(name, values)
    request.GET = given  # type: ignore[assignment]  # stubs want one that cannot be changed
    request.META["QUERY_STRING"] = given.urlencode()


def _own_name(request: HttpRequest) -> bool:
    """Return whether a page is asked for by a name that the operator gave the site: a name may be answered
    under any port, and where a pattern allows hosts under any name, each of which would be another copy."""
    host = request.get_host().lower()
    if host == urlsplit(settings.SITE_URL).netloc.lower():
        return True
    port = split_domain_port(host)[1]
    name = host.removesuffix(f":{port}") if port else host
    own = {one.lower() for one in settings.ALLOWED_HOSTS}
    return name in own and port in ("", str(request.META.get("SERVER_PORT", "")))


def release() -> str:
    """Return what changes with the front end's files, which pages name by their contents."""
    return str(getattr(staticfiles_storage, "manifest_hash", ""))


def _key(request: HttpRequest, headers: tuple[str, ...]) -> str:
    parts = [
        release(),
        request.scheme,
        request.get_host().lower(),
        request.path,
        sorted(request.GET.lists()),
        [theme for theme in _THEMES if request.COOKIES.get("theme") == theme],
        [name for name in headers if name in request.headers],
    ]
    return f"page:{hashlib.sha256(json.dumps(parts).encode()).hexdigest()}"


def _alike(response: HttpResponse) -> bool:
    """Return whether an answer is a whole page that is nobody's own."""
    return (
        response.status_code == 200
        and not response.cookies
        and "private" not in response.get("Cache-Control", "")
        and "no-store" not in response.get("Cache-Control", "")
        and len(response.content) <= MOST_BYTES
    )
