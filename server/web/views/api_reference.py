"""The API's description as a page: every address with its parameters and answers, from the OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from server.web.page import page

_METHODS = ("get", "post")
_OTHERS = "other"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an address."""

    name: str
    place: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one address."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    tag: str
    parameters: tuple[Parameter, ...]
    statuses: str


@cache
def operations_list() -> tuple[tuple[str, tuple[Operation, ...]], ...]:
    """Return the operations by tag, in the order of their addresses."""
    document: Mapping[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    groups: dict[str, list[Operation]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                found = _operation(path, method, methods[method])
                groups.setdefault(found.tag, []).append(found)
    return tuple((tag, tuple(found)) for tag, found in groups.items())


def _operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    tag = (operation.get("tags") or [_OTHERS])[0]
    return Operation(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        tag=_OTHERS if tag == "api" else tag,
        parameters=tuple(_parameters(operation)),
        statuses=", ".join(sorted(operation["responses"])),
    )


def _parameters(operation: Mapping[str, Any]) -> Iterator[Parameter]:
    for entry in operation.get("parameters", ()):
        yield Parameter(
            name=entry["name"],
            place=entry["in"],
            kind=_kind(entry["schema"]),
            required=bool(entry.get("required")),
            description=entry.get("description", ""),
        )


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what a value is, in a few words."""
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    if choices := schema.get("enum"):
        return "one of " + ", ".join(str(choice) for choice in choices)
    return str(schema.get("format") or schema.get("type") or "text")


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Show the API's addresses."""
    return page(request, "web/api_reference.html", {"groups": operations_list()}, section="datasets")
