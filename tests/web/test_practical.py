"""What a comparison begins with, and what is practically equal."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.test import Client

from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.comparison.matrix import Row
from server.comparison.practical import MarginError, _better_words, _title, margin_read, percent_text
from tests.support.sample_archive import drive_model_curated, sample_literature
from tests.support.sample_units import measured
from tests.web.test_compare_page import text_of

pytestmark = pytest.mark.django_db


def two_revisions(second: float) -> str:
    """The address of a comparison of two revisions, four drives each, the second around another rate."""
    cache.clear()
    for index in range(4):
        run = measured(index, 100 + index / 100)
        measured(10 + index, second + index / 100, firmware="S2")
    slug = run.drive_model.slug
    return f"/compare/?d={slug}~fw:S1&d={slug}~fw:S2"


def test_a_comparison_begins_with_what_differs_in_per_cent_and_what_is_equal(client: Client) -> None:
    text = text_of(client, two_revisions(107.0))
    assert "B reads 7 % faster at the outer edge." in text
    assert "better than A" in text
    assert "B is 7 % higher than A: 7.0" in text


def test_nothing_is_better_by_less_than_the_margin_which_the_address_sets(client: Client) -> None:
    address = two_revisions(101.0)
    text = text_of(client, address)
    assert "better than A" not in text and "Practically equal: outer bandwidth" in text
    assert "Practically equal: B is 1 % higher." in text
    strict = text_of(client, f"{address}&margin=0.5")
    assert "better than A" in strict and "B reads 1 % faster at the outer edge." in strict


def test_20_the_opening_has_no_key_and_reads_as_english() -> None:
    outer = metrics_by_key()["zoned.outer_bandwidth"]
    row = Row(outer.key, "with_mtm", outer, (), ())
    assert _title(row) == "outer bandwidth (with MTM)"
    assert _better_words(row, "8.4 %") == "has an 8.4 % higher outer bandwidth (with MTM)"
    assert _better_words(row, "7 %") == "has a 7 % higher outer bandwidth (with MTM)"


@pytest.mark.parametrize("margin", ["x", "-1", "51", "nan"])
def test_a_margin_that_is_none_is_refused_with_the_limits(client: Client, margin: str) -> None:
    assert f"“{margin}” is no margin. It lies between 0 and 50 per cent." in text_of(
        client, f"/compare/?margin={margin}", status=400
    )
    with pytest.raises(MarginError):
        margin_read(margin)


def test_per_cents_have_no_digits_that_nobody_reads() -> None:
    assert [percent_text(share) for share in (0.03, 0.42, -7.0, 7.44, 12.4)] == [
        *("less than 0.1 %", "0.4 %", "7 %", "7.4 %", "12 %")
    ]


def published_only() -> DriveModel:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Paper", simulated=False)
    sample_literature(model)
    return model


def test_provenances_are_mixed_only_where_the_address_asks_for_it(client: Client) -> None:
    slug = measured(1, 100.0).drive_model.slug
    other = published_only().slug
    address = f"/compare/?d={slug}&d={other}"
    page = client.get(address).content.decode()
    assert "do not come from the same" in page and 'id="numbers-title"' not in page
    [asked] = re.findall(r'href="([^"]+)">Set them side by side', page)
    assert f"{other}~lit" in asked
    assert 'id="numbers-title"' in client.get(asked.replace("&amp;", "&")).content.decode()


def test_models_of_the_same_class_are_offered(client: Client) -> None:
    facts = {"capacity_bytes": 10**12, "rated_rpm": 7200, "interface": "SATA"}
    run = measured(1, 100.0)
    DriveModel.objects.filter(pk=run.drive_model_id).update(**facts)
    rival = drive_model_curated(vendor_name="Sampledata", model_name="Rival", simulated=False)
    DriveModel.objects.filter(pk=rival.pk).update(**facts)
    page = client.get(f"/compare/?d={run.drive_model.slug}").content.decode()
    assert f"/compare/?d={run.drive_model.slug}&amp;d={rival.slug}" in page
