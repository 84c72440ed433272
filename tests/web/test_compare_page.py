"""The comparison's page: what it marks, what it refuses, and that its address says all."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client

from server.catalog.loading import catalog_load
from server.core.lifecycle import Provenance
from server.measurements.models import Run
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db
MAXTOR = "/compare/?d=maxtor-2f040l0&d=maxtor-6l040j2"


def text_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.getvalue().decode()[:600]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.getvalue().decode()))


def two_firmwares() -> Run:
    """Four drives of each revision, the second 20 MB/s faster."""
    for index in range(4):
        run = measured(index, 100 + index)
        measured(10 + index, 120 + index, firmware="S2")
    return run


def test_the_faster_revision_is_marked_and_said_in_a_sentence(client: Client) -> None:
    slug = two_firmwares().drive_model.slug
    text = text_of(client, f"/compare/?d={slug}~fw:S1&d={slug}~fw:S2")
    assert "better than A" in text and "better than B" not in text
    assert "B is 20 % higher than A: 20.0 MB/s, between 17.8 and 22.2 at 95 %" in text


def test_both_orders_of_an_address_say_the_same(client: Client) -> None:
    slug = two_firmwares().drive_model.slug
    text = text_of(client, f"/compare/?d={slug}~fw:S2&d={slug}~fw:S1")
    assert "better than B" in text
    assert "A is 20 % higher than B: 20.0 MB/s, between 17.8 and 22.2 at 95 %" in text


def test_a_simulated_drive_beside_a_measured_one_has_no_marks_and_says_why(client: Client) -> None:
    for index in range(4):
        model = measured(index, 100 + index).drive_model
        measured(10 + index, 150 + index, provenance=Provenance.SIMULATED)
    text = text_of(client, f"/compare/?d={model.slug}&d={model.slug}~sim")
    assert "These numbers do not come from the same place" in text
    assert "better than" not in text.replace("marked as better than one of another kind", "")


@pytest.mark.parametrize("level", ["2", "abc", "nan", "0.9999", "-1"])
def test_a_level_that_is_none_is_refused_with_the_limits(client: Client, level: str) -> None:
    catalog_load()
    assert "between 0.5 and 0.999" in text_of(client, f"{MAXTOR}&level={level}", 400)


def test_unknown_keys_are_named_and_the_others_stay(client: Client) -> None:
    slug = measured(1).drive_model.slug
    text = text_of(client, f"/compare/?d={slug}&d=no-such-drive&d={slug}~fw:S9", 400)
    assert "no-such-drive" in text and "firmware S9" in text and "One more is needed" in text


def test_nine_groups_are_refused_with_the_limit(client: Client) -> None:
    keys = "&".join(f"d=run:{measured(index).pk}" for index in range(9))
    assert "At most 8" in text_of(client, f"/compare/?{keys}", 400)


def test_the_empty_page_offers_comparisons_that_work(client: Client) -> None:
    catalog_load()
    page = client.get("/compare/").content.decode()
    found = re.findall(r'href="(/compare/\?d=[^"]+)"', page)
    assert found
    for address in found:
        assert client.get(address.replace("&amp;", "&")).status_code == 200


def test_the_file_has_a_line_for_each_number_of_each_group(client: Client) -> None:
    slug = two_firmwares().drive_model.slug
    response = client.get(f"/compare/comparison.csv?d={slug}~fw:S1&d={slug}~fw:S2")
    rows = [
        row
        for row in csv.DictReader(io.StringIO(response.getvalue().decode()))
        if row["metric"] == "zoned.outer_bandwidth"
    ]
    assert [(row["letter"], float(row["mean"]), row["n"]) for row in rows] == [
        ("A", 101.5, "4"),
        ("B", 121.5, "4"),
    ]
    assert [row["better_than"] for row in rows] == ["", f"{slug}~fw:S1"]


def test_a_file_of_one_group_is_refused_in_words(client: Client) -> None:
    slug = measured(1).drive_model.slug
    response = client.get(f"/compare/comparison.csv?d={slug}")
    assert (response.status_code, b"2 to 8" in response.content) == (400, True)


def test_conditions_that_differ_between_groups_are_listed(client: Client) -> None:
    slug = two_firmwares().drive_model.slug
    for run in Run.objects.filter(firmware="S2"):
        run.summary["host"]["kernel"] = "5.10.0"
        run.save()
    text = text_of(client, f"/compare/?d={slug}~fw:S1&d={slug}~fw:S2")
    assert "What else differs" in text and "6.1 (4)" in text and "5.10 (4)" in text


def test_markup_in_an_address_stays_text(client: Client) -> None:
    page = client.get("/compare/?d=%3Cscript%3Ealert(1)%3C/script%3E&q=%3Cb%3E").content.decode()
    assert "<script>alert" not in page and "<b>" not in page
