"""Whatever stands behind the address of a page, and in a form that anybody may send: it is answered."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import LazySettings
from django.test import Client

from server.search.drive_list import PARAMETERS as LIST_PARAMETERS
from server.submissions.models import Submission
from server.web.views import explore
from tests.support.sample_archive import sample_run
from tests.web.test_permission_matrix import ANYBODY, address, routes, rule_of

pytestmark = [pytest.mark.django_db, pytest.mark.services]
PARAMETERS = sorted(
    {
        *(
            *LIST_PARAMETERS,
            *explore.PARAMETERS,
            "before",
            "check",
            "code",
            "d",
            "drive",
            "evidence",
            "format",
        ),
        *("format", "full", "kind", "level", "margin", "metric", "model", "next", "page", "run", "simulated"),
        *("size", "standing", "state", "verdict", "view"),
    }
)
HOSTILE = [
    *("x\0y", "-1", "9" * 1000, "1e999", "\u0663", "\u202e", "\uffff", "'\"><script>", "a" * 3000),
    *(",".join("ab" * 500), ":::"),
]
FORMS = ("/drives/ask/", "/contribute/import/", "/accounts/login/", "/accounts/password/reset/")


@pytest.fixture
def values(settings: LazySettings) -> dict[str, Any]:
    settings.ACCOUNT_RATE_LIMITS = False
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (100_000, 60))
    run = sample_run()
    submission = Submission.objects.get(run=run)
    known = {"slug": run.drive_model.slug, "run_id": run.pk, "submission_id": submission.pk}
    known |= {
        "part": "2026-w07",
        "provenance": "probe",
        "kind": "zoned",
        "chart_id": "profile",
        "form": "svg",
    }
    known |= {"number": 1, "path": "x", "key": "x", "token": "x", "name": "run", "section": "pages"}
    known |= {"uidb36": "1", "digits": run.unit.digest[:12] if run.unit else "", "login_id": run.pk}
    return known | {"profile_id": run.pk}


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: ascii(value)[:20])
def test_18_no_value_of_a_parameter_fails_a_page(client: Client, values: dict[str, Any], value: str) -> None:
    client.raise_request_exception = False
    query = urlencode(dict.fromkeys(PARAMETERS, value))
    failed = []
    for route in routes():
        if (rule_of(route) or {}).get("GET") != ANYBODY or route.startswith(("api/", "admin/")):
            continue
        for behind in (query, *(urlencode({name: value}) for name in ("page", "d"))):
            answer = client.get(f"{address(route, values)}?{behind}")
            if answer.status_code >= 500 and answer.status_code != 503:
                failed.append(f"{route}?{behind[:80]} {answer.status_code}")
    assert failed == []


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: ascii(value)[:20])
def test_18_no_word_in_a_form_fails_it(client: Client, values: dict[str, Any], value: str) -> None:
    client.raise_request_exception = False
    for form in (*FORMS, f"/drives/{values['slug']}/follow/"):
        page = client.get(form).content.decode()
        names = {*re.findall(r'name="([a-z_]+)"', page), "q", "drive", "offer", "mail", "login", "password"}
        for fields in (dict.fromkeys(names, value), {"offer": value}, {"mail": f"{value}@example.org"}):
            answer = client.post(form, fields)
            assert answer.status_code < 500 or answer.status_code == 503, (form, fields)
