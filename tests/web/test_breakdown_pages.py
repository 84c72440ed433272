"""Batch and firmware pages: what they say of drives, and what is missing where there is one of a thing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.group_keys import batch_part
from server.measurements.models import Batch, Run
from server.model_stats.refresh import refresh_model
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    cache.clear()
    yield


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def two_of_everything() -> DriveModel:
    """Eight drives of 100 to 103 MB/s in one batch under S1, eight of 120 to 123 in another under S2."""
    for index in range(8):
        model = measured(index, 100 + index % 4).drive_model
        run = measured(100 + index, 120 + index % 4, firmware="S2/b")
        batch, _made = Batch.objects.get_or_create(drive_model=model, year=2026, week=20, label="site A/1")
        Run.objects.filter(pk=run.pk).update(batch=batch)
    refresh_model(drive_model_id=model.pk)
    return model


def test_batches_that_differ_are_told_in_a_sentence_with_what_scatters(client: Client) -> None:
    model = two_of_everything()
    text = text_of(client, f"/drives/{model.slug}/batches/")
    assert "Batches differ in" in text
    assert "Batches differ: 2026-W20 site A/1 is higher than 2026-W07." in text
    assert "of the variance lies between batches" in text
    assert "Firmware revisions differ: S2/b is higher than S1." in text


def two_variants() -> DriveModel:
    """Eight drives of 100 to 103 MB/s of one variant, eight of 120 to 123 of another."""
    for index in range(16):
        second = index >= 8
        run = measured(index, (120 if second else 100) + index % 4)
        said = {"vendor": "ATA", "model": f"WDC WD10EZEX-{'21' if second else '75'}WN4A0"}
        device = run.summary["device"] | said
        Run.objects.filter(pk=run.pk).update(summary=run.summary | {"device": device})
    refresh_model(drive_model_id=run.drive_model_id)
    return run.drive_model


def test_variants_that_differ_are_told_with_their_pages_and_a_comparison(client: Client) -> None:
    model = two_variants()
    text = text_of(client, f"/drives/{model.slug}/batches/")
    assert "Variants differ: 21WN4A0 is higher than 75WN4A0." in text
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert f'href="/drives/{model.slug}/variants/75WN4A0/"' in page and "Compare the variants" in page
    own = text_of(client, f"/drives/{model.slug}/variants/75WN4A0/")
    assert "variant 75WN4A0" in own and "Compare with the other variants" in own
    keys = "&".join(f"d={model.slug}~variant:{name}" for name in ("75WN4A0", "21WN4A0"))
    compared = text_of(client, f"/compare/?{keys}")
    assert "variant 75WN4A0" in compared and "Variant of the model" not in compared
    assert client.get(f"/drives/{model.slug}/variants/00BN5A0/").status_code == 404


def test_a_model_without_variants_has_no_section_of_them(client: Client) -> None:
    assert "By variant" not in text_of(client, f"/drives/{two_of_everything().slug}/batches/")


def test_every_link_to_a_batch_or_revision_leads_to_its_page(client: Client) -> None:
    model = two_of_everything()
    page = client.get(f"/drives/{model.slug}/batches/").content.decode()
    links = set(re.findall(rf'href="(/drives/{model.slug}/(?:batches|firmware)/[^"]+/)"', page))
    assert len(links) == 4
    for link in links:
        text = text_of(client, link)
        assert "8 units, 8 runs" in text, link
    batch = Batch.objects.get(week=20)
    assert batch_part(batch) == "2026-w20:site A/1"


def test_a_batchs_page_says_how_it_stands_against_the_others(client: Client) -> None:
    model = two_of_everything()
    text = text_of(client, f"/drives/{model.slug}/batches/2026-w07/")
    assert "2026-W20 site A/1 is higher than 2026-W07" in text
    assert "Within it" in text and "101.5" in text


def test_a_unit_that_stands_apart_in_its_batch_is_named_with_its_distance(client: Client) -> None:
    for index in range(12):
        model = measured(index, 100 + 0.5 * (index % 5)).drive_model
    measured(99, 140.0)
    refresh_model(drive_model_id=model.pk)
    text = text_of(client, f"/drives/{model.slug}/batches/2026-w07/")
    assert f"Unit {99:064x}"[:17] in text and "robust standard deviations above the median" in text


def test_a_model_of_one_batch_says_what_is_missing(client: Client) -> None:
    model = measured(1).drive_model
    refresh_model(drive_model_id=model.pk)
    text = text_of(client, f"/drives/{model.slug}/batches/")
    assert "All that is known here is of one batch, 2026-W07 (one unit)" in text
    text = text_of(client, f"/drives/{model.slug}/batches/2026-w07/")
    assert "One unit alone has no spread" in text


def test_runs_that_tell_no_batch_are_counted_as_such(client: Client) -> None:
    model = measured(1).drive_model
    Run.objects.update(batch=None)
    refresh_model(drive_model_id=model.pk)
    assert "No run here tells its batch" in text_of(client, f"/drives/{model.slug}/batches/")
    measured(2)
    refresh_model(drive_model_id=model.pk)
    assert "not told 1 run" in text_of(client, f"/drives/{model.slug}/batches/")


def test_a_model_without_runs_says_how_to_make_one(client: Client) -> None:
    model = measured(1).drive_model
    Run.objects.all().update(provenance=Provenance.SIMULATED)
    text = text_of(client, f"/drives/{model.slug}/batches/")
    assert "No run of this model has been published yet" in text


def test_simulated_batches_say_that_they_are(client: Client) -> None:
    model = measured(1, provenance=Provenance.SIMULATED).drive_model
    refresh_model(drive_model_id=model.pk)
    assert "These are simulated runs" in text_of(client, f"/drives/{model.slug}/batches/")


@pytest.mark.parametrize("part", ["batches/2026-w09", "firmware/none", "batches/%2541", "firmware/a~sim~lit"])
def test_what_is_not_there_is_not_found(client: Client, part: str) -> None:
    model = measured(1).drive_model
    assert client.get(f"/drives/{model.slug}/{part}/").status_code == 404
