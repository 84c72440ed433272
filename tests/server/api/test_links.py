"""Pages name their neighbours in the field `Link` too, for clients that follow it."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.server.api.test_frame import drives

pytestmark = pytest.mark.django_db


def test_20_a_page_names_its_neighbours_as_rfc_8288_has_them(client: Client) -> None:
    drives(5)
    first = client.get("/api/v1/drives/?limit=2")
    following = first.json()["next"]
    assert first["Link"] == f'<{following}>; rel="next"'
    second = client.get(following)
    body = second.json()
    assert second["Link"] == f'<{body["next"]}>; rel="next", <{body["previous"]}>; rel="prev"'
    whole = client.get("/api/v1/drives/?limit=500")
    assert "Link" not in whole and "Link" not in client.get("/api/v1/log/")
