"""Published numbers on a drive's page: samples folded, and what no benchmark measures apart."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from server.catalog.models import Citation, DriveModel, LiteratureValue
from tests.support.sample_archive import drive_model_curated, sample_aggregate

pytestmark = pytest.mark.django_db


def page_with(client: Client, **changes: Any) -> str:
    """Return the words of a drive's page with one published value."""
    model = drive_model_curated(vendor_name="Sampledata", model_name="Read About", simulated=False)
    citation = Citation.objects.create(key="sample", authors="Sample Author", title="A sample document")
    fields: dict[str, Any] = {"locator": "Table 1", "metric": "skippy.mtm", "value": 151.82, "unit": "ms"}
    LiteratureValue.objects.create(drive_model=model, citation=citation, **(fields | changes))
    return words(client, model)


def words(client: Client, model: DriveModel, below: str = "") -> str:
    html = client.get(f"/drives/{model.slug}/{below}").content.decode()
    return re.sub(r"\s+", " ", re.sub(r"<(?!/?(details|summary))[^>]+>", " ", html)).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_samples_are_folded_behind_their_mean(client: Client) -> None:
    shown = page_with(client, samples=[151.72, 152.17], count=2, units=1, deviation=0.32)
    assert "151.82 ms [1, Table 1]" in shown
    assert re.search(
        r"<details[^>]*><summary>n = 2, 1 unit, s\.d\. 0\.32</summary>151\.72, 152\.17</details>", shown
    )


def test_a_number_that_is_about_or_simulated_says_so(client: Client) -> None:
    shown = page_with(client, relation="~", basis="simulated")
    assert "about 151.82 ms" in shown
    assert "measured on a simulated drive" in shown


def test_a_number_that_no_benchmark_measures_stands_apart_under_its_title(client: Client) -> None:
    shown = page_with(client, metric="published.ready_time", value=11, unit="s")
    assert "1 more number from the documents" in shown
    assert re.search(r"Time until the drive is ready . 11 s \[1, Table 1\]", shown)


def test_a_hidden_number_is_not_shown(client: Client) -> None:
    assert "151.82" not in page_with(client, hidden=True)


def test_sizes_stand_in_the_order_of_what_they_are(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Read About", simulated=False)
    citation = Citation.objects.create(key="sample", authors="Sample Author", title="A sample document")
    for scope in ("8388608", "131072", "512"):
        LiteratureValue.objects.create(
            drive_model=model, citation=citation, locator="Table 1", metric="published.write_rate",
            scope=scope, value=1.5, unit="MB/s",
        )  # fmt: skip
    shown = words(client, model)
    assert shown.index("512 bytes") < shown.index("128 KiB") < shown.index("8 MiB")


def test_what_a_kind_has_beyond_two_dozen_numbers_is_folded(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Much Measured", simulated=False)
    for index in range(30):
        sample_aggregate(model, "skippy.mtm", [1.0, 2.0, 3.0], scope=f"place_{index:02}")
    shown = words(client, model, "numbers/skippy/")
    folded = shown[shown.index("<summary>6 more numbers of") :]
    assert "place 29" in folded
    assert "place 29" not in shown[: shown.index("<summary>6 more numbers of")]
