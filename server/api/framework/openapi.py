"""How resources describe themselves in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework.pagination import BasePagination

from server.api.framework.parameters import LIMIT_MOST, LIMIT_USUAL
from server.api.framework.rows import RowSerializer
from server.api.serializers import ProblemSerializer
from server.core.problems import MEDIA_TYPE

_PROBLEM = OpenApiResponse(ProblemSerializer, description="A problem document (RFC 9457).")
_NOT_MODIFIED = OpenApiResponse(None, description="What the client has is still right.")
_STREAMS = ("text/csv", "application/x-ndjson")


def problems(*codes: int) -> dict[tuple[int, str], OpenApiResponse]:
    """Return the descriptions of answers that are problem documents."""
    return {(code, MEDIA_TYPE): _PROBLEM for code in codes}


def described(
    operation_id: str,
    summary: str,
    tag: str | None = None,
    shape: Any = None,
    *,
    codes: Iterable[int] = (),
    **more: Any,
) -> Any:
    """Return the decorator that describes a view's GET in the OpenAPI document: `shape` is what it answers
    with, where the view does not say, and `codes` are those of problems that few others have."""
    if shape is not None:
        more["responses"] = {200: shape, **problems(*codes)}
    tags = [tag] if tag else None
    return extend_schema_view(
        get=extend_schema(operation_id=operation_id, summary=summary, tags=tags, **more)
    )


def _query(name: str, description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(
        name, more.pop("type", str), OpenApiParameter.QUERY, description=description, **more
    )


def _names(name: str, description: str, names: Iterable[str]) -> OpenApiParameter:
    return _query(name, description, enum=sorted(names), many=True, style="form", explode=False)


def _header(name: str, description: str, codes: list[int]) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.HEADER, description=description, response=codes)


_ANSWERED = [200, 400, 404, 429]
_HEADERS = (
    _header(
        "RateLimit-Policy", "Quota and window, as draft-ietf-httpapi-ratelimit-headers has them.", _ANSWERED
    ),
    _header("RateLimit", "What is left of the quota, and the seconds until it is whole again.", _ANSWERED),
    _header("Retry-After", "Seconds to wait.", [429]),
    _header("ETag", "Tag of the answer, for If-None-Match.", [200]),
    _header("Link", "Of a page: its neighbours, `next` and `prev` (RFC 8288).", [200]),
)
PAGE_PARAMETERS = (
    _query(
        "limit",
        f"Rows of a JSON page, {LIMIT_USUAL} unless told; CSV and NDJSON give all rows unless told.",
        type={"type": "integer", "minimum": 1, "maximum": LIMIT_MOST},
    ),
    _query("cursor", "Where the page begins, as `next` and `previous` give it."),
)


class PageShape(BasePagination):
    """A page holds its rows and the addresses of its neighbours, and how many rows there are where that costs
    nothing or was asked for."""

    def get_paginated_response_schema(self, schema: Any) -> dict[str, Any]:
        address = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "total", "results"],
            "properties": {
                "next": {**address, "description": "Address of the next page; null on the last one."},
                "previous": {**address, "description": "Address of the page before; null on the first."},
                "total": {
                    "type": ["integer", "null"],
                    "description": "Rows of the list. Null where there are more pages and `total=true` "
                    "did not ask for it, or where counting takes too long.",
                },
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return none: `ResourceSchema` describes them."""
        return []


class ReadSchema(AutoSchema):
    """Describes an address that only reads: its headers, and the problems that can occur."""

    def get_override_parameters(self) -> list[Any]:
        view: Any = self.view
        return [*super().get_override_parameters(), *getattr(view, "parameters", ()), *_HEADERS]

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        """Return the declared answers, with 304 and the problems that can occur everywhere."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        more: tuple[int, ...] = getattr(self.view, "more_problems", ())
        for (code, media_type), answer in problems(400, 401, 404, 422, 429, 503, *more).items():
            described = self._answer(answer, str(code), [media_type], direction)
            bodies.setdefault(str(code), described)
        bodies.setdefault("304", self._answer(_NOT_MODIFIED, "304", None, direction))
        if words := self.view.lines_words():  # type: ignore[attr-defined]  # of ReadView
            for media_type in _STREAMS:
                bodies["200"]["content"][media_type] = {"schema": {"type": "string", "description": words}}
        return dict(sorted(bodies.items()))

    def _answer(self, *arguments: Any) -> Any:
        return self._get_response_for_code(*arguments)  # type: ignore[no-untyped-call]


class ResourceSchema(ReadSchema):
    """Describes a resource by what its view declares."""

    def get_override_parameters(self) -> list[Any]:
        view: Any = self.view
        fields, on_demand = view.shape_names()
        parameters = super().get_override_parameters()
        parameters.append(_names("fields", "The fields to give, separated by commas.", fields))
        if on_demand:
            parameters.append(_names("expand", "Fields that come only when asked for.", on_demand))
        if hasattr(view, "list_parameters"):
            parameters += view.list_parameters()
        return parameters


class RowExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Only a row's identity is always there: `fields=` may leave out all else."""

    target_class = RowSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        identity = [name for name in self.target.identity if name in schema.get("properties", {})]
        schema.pop("required", None)
        if identity:
            schema["required"] = identity
        return schema


def without_suffixes(endpoints: list[tuple[str, Any, str, Any]], **_more: Any) -> list[Any]:
    """Leave the addresses with `.json`, `.csv` and `.ndjson` out: they are the same resources."""
    return [entry for entry in endpoints if "{format}" not in entry[0]]


def parameters_as_checked(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Describe parameters as `parameters_check` takes them: not empty, not blank, without NUL."""
    for operation in _operations(result):
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "query":
                # Words of a list in one value are parted by commas, so that none can hold one.
                _not_empty(parameter["schema"], besides="" if parameter.get("explode", True) else ",")
    return result


def _operations(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for operations in result["paths"].values():
        yield from operations.values()


def _not_empty(schema: dict[str, Any], *, besides: str) -> None:
    if schema.get("type") == "array":
        schema.setdefault("minItems", 1)
        _not_empty(schema["items"], besides=besides)
    elif schema.get("type") == "number":
        # django-filter takes no larger ones.
        schema.setdefault("maximum", 1e50)
    elif schema.get("type") == "string" and not {"enum", "format", "pattern"} & set(schema):
        no = rf"\x00{besides}"
        schema |= {"minLength": 1, "pattern": rf"^[^{no}]*[^\s{no}][^{no}]*$"}


def streams_as_text(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Describe CSV and NDJSON as what they are: lines of text, not one JSON document."""
    for operation in _operations(result):
        for answer in operation.get("responses", {}).values():
            for media_type, content in answer.get("content", {}).items():
                if media_type in _STREAMS and content["schema"].get("type") != "string":
                    content["schema"] = {"type": "string"}
    return result
