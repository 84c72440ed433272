"""Reading a signed body: bounded on the wire and again while it is decompressed, never all at once
first."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Protocol

import zstandard
from django.conf import settings
from rest_framework.request import Request

from server.core.large_bodies import LARGE_BYTES, large_turn, overloaded, places
from server.core.problems import Problem, problem

_CHUNK = 64 * 1024
_DRAIN_FACTOR = 4
"""How much beyond the limit is read and thrown away, so that the sender gets to read the answer."""
_ZSTD_WINDOW = 2**27
"""Memory a frame may ask for; `zstd --long` asks for as much."""


class _Source(Protocol):
    def read(self, size: int) -> bytes: ...


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """How much may come, and what helps whom has more."""

    wire_bytes: int
    content_bytes: int
    remedy: str


def submission_limits() -> BodyLimits:
    """Return the limits of a signed run."""
    return BodyLimits(
        settings.SUBMISSION_MAX_WIRE_BYTES,
        settings.SUBMISSION_MAX_BYTES,
        "Compress the upload with zstd, or measure fewer kinds in one run (`--only KIND`).",
    )


@contextmanager
def body_opened(request: Request, limits: BodyLimits) -> Iterator[bytes]:
    """Give the decompressed body to the block, which a large one has alone on this machine; raises Problem
    as `body_read` does, and where there is no room for a large one."""
    with ExitStack() as stack:

        def wait() -> None:
            # Whose body was large on the wire already has a place (LargeBodyMiddleware).
            if not getattr(request._request, "has_large_place", False) and not stack.enter_context(
                places.taken()
            ):
                raise overloaded()
            stack.enter_context(large_turn())

        yield body_read(request, limits, before_large=wait)


def _no_wait() -> None:
    pass


def body_read(request: Request, limits: BodyLimits, *, before_large: Callable[[], None] = _no_wait) -> bytes:
    """Return the decompressed body; raises Problem where a limit or the encoding is broken.

    `before_large` is called when a body turns out to be large, with no more of it in memory than came.
    """
    _check_media_type(request)
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip", "x-gzip", "zstd", ""}:
        raise problem(
            "unsupported-encoding",
            f"The content encoding {encoding[:40]!r} is not understood. Send zstd, gzip or no encoding.",
        )
    wire = _read_wire(request, limits)
    if encoding == "zstd":
        return _bounded(_zstd_source(wire), limits, before_large)
    if encoding in {"gzip", "x-gzip"}:
        return _gunzip(wire, limits, before_large)
    if len(wire) > LARGE_BYTES:
        before_large()
    return wire


def _check_media_type(request: Request) -> None:
    media_type = (request.content_type or "").split(";")[0].strip().lower()
    if media_type not in {"application/json", "application/vnd.dsse.envelope.v1+json"}:
        raise problem(
            "unsupported-media-type",
            f"The content type is {media_type[:60] or 'missing'!r}. Send the envelope as application/json.",
        )


def _read_wire(request: Request, limits: BodyLimits) -> bytes:
    limit = limits.wire_bytes
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower() and not request.headers.get(
        "Content-Length"
    ):
        raise problem("length-required", "The upload says no length. Send a Content-Length header.")
    declared = int(request.META.get("CONTENT_LENGTH") or 0)
    stream = request._request
    if declared > limit:
        _drain(stream, min(declared, limit * _DRAIN_FACTOR))
        raise _too_large(f"The upload has {declared} bytes", limit, "on the wire", limits)
    content = bytearray()
    while chunk := stream.read(min(_CHUNK, limit + 1 - len(content))):
        content += chunk
        if len(content) > limit:
            raise _too_large(f"The upload has more than {limit} bytes", limit, "on the wire", limits)
    if len(content) < declared:
        raise problem(
            "bad-request", f"The upload ended after {len(content)} of {declared} bytes. Send it again."
        )
    return bytes(content)


def _drain(stream: _Source, size: int) -> None:
    while size > 0 and (chunk := stream.read(min(_CHUNK, size))):
        size -= len(chunk)


def _zstd_source(wire: bytes) -> _Source:
    return zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_reader(io.BytesIO(wire))


def _bounded(source: _Source, limits: BodyLimits, before_large: Callable[[], None]) -> bytes:
    content, limit, large = bytearray(), limits.content_bytes, False
    try:
        while chunk := source.read(_CHUNK):
            content += chunk
            if len(content) > limit:
                fact = f"The zstd body holds more than {limit} bytes"
                raise _too_large(fact, limit, "after decompression", limits)
            if not large and len(content) > LARGE_BYTES:
                large = True
                before_large()
    except zstandard.ZstdError as error:
        raise _bad_encoding("zstd", str(error)) from None
    return bytes(content)


def _gunzip(wire: bytes, limits: BodyLimits, before_large: Callable[[], None]) -> bytes:
    limit = limits.content_bytes
    decompressor = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        content = decompressor.decompress(wire, min(limit, LARGE_BYTES) + 1)
        if len(content) > LARGE_BYTES:
            before_large()
            content += decompressor.decompress(decompressor.unconsumed_tail, limit + 1 - len(content))
    except zlib.error as error:
        raise _bad_encoding("gzip", str(error)) from None
    if len(content) > limit:
        fact = f"The gzip body holds more than {limit} bytes"
        raise _too_large(fact, limit, "after decompression", limits)
    if not decompressor.eof:
        raise _bad_encoding("gzip", "the stream is cut off")
    if decompressor.unused_data:
        raise _bad_encoding("gzip", "bytes follow the first member")
    return content


def _bad_encoding(encoding: str, why: str) -> Problem:
    return problem(
        "bad-encoding",
        f"The body is not {encoding}: {why}. Compress it as one "
        f"{'frame' if encoding == 'zstd' else 'member'} and send "
        "it whole.",
    )


def _too_large(fact: str, limit: int, where: str, limits: BodyLimits) -> Problem:
    return problem("too-large", f"{fact}; the limit is {limit} bytes {where}. {limits.remedy}")
