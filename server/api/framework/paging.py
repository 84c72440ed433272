"""The shape of a page, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from rest_framework.pagination import BasePagination


class PageShape(BasePagination):
    """A page holds its rows and the addresses of its neighbours; it says no total, since counting is not
    free."""

    def get_paginated_response_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a page of such rows."""
        address = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {
                "next": {**address, "description": "Address of the next page; null on the last one."},
                "previous": {**address, "description": "Address of the page before; null on the first."},
                "results": schema,
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return none: `ResourceSchema` describes them."""
        return []
