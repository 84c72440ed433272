"""The address at which a program begins: what there is to read, and where it is described."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from server.api.framework.openapi import described
from server.api.framework.read_view import ReadView
from server.api.version import API_VERSION


class RootSerializer(serializers.Serializer[Any]):
    """What there is."""

    version = serializers.CharField(help_text="Of the API's description.")
    openapi_url = serializers.URLField(help_text="The description of every address (OpenAPI).")
    documentation_url = serializers.URLField(help_text="The same for people.")
    resources = serializers.DictField(
        child=serializers.URLField(), help_text="What anybody may read, by its name, with its address."
    )


@described("root", "What there is to read", "archive", shape=RootSerializer)
class RootView(ReadView):
    """The root."""

    names: tuple[str, ...] = ()
    """Of the addresses that it lists."""

    def get(self, request: Request) -> Response:
        """Return the addresses of all resources."""

        def address(name: str) -> str:
            return request.build_absolute_uri(reverse(name))

        body = {
            "version": API_VERSION,
            "openapi_url": address("api:schema"),
            "documentation_url": address("api-reference"),
            "resources": {name: address(f"api:{name}") for name in self.names},
        }
        return Response(RootSerializer(body).data)
