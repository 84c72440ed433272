"""The WSGI entry point."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "server.config.settings")

UTF_8 = frozenset({"utf-8", "utf8", "us-ascii"})
"""Names of UTF-8, and of the part of it that some clients declare."""
REFUSED = "diskatlas.charset"
"""The variable by which `CharsetMiddleware` learns what was named in place of it."""
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def text_is_utf_8(inner: Application) -> Application:
    """Return an application that reads no request by a codec that its sender chose.

    Django decodes the query when it makes a request, before any middleware, by the charset of the type: what
    names another than UTF-8, or can't be taken apart, is taken out here, and refused by `CharsetMiddleware`.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        charset = _charset(environ.get("CONTENT_TYPE", ""))
        if charset.strip().lower() not in UTF_8:
            environ["CONTENT_TYPE"], environ[REFUSED] = "application/octet-stream", charset
        return inner(environ, start_response)

    return answer


def _charset(content_type: str) -> str:
    try:
        return str(parse_header_parameters(content_type)[1].get("charset", "utf-8"))
    except Exception:  # whatever the standard library's parser of mails makes of strangers' bytes
        return "unreadable"


application = text_is_utf_8(get_wsgi_application())

# A full collection goes through all that was imported, 0.2 s in the middle of somebody's page, though none of
# it ever goes. What a request makes vanishes with it, almost all of it without a collection.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 20)
