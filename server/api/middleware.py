"""Answers below /api/ travel compressed.

Ours since Django knows gzip only, and the one middleware that knows zstd was last released in March 2023.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import zstandard
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

Handler = Callable[[HttpRequest], HttpResponseBase]

PREFIX = "/api/"
_SMALLEST = 200
"""Bytes below which compressing is not worth it."""
_LEVEL = 3


class CompressionMiddleware:
    """Compresses answers of the API with zstd where the client takes it, with gzip otherwise.

    All of it is public: that lengths tell of contents harms nobody.
    """

    def __init__(self, get_response: Handler) -> None:
        self._get_response = get_response
        self._gzip = GZipMiddleware(get_response)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        # What is asked for in ranges of bytes travels as it is: the ranges are of those bytes.
        as_it_is = response.has_header("Content-Encoding") or response.has_header("Accept-Ranges")
        if as_it_is or not request.path.startswith(PREFIX):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        accepted = request.headers.get("Accept-Encoding", "")
        if not _takes("zstd", accepted):
            # Django's own looks for the word alone: whoever refuses gzip by `q=0` would get it.
            return self._gzip.process_response(request, response) if _takes("gzip", accepted) else response
        if isinstance(response, StreamingHttpResponse):
            response.streaming_content = _zstd(_chunks(response))
        elif isinstance(response, HttpResponse) and len(response.content) >= _SMALLEST:
            response.content = zstandard.ZstdCompressor(level=_LEVEL).compress(response.content)
            response.headers["Content-Length"] = str(len(response.content))
        else:
            return response
        etag = response.headers.get("ETag")
        if etag and etag.startswith('"'):
            response.headers["ETag"] = f"W/{etag}"
        response.headers["Content-Encoding"] = "zstd"
        return response


def _takes(encoding: str, accepted: str) -> bool:
    """Return whether `Accept-Encoding` names an encoding, and does not refuse it."""
    for entry in accepted.split(","):
        name, _, quality = entry.partition(";")
        if name.strip().lower() == encoding:
            return quality.replace(" ", "").lower() not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False


def _chunks(response: StreamingHttpResponse) -> Iterable[bytes]:
    return response.streaming_content  # type: ignore[return-value]  # synchronous here


def _zstd(chunks: Iterable[bytes]) -> Iterator[bytes]:
    compressor = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    for chunk in chunks:
        yield compressor.compress(chunk) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    yield compressor.flush()
