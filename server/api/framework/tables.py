"""Answers that are objects as JSON, and whose rows stand alone as CSV and NDJSON.

They are short and whole, and so no streams: an answer has its tag, and counts as any read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.formats import TABLES, lines_of, streams_lines
from server.api.framework.openapi import ReadSchema
from server.api.framework.parameters import choice_read
from server.api.framework.read_view import ReadView
from server.api.framework.rows import columns_of

RowShape = type[serializers.Serializer[Any]]


class LedRow(serializers.Serializer[Any]):
    """A row whose shape adds to another's, with what it adds in front."""

    leading: ClassVar[tuple[str, ...]] = ()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return the fields, those that lead first."""
        fields = super().get_fields()
        return {**{name: fields[name] for name in self.leading}, **fields}


class TableSchema(ReadSchema):
    """Describes the lines of an address by the columns of its rows."""

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        """Return the declared answers; those that are lines say what one is and which columns it has."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        view: Any = self.view
        for media_type in ("text/csv", "application/x-ndjson"):
            bodies["200"]["content"][media_type] = {
                "schema": {"type": "string", "description": lines_words(view.tables)}
            }
        return bodies


class TableView(ReadView):
    """The base of such addresses."""

    renderer_classes = TABLES
    schema = TableSchema()
    tables: ClassVar[Mapping[str, tuple[str, RowShape]]]
    """Name of a table to what one of its rows is and the row's shape; the usual one first. Where there is
    more than one, `rows` says which is meant."""
    file_name: ClassVar[str] = "rows"

    def known_parameters(self) -> set[str]:
        """Return the parameters that may be given."""
        return super().known_parameters() | ({"rows"} if len(self.tables) > 1 else set())

    def answer(
        self, request: Request, body: Any, tables: Mapping[str, Iterable[Mapping[str, Any]]]
    ) -> HttpResponseBase:
        """Return the body as JSON, or the rows of the table that is meant as lines; raises Problem."""
        name = choice_read(request, "rows", self.tables, next(iter(self.tables)))
        if not streams_lines(self, request):
            return Response(body)
        shape = self.tables[name][1]
        rows: Any = shape(list(tables[name]), many=True).data
        file = f"{self.file_name}-{name}" if len(self.tables) > 1 else self.file_name
        return self.lines(request, rows, shape, name=file)

    def lines(
        self, request: Request, rows: Iterable[Mapping[str, Any]], shape: RowShape, *, name: str
    ) -> HttpResponse:
        """Return rows of a shape as lines, with a file name to save them under."""
        renderer: Any = request.accepted_renderer
        text = lines_of(list(rows), renderer, list(columns_of(shape())))
        response = HttpResponse(text, content_type=f"{renderer.media_type}; charset=utf-8")
        response.headers["Content-Disposition"] = f'attachment; filename="{name}.{renderer.format}"'
        return response


def lines_words(tables: Mapping[str, tuple[str, RowShape]]) -> str:
    """Return what the lines of an address are, in words."""
    told = []
    for name, (row, shape) in tables.items():
        asked = f"`rows={name}`: one" if len(tables) > 1 else "One"
        columns = ", ".join(f"`{column}`" for column, _path in columns_of(shape()))
        told.append(f"{asked} line for each {row}; columns {columns}.")
    return " ".join(told)
