"""The API's description as a page: every address with its parameters and answers, from the OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from server.web.page import page

_METHODS = ("get", "post")


@cache
def operations_by_tag() -> dict[str, list[dict[str, Any]]]:
    """Return the operations as the OpenAPI has them, each with its method and path, in the order of their
    addresses."""
    document: Mapping[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if operation := methods.get(method):
                tag = (operation.get("tags") or ["api"])[0]
                found = {**operation, "method": method.upper(), "path": path}
                groups.setdefault("other" if tag == "api" else tag, []).append(found)
    return groups


def value_words(schema: Mapping[str, Any]) -> str:
    """Return what a value is, in a few words."""
    if schema.get("type") == "array":
        return f"list of {value_words(schema['items'])}"
    if choices := schema.get("enum"):
        return "one of " + ", ".join(str(choice) for choice in choices)
    return str(schema.get("format") or schema.get("type") or "text")


@require_safe
def api_reference(request: HttpRequest) -> HttpResponse:
    """Show the API's addresses."""
    context = {"groups": operations_by_tag(), "value_words": value_words}
    return page(request, "web/api_reference.html", context, section="datasets")
