"""The accounts' pages wear the site's frame, and so does the answer to one who tries too often."""

from __future__ import annotations

import pytest
from allauth.core.ratelimit import respond_429
from django.test import Client, RequestFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("page", ["login", "signup", "password/reset"])
def test_accounts_pages_have_the_site_s_frame(client: Client, page: str) -> None:
    body = client.get(f"/accounts/{page}/").content.decode()
    assert 'class="masthead"' in body and 'class="button"' in body and "· DiskAtlas</title>" in body


def test_who_tries_too_often_is_told_so_on_a_page() -> None:
    answer = respond_429(RequestFactory().post("/accounts/login/"))
    assert answer.status_code == 429
    assert "Too many requests" in answer.content.decode() and 'class="masthead"' in answer.content.decode()
