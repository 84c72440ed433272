"""Schemathesis over the whole OpenAPI document: no failure, no undocumented status, no answer off its schema.

`make test` asks each operation a few times, `make fuzz-api` hundreds of times, and with MINUTES anew until
these have passed or something fails; each time without a token and with one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
import yaml
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import CHECKS

from server.accounts.models import User
from server.accounts.services import api_token_create
from server.config.wsgi import application
from tests.support.sample_archive import sample_archive

pytestmark = pytest.mark.django_db
EXAMPLES = int(os.environ.get("API_FUZZ_EXAMPLES", "4"))
DOCUMENT = Path(__file__).parents[3] / "docs/reference/openapi.yaml"
SCHEMA = schemathesis.openapi.from_path(DOCUMENT)
SCHEMA.app = application
SCHEMA.config.phases.coverage.enabled = EXAMPLES >= 50
"""Each value of each parameter, valid and not: minutes."""
PLAIN = {"Accept-Encoding": "identity"}
FUZZ = hypothesis_settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES < 50,
    database=None,
    suppress_health_check=list(HealthCheck),
)
ACCEPTANCE = CHECKS.get_one("positive_data_acceptance")
REJECTION = CHECKS.get_one("negative_data_rejection")
LISTS = {
    parameter["name"]
    for operations in yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))["paths"].values()
    for operation in operations.values()
    for parameter in operation.get("parameters", ())
    if parameter.get("explode") is False
}
"""Parameters that are a list in one value, parted by commas."""
OF_THE_ARCHIVE = {
    *("scope", "vendor", "vendor__in", "interface", "form_factor", "citation", "metric__startswith"),
    *("firmware", "license", "label", "batch_label", "extractor_version"),
}
"""Parameters whose words are those that the archive's rows have."""
SIGNALS = (request_started, request_finished)


@pytest.fixture
def archive(settings: Any) -> Iterator[dict[str, str]]:
    """Make a small sample archive, with limits that a fuzzer does not reach; give a token's header."""
    settings.API_LIMITS = dict.fromkeys(settings.API_LIMITS, (10**9, 60))
    # The test's transaction stays open over all requests, as in Django's own test client.
    for signal in SIGNALS:
        signal.disconnect(close_old_connections)
    sample_archive()
    owner = User.objects.create_user("sample-reader")
    _token, secret = api_token_create(owner=owner, name="sample")
    yield {"Authorization": f"Bearer {secret}"}
    for signal in SIGNALS:
        signal.connect(close_old_connections)


@SCHEMA.include(method="GET").parametrize()
@FUZZ
def test_every_answer_is_one_that_the_description_has(
    case: Any, archive: dict[str, str], tool_count: Any
) -> None:
    # No made-up key names a group, and a comparison of nothing is refused.
    excluded = [ACCEPTANCE] if "/comparisons/" in case.path else []
    # Which of these there are follows from the catalogue and the runs: a made-up one is told as such.
    if OF_THE_ARCHIVE & set(case.query or {}) or case.path.endswith("/facets/"):
        excluded = [*excluded, ACCEPTANCE]
    # `metric__in=false` is a right list of one word, whatever its value was before it was written down.
    if any(name in LISTS and not isinstance(value, list) for name, value in (case.query or {}).items()):
        excluded = [*excluded, REJECTION]
    case.call_and_validate(headers=PLAIN, excluded_checks=excluded)
    case.call_and_validate(headers=PLAIN | archive, excluded_checks=excluded)
    tool_count("schemathesis", 2, "cases")


@SCHEMA.exclude(method="GET").parametrize()
@FUZZ
def test_every_answer_to_a_change_is_one_that_the_description_has(
    case: Any, archive: dict[str, str], monkeypatch: pytest.MonkeyPatch, tool_count: Any
) -> None:
    monkeypatch.setattr("server.api.framework.limits.SubmissionThrottle.allow_request", lambda *_: True)
    monkeypatch.setattr("server.subscriptions.delivery.message_send", lambda *_: None)
    # What fits the description need not be accepted: nothing that is made up carries a right signature.
    case.call_and_validate(headers=PLAIN, excluded_checks=[ACCEPTANCE])
    case.call_and_validate(headers=PLAIN | archive, excluded_checks=[ACCEPTANCE])
    tool_count("schemathesis", 2, "cases")


def test_all_checks_take_part() -> None:
    names = set(CHECKS.get_all_names())
    assert {"not_a_server_error", "response_schema_conformance", "negative_data_rejection"} <= names
