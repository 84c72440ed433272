"""Files over HTTP with ranges (RFC 9110, section 14): a download that broke off goes on where it stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import IO

from django.http import HttpResponse, HttpResponseBase, HttpResponseNotModified, StreamingHttpResponse
from django.utils.http import parse_etags, quote_etag
from rest_framework.request import Request

from server.core.problems import problem

_CHUNK_BYTES = 256 * 1024
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def file_response(
    request: Request, *, open_file: Callable[[], IO[bytes]], size: int, digest: str, media: str, name: str
) -> HttpResponseBase:
    """Return a file that never changes, or the part of it that was asked for; raises Problem."""
    tag = quote_etag(digest)
    headers = {
        "ETag": tag,
        "Accept-Ranges": "bytes",
        "Cache-Control": "public, max-age=31536000, immutable, no-transform",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    if tag in parse_etags(request.headers.get("If-None-Match", "")):
        return HttpResponseNotModified(headers=headers)
    asked = _range_read(request, size, tag)
    first, last = asked or (0, size - 1)
    if asked:
        headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    headers["Content-Length"] = str(last - first + 1)
    status = 206 if asked else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type=media)
    chunks = _chunks(open_file(), first, last - first + 1)
    return StreamingHttpResponse(chunks, status=status, headers=headers, content_type=media)


def _range_read(request: Request, size: int, tag: str) -> tuple[int, int] | None:
    """Return the first and the last byte, or None for all of it. Several ranges are answered with all."""
    found = _RANGE.fullmatch(request.headers.get("Range", ""))
    if found is None or found[0] == "bytes=-" or request.headers.get("If-Range", tag) != tag:
        return None
    if not found[1]:
        first, last = max(size - int(found[2]), 0), size - 1
        unsatisfied = int(found[2]) == 0
    else:
        first, last = int(found[1]), min(int(found[2]), size - 1) if found[2] else size - 1
        if found[2] and int(found[2]) < first:
            return None
        unsatisfied = first >= size
    if unsatisfied:
        trouble = problem("range-not-satisfiable", f"The file has {size} bytes. Ask for some of those.")
        trouble.headers["Content-Range"] = f"bytes */{size}"
        raise trouble
    return first, last


def _chunks(file: IO[bytes], first: int, count: int) -> Iterator[bytes]:
    with file:
        file.seek(first)
        while count > 0 and (chunk := file.read(min(_CHUNK_BYTES, count))):
            count -= len(chunk)
            yield chunk
