"""JSON, CSV and NDJSON: one page as JSON, or the whole result as a stream of lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from server.core.csv_text import CSVWriter

_OTHER = JSONEncoder().default
"""What the framework makes of values that JSON has no form for."""


def json_bytes(value: Any) -> bytes:
    """Return a value as JSON in UTF-8; instants in UTC end in Z."""
    try:
        return orjson.dumps(value, default=_OTHER, option=orjson.OPT_UTC_Z)
    except orjson.JSONEncodeError:
        # Whole numbers beyond 64 bits and keys that are no text: the compiled encoder refuses them.
        text = json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
        return text.encode()


class QuickJSONRenderer(JSONRenderer):
    """JSON by a compiled encoder: the framework's own takes longer than the query."""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else json_bytes(data)


class CSVRenderer(BaseRenderer):
    """Rows as RFC 4180 text with a header line. Views stream it; `render` is for single rows."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        columns: Columns = [(str(name), (str(name),)) for name in data]
        return "".join(csv_lines([[data]], columns)).encode()


class NDJSONRenderer(BaseRenderer):
    """One JSON object on each line. Views stream it."""

    media_type = "application/x-ndjson"
    format = "ndjson"
    charset = "utf-8"

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        return next(ndjson_lines([[data]]))


class JSONNegotiation(BaseContentNegotiation):
    """Picks the renderer that the address's suffix names, or `Accept`, and JSON otherwise.

    A client that asks for something unknown gets JSON too: a problem must reach it.
    """

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer and its media type; raises Http404 for a suffix that the address has not."""
        known = {str(renderer.media_type): renderer for renderer in renderers}
        if format_suffix:
            for media_type, renderer in known.items():
                if renderer.format == format_suffix:
                    return renderer, media_type
            raise Http404
        chosen = request._request.get_preferred_type(list(known)) or next(iter(known))
        return known[chosen], chosen


JSON_ONLY: list[type[BaseRenderer]] = [QuickJSONRenderer]
TABLES: list[type[BaseRenderer]] = [QuickJSONRenderer, CSVRenderer, NDJSONRenderer]
"""Renderers of a list, the usual one first."""

Rows = Iterable[Iterable[Mapping[str, Any]]]
Columns = Sequence[tuple[str, tuple[str, ...]]]


def streamed(
    chunks: Rows, renderer: BaseRenderer, columns: Columns, *, name: str, whole: bool = False
) -> HttpResponseBase:
    """Return chunks of rows as a stream in the renderer's format, with a file name to save it under; a short
    table comes as a `whole`."""
    csv_asked = isinstance(renderer, CSVRenderer)
    lines: Iterator[Any] = csv_lines(chunks, columns) if csv_asked else ndjson_lines(chunks)
    response_class = HttpResponse if whole else StreamingHttpResponse
    return response_class(
        lines,
        content_type=f"{renderer.media_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.{renderer.format}"'},
    )


def streams_lines(_view: Any, request: Request) -> bool:
    """Return whether a request gets lines, all of them, in place of a page: `streams` of views."""
    return isinstance(request.accepted_renderer, CSVRenderer | NDJSONRenderer)


def ndjson_lines(chunks: Rows) -> Iterator[bytes]:
    """Give each chunk's rows as lines of JSON."""
    for chunk in chunks:
        yield b"".join(json_bytes(row) + b"\n" for row in chunk)


def csv_lines(chunks: Rows, columns: Columns) -> Iterator[str]:
    """Give the header, then each chunk's rows. Texts that a spreadsheet would run are marked."""
    buffer = io.StringIO()
    writer = CSVWriter(buffer)
    writer.writerow([name for name, _path in columns])
    for chunk in chunks:
        writer.writerows([_cell(row, path) for _name, path in columns] for row in chunk)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    if rest := buffer.getvalue():
        yield rest


def _cell(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = row
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | UUID):
        return _OTHER(value)
    return json_bytes(value).decode() if isinstance(value, Mapping | list | tuple) else value
