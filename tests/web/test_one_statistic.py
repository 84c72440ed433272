"""One statistic of one thing everywhere: list, first page, a model's page, its badge and the API agree to the
digit, and say of how many units it is the median."""

from __future__ import annotations

import json
import re
from statistics import median

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import DriveModel
from server.core.numbers import show
from server.measurements.models import Measurement
from server.model_stats.refresh import refresh_model
from server.search.archive_counts import BandwidthRange, archive_counts_update
from server.web.views.home import bars_of
from tests.support.sample_archive import drive_model_curated, sample_literature
from tests.support.sample_units import measured
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


def after(text: str, words: str) -> str:
    """Return the first number behind some words."""
    found = re.search(re.escape(words) + r"\D*?(\d[\d.]*\d)", text)
    assert found, (words, text)
    return found[1]


@pytest.mark.parametrize("rates", [(151.262,), (151.262, 148.1, 155.37), (100.0, 100.4)])
def test_list_first_page_model_badge_and_api_agree_to_the_digit(
    client: Client, rates: tuple[float, ...]
) -> None:
    cache.clear()
    for unit, rate in enumerate(rates):
        run = measured(unit, rate)
        outer = Measurement.objects.get(benchmark__run=run, metric="zoned.outer_bandwidth")
        outer.pk, outer.metric = None, "zoned.inner_bandwidth"
        outer.save()
    model = run.drive_model
    DriveModel.objects.filter(pk=model.pk).update(year=2014)
    refresh_model(drive_model_id=model.pk)
    archive_counts_update()
    units = f"median of {len(rates)} units" if len(rates) > 1 else "one run"

    page = text_of(get(client, f"/drives/{model.slug}/"))
    own = after(page, "How fast at the outer edge?")
    assert units in page

    listed = get(client, "/drives/?sort=-outer")
    assert units in listed
    assert f">{own}" in listed[listed.index("<tbody") :]

    explorer = get(client, "/explore/?x=year&y=outer")
    assert f">{own}" in explorer[explorer.index("<tbody") :]

    home = get(client, "/")
    row = home[home.index("bandwidth-ranges") :]
    assert f">{own}" in row and units in row

    badge = client.get(f"/drives/{model.slug}/badge.svg").content.decode()
    assert f"Outer bandwidth {own} MB/s · measured, {units}" in badge

    address = f"/api/v1/aggregates/?drive={model.slug}&metric=zoned.outer_bandwidth"
    [found] = json.loads(client.get(address).content)["results"]
    shown = show(found["median"], "MB/s", low=found["low"], high=found["high"])
    assert shown is not None and shown.value == own and found["units"] == len(rates)
    summary = json.loads(client.get(f"/api/v1/drives/{model.slug}/?expand=summary").content)["summary"]
    told = summary["numbers"]["probe"]["outer"]
    assert (told["median"], told["low"], told["high"]) == (found["median"], found["low"], found["high"])


@pytest.mark.parametrize(
    ("printed", "written", "behind"),
    [((16.935,), "16.935", "one published value"), ((16.935, 17.1), "17.02", "median of 2 published values")],
)
def test_20_published_values_are_written_alike_everywhere(
    client: Client, printed: tuple[float, ...], written: str, behind: str
) -> None:
    cache.clear()
    model = drive_model_curated(vendor_name="Sampledata", model_name="9ZX", simulated=False)
    DriveModel.objects.filter(pk=model.pk).update(year=1998)
    for metric in ("zoned.outer_bandwidth", "zoned.inner_bandwidth"):
        for value in (44.5, *printed):
            stated = sample_literature(model)
            stated.metric, stated.unit, stated.value, stated.locator = metric, "MB/s", value, f"at {value}"
            # A bound is no number, and comes first.
            stated.relation = "<" if value == 44.5 else "="
            stated.save()
    refresh_model(drive_model_id=model.pk)
    archive_counts_update()
    page = text_of(get(client, f"/drives/{model.slug}/"))
    assert after(page, "How fast at the outer edge?") == written and behind in page
    for address, begin in (("/drives/", "<tbody"), ("/explore/?x=year&y=outer", "<tbody")):
        listed = get(client, address)
        assert f">{written}" in listed[listed.index(begin) :], address
    middle = median(printed)
    [bar], _ticks = bars_of((BandwidthRange("m", "M", "literature", middle, middle, len(printed)),))
    assert (bar.outer, bar.inner) == (written, written)
