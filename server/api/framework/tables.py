"""Answers that are objects as JSON, and whose rows stand alone as CSV and NDJSON.

They are short and whole, and so no streams: an answer has its tag, and counts as any read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.formats import TABLES, streamed, streams_lines
from server.api.framework.openapi import ReadSchema
from server.api.framework.parameters import choice_read
from server.api.framework.read_view import ReadView
from server.api.framework.rows import columns_words

Columns = tuple[str, ...]


def fields_of(shape: type[serializers.Serializer[Any]]) -> Columns:
    """Return the columns of a table whose rows have the fields of a serializer."""
    return tuple(shape().fields)


class TableSchema(ReadSchema):
    """Describes which of its tables an address gives as lines."""

    def get_override_parameters(self) -> list[Any]:
        tables = list(self.view.tables)  # type: ignore[attr-defined]  # of TableView
        about = f"CSV, NDJSON: what lines are of, `{tables[0]}` unless told."
        rows = [OpenApiParameter("rows", enum=tables, description=about)] if len(tables) > 1 else []
        return [*super().get_override_parameters(), *rows]


class TableView(ReadView):
    """The base of such addresses."""

    renderer_classes = TABLES
    schema = TableSchema()
    from_replica = True
    tables: ClassVar[Mapping[str, tuple[str, Columns]]]
    """Name of a table to what one of its rows is and the row's fields; the usual one first. Where there is
    more than one, `rows` says which is meant."""
    file_name: ClassVar[str] = "rows"

    def known_parameters(self) -> set[str]:
        return super().known_parameters() | ({"rows"} if len(self.tables) > 1 else set())

    def lines_words(self) -> str:
        return lines_words(self.tables)

    def answer(
        self, request: Request, body: Any, tables: Mapping[str, Iterable[Mapping[str, Any]]]
    ) -> HttpResponseBase:
        """Return the body as JSON, or the rows of the table that is meant as lines; raises Problem."""
        name = choice_read(request, "rows", self.tables, next(iter(self.tables)))
        if not streams_lines(self, request):
            return Response(body)
        columns = self.tables[name][1]
        rows = ({column: row[column] for column in columns} for row in tables[name])
        file = f"{self.file_name}-{name}" if len(self.tables) > 1 else self.file_name
        return self.lines(request, rows, columns, name=file)

    def lines(
        self, request: Request, rows: Iterable[Mapping[str, Any]], columns: Columns, *, name: str
    ) -> HttpResponseBase:
        """Return rows as lines, with a file name to save them under."""
        renderer: Any = request.accepted_renderer
        return streamed([rows], renderer, [(column, (column,)) for column in columns], name=name, whole=True)


def lines_words(tables: Mapping[str, tuple[str, Columns]]) -> str:
    """Return what the lines of an address are, in words."""
    sentences = []
    for name, (row, columns) in tables.items():
        asked = f"`rows={name}`: one" if len(tables) > 1 else "One"
        sentences.append(f"{asked} line for each {row}; columns {columns_words(columns)}.")
    return " ".join(sentences)
