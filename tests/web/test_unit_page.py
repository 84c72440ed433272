"""The page of a unit: where its numbers lie among the other units' of its model."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from server.accounts.models import ProbeKey
from server.core.lifecycle import Provenance
from server.measurements.models import Run
from server.model_stats.unit_values import UNITS_SHOWN, UnitAmong, UnitPoint
from server.web.unit_strips import unit_strips
from tests.support.sample_units import measured
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def address(slug: str, unit: int) -> str:
    return f"/drives/{slug}/units/{f'{unit:064x}'[-64:]}/"


def test_a_unit_is_marked_among_all_units_with_batch_and_firmware(client: Client) -> None:
    for unit in range(1, 9):
        run = measured(unit, 100.0 + unit, firmware="S2" if unit > 5 else "S1")
    measured(3, 105.0)
    page = get(client, address(run.drive_model.slug, 1))
    words = text_of(page)
    assert "beside 7 others" in words
    assert "8th of 8 units, the highest first" in words
    assert "Below the middle half, within what is usual" in words
    assert page.count("This unit:") >= 1
    assert "Shape, by firmware" in words and "S1 (5)" in words and "S2 (3)" in words


def test_a_unit_far_from_the_others_is_said_to_be(client: Client) -> None:
    for unit in range(1, 9):
        measured(unit, 100.0 + unit)
    slug = measured(20, 150.0).drive_model.slug
    assert "Far above the others; 1st of 9 units" in text_of(get(client, address(slug, 20)))


def test_simulated_runs_and_unknown_units_have_no_page(client: Client) -> None:
    slug = measured(1, 100.0).drive_model.slug
    measured(2, 100.0, provenance=Provenance.SIMULATED)
    assert client.get(address(slug, 2)).status_code == 404
    assert client.get(address(slug, 7)).status_code == 404
    assert client.get(f"/drives/{slug}/units/zz/").status_code == 404
    assert "no other yet" in text_of(get(client, address(slug, 1)))


def test_a_unit_that_only_a_revoked_key_measured_is_none_of_the_others(
    client: Client,
) -> None:
    slug = measured(1, 100.0).drive_model.slug
    stolen = measured(2, 200.0, keyid="stolen")
    stolen.submission.refresh_from_db()
    assert "beside 1 other" in text_of(get(client, address(slug, 1)))
    ProbeKey.objects.filter(pk=stolen.submission.probe_key_id).update(
        status="revoked", revoked_from=stolen.submission.received_at
    )
    cache.clear()
    assert "no other yet" in text_of(get(client, address(slug, 1)))
    assert "200" not in text_of(get(client, address(slug, 2)))


def test_units_beyond_their_holders_share_push_no_others_out(client: Client) -> None:
    slug = measured(1, 100.0).drive_model.slug
    flood = [measured(unit, 400.0, keyid="flood") for unit in (2, 3)]
    Run.objects.filter(pk=flood[1].pk).update(beyond_share=True)
    assert "beside 1 other" in text_of(get(client, address(slug, 1)))
    cache.clear()
    assert "beside 2 others" in text_of(get(client, address(slug, 3)))


def test_the_way_leads_from_the_run_to_its_unit(client: Client) -> None:
    run = measured(1, 100.0)
    assert run.unit is not None
    link = f"/drives/{run.drive_model.slug}/units/{run.unit}/"
    assert link in get(client, f"/runs/{run.pk}/")
    assert link in get(client, f"/drives/{run.drive_model.slug}/")


def test_many_units_cover_each_other_no_more_than_they_must() -> None:
    run = measured(1, 100.0)
    points = tuple(UnitPoint(number, 100.0 + number / 1e6, 1, "", "S1") for number in range(UNITS_SHOWN))
    assert run.unit is not None
    run.unit.pk = 5
    place = ("zoned.outer_bandwidth", "")
    found = unit_strips(UnitAmong(run.unit, 400, UNITS_SHOWN, [], {place: points}), [place])
    [strip] = found.strips
    assert len({point.y for point in strip.points}) == 5
    assert strip.points[-1].own and sum(point.own for point in strip.points) == 1
    assert found.batches[0].label == "" and found.firmwares[0].units == UNITS_SHOWN
