"""The page that describes the API."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from django.test import Client

pytestmark = pytest.mark.django_db


def test_the_page_names_every_address_of_the_openapi_document(client: Client) -> None:
    text = client.get("/api/").content.decode()
    document = yaml.safe_load((Path(__file__).parents[3] / "docs/reference/openapi.yaml").read_text())
    for path, methods in document["paths"].items():
        for method in set(methods) & {"get", "post"}:
            assert f"<code>{method.upper()} {path}</code>" in text
            assert f'id="{methods[method]["operationId"]}"' in text
