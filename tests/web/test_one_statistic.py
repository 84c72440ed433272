"""One statistic of one thing everywhere: list, first page, a model's page, its badge and the API agree to the
digit, and say of how many units it is the median."""

from __future__ import annotations

import json
import re

import pytest
from django.core.cache import cache
from django.test import Client

from server.core.numbers import show
from server.measurements.models import Measurement
from server.model_stats.refresh import refresh_model
from server.search.archive_counts import archive_counts_update
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
    refresh_model(drive_model_id=model.pk)
    archive_counts_update()
    units = f"median of {len(rates)} units" if len(rates) > 1 else "one run"

    page = text_of(get(client, f"/drives/{model.slug}/"))
    own = after(page, "How fast at the outer edge?")
    assert units in page

    listed = get(client, "/drives/?sort=-outer")
    assert units in listed
    assert f">{own}" in listed[listed.index("<tbody") :]

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
