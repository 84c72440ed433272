"""A model's page says what its units, conditions and mechanisms are."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.model_stats.refresh import refresh_model
from server.web.units import unit_name
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def page_of(client: Client, model: DriveModel) -> str:
    refresh_model(drive_model_id=model.pk)
    return client.get(f"/drives/{model.slug}/").content.decode()


def test_two_mechanisms_under_one_name_are_flagged_with_their_runs(client: Client) -> None:
    for place in range(3):
        model = measured(place).drive_model
    others = [measured(place, 140.0, track=220.0, rotation=11.11) for place in (10, 11)]
    text = page_of(client, model)
    assert "Two mechanisms are sold under this name: three units and two units differ in rotation" in text
    flag = text[text.index("Two mechanisms") : text.index("How mechanisms are told apart")]
    assert all(f"/runs/{run.pk}/" in flag for run in others)


def test_like_units_are_shown_without_a_flag(client: Client) -> None:
    for index in range(3):
        model = measured(index, 100.0 + index).drive_model
    text = page_of(client, model)
    assert "The spread over units of" in text
    assert "mechanisms are sold" not in text and "These numbers are of" not in text


def test_unlike_runs_are_told_with_their_counts(client: Client) -> None:
    measured(1)
    model = measured(2, firmware="S2").drive_model
    text = page_of(client, model)
    assert "These numbers are of 2 runs under 2 firmware revisions (S1: 1, S2: 1)." in text
    assert "Firmware revisions: too few units to tell whether they matter." in text


def test_a_model_with_one_run_has_no_section_of_units(client: Client) -> None:
    model = measured(1).drive_model
    assert "The spread over units of" not in page_of(client, model)


def test_the_methods_of_statistics_have_a_page_with_maxtors_arithmetic(client: Client) -> None:
    text = client.get("/methods/statistics/").content.decode()
    assert "<h1>Statistics</h1>" in text and "[5.812, 6.765]" in text
    assert "/methods/statistics/" in client.get("/methods/").content.decode()


def test_no_kind_takes_the_address_of_an_essay() -> None:
    from server.benchmarks.registry import KINDS
    from server.web.views.reference import ESSAYS

    assert not ESSAYS.keys() & {kind.slug for kind in KINDS}


def test_a_drive_that_nobody_named_is_shown_by_the_key_that_measured_it() -> None:
    assert unit_name("a1" * 32) == "a1" * 6
    assert unit_name(f"key {'b2' * 8}") == "the one of key b2b2b2b2"
