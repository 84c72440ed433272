"""The page of a drive model: its numbers with what they rest on, what is missing, and what is alike."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.catalog.sightings import sightings_load
from server.core import clock
from server.core.lifecycle import Provenance
from server.measurements.models import AggregateDue, Batch, Run
from server.model_stats.refresh import refresh_model
from tests.support.sample_archive import DAY, SampleRun, drive_model_curated, sample_archive, sample_run
from tests.support.sample_units import measured
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def page_of(client: Client, model: DriveModel, query: str = "") -> str:
    return get(client, f"/drives/{model.slug}/{query}")


def known(number: str, **facts: object) -> DriveModel:
    model = drive_model_curated(vendor_name="Sampledata", model_name=number, simulated=False)
    for name, value in facts.items():
        setattr(model, name, value)
    model.save()
    return model


def test_a_number_of_several_units_is_their_median_with_its_quartiles(client: Client) -> None:
    for index, rate in enumerate((100.0, 102.0, 104.0)):
        model = measured(index, rate).drive_model
    refresh_model(drive_model_id=model.pk)
    assert "median of 3 units, quartiles" in text_of(page_of(client, model))


def test_a_number_of_one_run_has_the_interval_of_its_samples(client: Client) -> None:
    model = sample_run().drive_model
    refresh_model(drive_model_id=model.pk)
    words = text_of(page_of(client, model))
    assert "Rotation 7200.2 rpm 8.3331 ms a turn, 8.3302 to 8.3360 one run" in words


def test_a_number_of_another_run_does_not_borrow_an_interval(client: Client) -> None:
    first, second = sample_run(), sample_run(SampleRun(at=DAY + timedelta(hours=1), unit="cd" * 32))
    rows = [run.benchmarks.get(kind="skippy").measurements for run in (first, second)]
    rows[1].filter(metric="skippy.rotation_time").delete()
    rows[0].filter(metric="skippy.rotation_time").update(value=9.0, low=8.9, high=9.1)
    refresh_model(drive_model_id=first.drive_model_id)
    words = text_of(page_of(client, first.drive_model))
    assert "9.00 ms a turn, 8.90 to 9.10 one run" in words


def test_batches_and_firmware_lead_to_their_pages(client: Client) -> None:
    run = sample_run()
    odd = Batch.objects.create(drive_model=run.drive_model, label="site A/1")
    second = sample_run(SampleRun(at=DAY + timedelta(hours=1), unit="cd" * 32))
    Run.objects.filter(pk=second.pk).update(batch=odd, firmware="")
    page = page_of(client, run.drive_model)
    slug = run.drive_model.slug
    assert f'href="/drives/{slug}/batches/2026-w07/"' in page
    assert f'href="/drives/{slug}/batches/%253Asite%2520A%252F1/"' in page
    assert f'href="/drives/{slug}/firmware/S1/"' in page
    assert f'href="/drives/{slug}/batches/">Compare the batches</a>' in page
    assert "not told 1 1" in text_of(page)


def test_what_one_drive_and_one_key_cannot_tell_is_said(client: Client) -> None:
    model = sample_run().drive_model
    refresh_model(drive_model_id=model.pk)
    page = page_of(client, model)
    missing = text_of(page[page.index('id="wanting-title"') : page.index('id="runs-title"')])
    assert "A second unit" in missing
    assert "A second opinion" in missing
    assert "--only seeker Copy" in missing


def test_a_benchmark_without_a_number_is_missing_with_the_command_that_measures_it(client: Client) -> None:
    run = sample_run()
    run.benchmarks.get(kind="seeker").measurements.all().delete()
    run.benchmarks.get(kind="zoned").measurements.all().delete()
    refresh_model(drive_model_id=run.drive_model_id)
    page = page_of(client, run.drive_model)
    assert "Two benchmarks without a number" in page
    assert "diskatlas run /dev/sdX --only zoned,seeker<" in page


def test_drives_of_a_class_share_what_is_rated(client: Client) -> None:
    facts = {"capacity_bytes": 10**12, "rated_rpm": 7200, "interface": "SATA", "year": 2010}
    model = known("Known 1", **facts)
    known("Near 2", **facts | {"capacity_bytes": 15 * 10**11, "year": None})
    known("Nearer 3", **facts | {"capacity_bytes": 11 * 10**11, "interface": "sata"})
    known("Other rotation 4", **facts | {"rated_rpm": 5400})
    known("Other size 5", **facts | {"capacity_bytes": 4 * 10**12})
    known("Other time 6", **facts | {"year": 2020})
    page = page_of(client, model)
    section = page[page.index('id="similar-title"') :]
    assert section.index("Nearer 3") < section.index("Near 2")
    assert "Other" not in section
    assert f"/compare/?d={model.slug}&amp;d=sampledata-near-2" in section


def test_of_a_drive_that_little_is_known_of_nothing_is_called_alike(client: Client) -> None:
    known("Unknown 1", capacity_bytes=10**12)
    page = page_of(client, known("Unknown 2", capacity_bytes=10**12))
    assert "too short to say which others are of its" in page


def test_long_lists_of_runs_go_on_from_the_last_one_shown(client: Client) -> None:
    for hours in range(14):
        run = sample_run(SampleRun(at=DAY + timedelta(hours=hours)))
    runs = [str(pk) for pk in run.drive_model.runs.order_by("-created_at").values_list("pk", flat=True)]
    page = page_of(client, run.drive_model)
    assert runs[11] in page and runs[12] not in page
    later = page_of(client, run.drive_model, f"?before={runs[11]}")
    assert runs[11] not in later and runs[12] in later and runs[13] in later
    assert "Earlier runs" not in later
    for odd in ("?before=x", "?before=01890a5d-ac96-774b-bcce-b302099a8057"):
        assert runs[0] in page_of(client, run.drive_model, odd)


def test_the_page_of_a_kind_has_all_of_its_numbers_and_no_other(client: Client) -> None:
    model = sample_archive()
    words = text_of(get(client, f"/drives/{model.slug}/numbers/skippy/"))
    assert "Rotation time" in words and "Outer bandwidth" not in words
    get(client, f"/drives/{model.slug}/numbers/nothing/", 404)
    get(client, "/drives/nothing/numbers/skippy/", 404)


def test_numbers_that_are_older_than_the_runs_say_as_of_when_they_are(client: Client) -> None:
    model = sample_run().drive_model
    refresh_model(drive_model_id=model.pk)
    assert 'id="as-of"' not in page_of(client, model)
    AggregateDue.objects.create(drive_model=model, not_before=clock.now() + timedelta(hours=1))
    cache.clear()
    computed = model.aggregates.first()
    assert computed is not None
    words = text_of(page_of(client, model))
    assert f"The numbers are as of {computed.updated_at:%Y-%m-%d %H:%M} UTC." in words
    assert "are counted in after" in words


def test_runs_of_another_provenance_are_shown_before_anything_is_kept_of_them(client: Client) -> None:
    """A provenance of which nothing is kept has no runs only where nothing is due."""
    model = sample_run().drive_model
    refresh_model(drive_model_id=model.pk)
    second = sample_run(SampleRun(at=DAY + timedelta(hours=1), unit="cd" * 32))
    Run.objects.filter(pk=second.pk).update(provenance=Provenance.IMPORTED)
    AggregateDue.objects.get_or_create(drive_model=model)
    cache.clear()
    page = page_of(client, model)
    assert 'id="imported-title"' in page
    assert str(second.pk) in page


def test_the_picture_of_a_kind_is_a_figure_and_no_text(client: Client) -> None:
    model = sample_run().drive_model
    refresh_model(drive_model_id=model.pk)
    html = page_of(client, model)
    assert '<figure class="chart" id="' in html
    assert "&lt;figure" not in html


def test_a_model_that_nobody_measured_says_what_drives_of_it_said(client: Client) -> None:
    model = drive_model_resolve(vendor_name=None, model_name="WDC WD10EZEX-75WN4A0", simulated=False)
    assert client.get(f"/drives/{model.slug}/").status_code == 404
    sightings_load()
    model.refresh_from_db()
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert "Nobody has measured this model yet" in page and "--suite quick" in page
    assert "CC BY 4.0" in page and "75WN4A0" in page and "said in IDENTIFY" in page
    plain = DriveModel.objects.get(number="HDS5C3020ALA632")
    assert "Also reported as" not in client.get(f"/drives/{plain.slug}/").content.decode()
    assert model.family == "Blue" and model.rated_rpm == 7200 and not model.curated


def test_what_a_number_says_is_shown_as_that_and_goes_behind_what_is_known(client: Client) -> None:
    model = drive_model_resolve(vendor_name=None, model_name="ST31000528AS", simulated=False)
    DriveModel.objects.filter(pk=model.pk).update(curated=True)
    page = client.get(f"/drives/{model.slug}/").content.decode()
    assert "Capacity, by its number" in page and "1000 GB" in page
    assert "Seagate and Samsung model number formats</a>" in page
    DriveModel.objects.filter(pk=model.pk).update(capacity_bytes=1_000_204_886_016)
    cache.clear()
    assert "Capacity, by its number" not in client.get(f"/drives/{model.slug}/").content.decode()
