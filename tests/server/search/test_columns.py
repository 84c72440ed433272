"""Columns of the list of drives that no summary holds: every number of the archive."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from server.benchmarks.registry import metrics_by_key
from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel, LiteratureValue
from server.catalog.services import drive_model_resolve
from server.measurements.models import Aggregate
from server.search.columns import column_of
from server.search.drive_list import DriveList, DriveQuery
from server.search.models import ArchiveCounts
from tests.support.sample_archive import DAY

pytestmark = pytest.mark.django_db
GAP = "skippy.head_switch_gap"


@pytest.fixture(autouse=True)
def models() -> None:
    """Make four models, every other one with ATA."""
    cache.clear()
    for number in range(4):
        made = drive_model_resolve(vendor_name="Sampledata", model_name=f"Many 00{number}", simulated=False)
        interface = ("SATA", "SAS")[number % 2]
        DriveModel.objects.filter(pk=made.pk).update(curated=True, interface=interface)
    call_command("refresh_summaries")


def get(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, response.content[:500]
    return response.content.decode()


def other_numbers(metric: str, scope: str, values: dict[str, float], provenance: str = "probe") -> None:
    """Medians of a metric that no summary holds, by the number of the model."""
    for number, value in values.items():
        model = DriveModel.objects.get(number=number)
        spread = {
            "median": value,
            "mean": value,
            "minimum": value,
            "maximum": value,
            "q1": value - 1,
            "q3": value + 1,
        }
        Aggregate.objects.create(
            drive_model=model,
            metric=metric,
            scope=scope,
            provenance=provenance,
            n=3,
            units=2,
            updated_at=DAY,
            **spread,
        )


@pytest.mark.parametrize("cached", [True, False])
def test_every_number_of_the_archive_is_a_column_to_show_and_sort_by(client: Client, cached: bool) -> None:
    other_numbers("skippy.head_switch_gap", "outer", {"Many 000": 1.5, "Many 002": 0.75, "Many 003": 2.25})
    other_numbers("skippy.head_switch_gap", "inner", {"Many 001": 99.0})
    other_numbers("skippy.head_switch_gap", "outer", {"Many 001": 77.0}, "simulated")
    column = "skippy.head_switch_gap|outer"
    if not cached:
        ArchiveCounts.objects.update(updated_at=DAY)
    query = DriveQuery(sort=column, descending=True, columns=("outer", column))
    numbers = [row.drive_model.number for row in DriveList(query).page(1)]
    assert numbers == ["Many 003", "Many 000", "Many 002", "Many 001"]
    assert [row.drive_model.number for row in DriveList(query).every()] == numbers
    rising = DriveQuery(sort=column, facets={"interface": ("SATA",)})
    assert [row.drive_model.number for row in DriveList(rising).page(1)] == ["Many 002", "Many 000"]
    page = get(client, f"/drives/?col=outer&col={column}&sort=-{column}")
    assert re.search(r'aria-sort="descending"><a href="[^"]+">Head switch gap, outer</a>', page)
    assert "2.2" in page and "median of 2 units" in page and "99" not in page and "77" not in page
    assert f'value="{column}" checked' in page
    rows = list(
        csv.DictReader(io.StringIO(get_csv(client, f"/drives/?col={column}&sort={column}&format=csv")))
    )
    told = [row["skippy.head_switch_gap[outer] ms median (probe)"] for row in rows]
    assert told == ["0.75", "1.5", "2.25", ""]


def get_csv(client: Client, address: str) -> str:
    return b"".join(client.get(address).streaming_content).decode()  # type: ignore[attr-defined]


def test_published_numbers_are_columns_too() -> None:
    catalog_load()
    call_command("refresh_summaries")
    stated = LiteratureValue.objects.filter(basis__in=["measured", "derived"], relation__in="=~")
    places = Counter(
        place for _model, place in {(one.drive_model_id, f"{one.metric}|{one.scope}") for one in stated}
    )
    keys = [key for key, count in places.items() if count > 1 and (one := column_of(key)) and not one.summed]
    assert keys
    for key in keys:
        listed = DriveList(DriveQuery(sort=key, numbers="literature", columns=(key,)))
        shown = [row.headline.get("literature", {}).get(key, [None])[0] for row in listed.every()]
        known = [value for value in shown if value is not None]
        assert known == sorted(known) and shown[: len(known)] == known and len(known) == places[key], key


def test_the_choice_of_columns_names_what_there_is_and_leads_to_the_list(client: Client) -> None:
    other_numbers("skippy.head_switch_gap", "outer", {"Many 000": 1.5})
    other_numbers("random_io.iops", "8/4096", {"Many 000": 150.0, "Many 001": 160.0})
    other_numbers("zoned.outer_bandwidth", "", {"Many 000": 150.0})
    assert 'href="/drives/columns/?q=many"' in get(client, "/drives/?q=many")
    page = get(client, "/drives/columns/?q=many")
    links = re.findall(r'class="chip" rel="nofollow" href="([^"]+)"', page)
    assert len(links) == 3
    found = [get(client, link.replace("&amp;", "&")) for link in links]
    assert all("Many 000" in one and 'aria-sort="descending"' in one for one in found)
    assert "sort=-outer" in "".join(links)  # columns of summaries keep their short names
    assert "no numbers yet" not in page


@pytest.mark.parametrize(
    "key", ["nothing|outer", "skippy.nothing|", "skippy.head_switch_gap", "|", "x" * 300]
)
def test_columns_that_are_no_number_s_are_left_out(client: Client, key: str) -> None:
    page = get(client, f"/drives/?col={key}&sort={key}")
    assert "Many 000" in page and "the most measured first" in " ".join(page.split())
    assert "aria-sort" not in page and "aria-sort" in get(client, f"/drives/?col={key}&sort=name")


def test_the_column_of_mtm_has_its_metric_s_title() -> None:
    column = column_of("mtm")
    assert column is not None
    assert column.label == metrics_by_key()["skippy.mtm"].title == "Minimum time to media"
