"""The list of drives: facets and their counts, sorting, pages, files, and the address that holds it all."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from itertools import product

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.catalog.loading import catalog_load
from server.catalog.models import DriveModel, Vendor
from server.measurements.models import Run
from server.search.archive_counts import archive_counts_update
from server.search.columns import COLUMNS
from server.search.drive_list import DriveList, DriveQuery, FacetGroup, headline_of
from server.search.model_index import EVIDENCE, SORTS, evidence_of
from server.search.models import DriveSummary
from tests.support.sample_archive import DAY, drive_model_curated, sample_archive

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


def many(how_many: int, /, **fields: object) -> None:
    """Sample models whose fields go round the given lists."""
    for index in range(how_many):
        drive_model_curated(vendor_name="Sampledata", model_name=f"Many {index:03}", simulated=False)
    for index, model in enumerate(DriveModel.objects.filter(number__startswith="Many").order_by("pk")):
        values = {name: list(value)[index % len(list(value))] for name, value in fields.items()}  # type: ignore[call-overload]
        DriveModel.objects.filter(pk=model.pk).update(curated=True, **values)
    call_command("refresh_summaries")


def get(client: Client, address: str, **headers: str) -> str:
    response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content[:500]
    return response.content.decode()


def group(key: str, **query: object) -> FacetGroup:
    groups = DriveList(DriveQuery(**query)).facets()  # type: ignore[arg-type]
    return next(one for one in groups if one.facet.key == key)


def counts(key: str, **query: object) -> dict[str, int]:
    return {value.value: value.count for value in group(key, **query).values}


@pytest.mark.parametrize("cached", [True, False])
def test_a_facet_s_counts_follow_the_other_facets_choices_and_not_its_own(cached: bool) -> None:
    many(12, rated_rpm=[5400, 7200, 7200], interface=["SATA", "SAS"])
    if not cached:
        cache.clear()
    assert counts("rpm") == {"7200": 8, "5400": 4}
    chosen = {"rpm": ("5400",)}
    assert counts("rpm", facets=chosen) == {"7200": 8, "5400": 4}
    assert counts("interface", facets=chosen) == {"SATA": 2, "SAS": 2}
    both = {"rpm": ("5400", "7200"), "interface": ("SAS",)}
    assert DriveList(DriveQuery(facets=both)).total == 6
    assert counts("rpm", facets=both) == {"7200": 4, "5400": 2}


@pytest.mark.parametrize("cached", [True, False])
def test_every_count_is_what_choosing_it_would_leave(cached: bool) -> None:
    catalog_load()
    call_command("refresh_summaries")
    if not cached:
        cache.clear()
    for chosen in ({}, {"interface": ("SCSI",)}):
        for one in DriveList(DriveQuery(facets=chosen)).facets():
            if one.facet.key in chosen:
                continue
            for value in one.values:
                narrowed = DriveList(DriveQuery(facets={**chosen, one.facet.key: (value.value,)}))
                assert narrowed.total == value.count == len(list(narrowed.every())), (
                    one.facet.key,
                    value.value,
                )


def test_what_nobody_stated_is_a_value_of_its_own() -> None:
    many(3, year=[1999, None, None])
    assert counts("year") == {"1999": 1, "~": 2}
    assert DriveList(DriveQuery(facets={"year": ("~",)})).total == 2


def test_a_chosen_value_that_no_drive_has_stays_so_that_it_can_be_taken_away(client: Client) -> None:
    many(2)
    assert counts("rpm", facets={"rpm": ("15000",)})["15000"] == 0
    page = get(client, "/drives/?rpm=15000")
    assert "No drive model fits all of these choices" in page
    assert 'class="chip" href="/drives/"' in page


def test_each_choice_is_a_chip_whose_link_takes_it_alone_away(client: Client) -> None:
    many(6, rated_rpm=[5400, 7200], interface=["SATA"])
    page = get(client, "/drives/?q=many&rpm=7200&interface=SATA&sort=-year")
    chips = re.findall(r'class="chip" href="([^"]*)"', page)
    assert chips == [
        "/drives/?rpm=7200&amp;interface=SATA&amp;sort=-year",
        "/drives/?q=many&amp;interface=SATA&amp;sort=-year",
        "/drives/?q=many&amp;rpm=7200&amp;sort=-year",
    ]


def test_sorting_stands_in_the_address_and_its_column_says_so(client: Client) -> None:
    sample_archive()
    page = get(client, "/drives/?q=sample&sort=-runs")
    assert 'aria-sort="descending"><a href="/drives/?q=sample&amp;sort=runs"' in page


def test_numbers_sort_by_their_median_and_models_without_one_come_last(client: Client) -> None:
    sample_archive()
    many(2)
    rows = DriveSummary.objects.filter(drive_model__number__startswith="Many").order_by("pk")
    rows.filter(pk=rows[0].pk).update(headline={"probe": {"zoned.outer_bandwidth|": [100.5, 99, 102, 3, 2]}})
    archive_counts_update()
    falling = [row.drive_model.number for row in DriveList(DriveQuery(sort="outer", descending=True)).page(1)]
    rising = [row.drive_model.number for row in DriveList(DriveQuery(sort="outer")).page(1)]
    assert falling == ["Many 000", "Sample 9000", "Many 001"]
    assert rising == ["Sample 9000", "Many 000", "Many 001"]


def test_simulated_numbers_are_shown_where_asked_for_and_nowhere_else(client: Client) -> None:
    sample_archive()
    DriveSummary.objects.update(
        headline={
            "probe": {"zoned.outer_bandwidth|": [11.5, 11, 12, 3, 2]},
            "simulated": {"zoned.outer_bandwidth|": [77.5, 77, 78, 1, 1]},
        }
    )
    measured, simulated = get(client, "/drives/"), get(client, "/drives/?show=simulated")
    assert "11.5" in measured and "77.5" not in measured
    assert "77.5" in simulated and "11.5" not in simulated
    assert "medians of simulated runs" in simulated


ODD = (
    "sort=evil",
    "page=9999",
    "page=x",
    "page=-1",
    "q=%00",
    "q=" + "a" * 5000,
    "rpm=%00",
    "col=evil",
    "show=x",
    "vendor=" + "&vendor=".join("abcdefgh"),
    "sort=match",
    "sort=-match&q=x",
    "rpm=" + "9" * 500,
    "q=%25_%5C",
)


def test_odd_addresses_of_the_list_are_answered(client: Client) -> None:
    sample_archive()
    for query in ODD:
        get(client, f"/drives/?{query}")
        assert client.get(f"/drives/suggest/?{query}").status_code == 200, query


def test_long_lists_have_pages_that_keep_search_and_sort(client: Client) -> None:
    many(55)
    page = get(client, "/drives/?q=many&sort=-year")
    assert "Page 1 of 2" in page
    assert 'href="/drives/?q=many&amp;sort=-year&amp;page=2"' in page
    assert page.count('name="d"') == 50
    assert get(client, "/drives/?q=many&sort=-year&page=2").count('name="d"') == 5


def test_a_part_brings_the_list_the_counts_and_the_shortest_address(client: Client) -> None:
    many(4, rated_rpm=[5400, 7200])
    response = client.get(
        "/drives/?q=&rpm=7200&col=none&col=outer&col=inner&col=seek", headers={"X-Part": "results"}
    )
    assert response.headers["X-Address"] == "/drives/?rpm=7200"
    assert "X-Part" in response.headers["Vary"]
    part = response.content.decode()
    assert 'id="results"' in part and 'id="facet-rpm"' in part and "<html" not in part


def test_the_file_has_every_row_of_the_list_and_its_columns(client: Client) -> None:
    many(60)
    DriveSummary.objects.filter(drive_model__number="Many 007").update(
        headline={"probe": {"seeker.average|without_mtm": [8.25, 8, 9, 3, 2]}}
    )
    archive_counts_update()
    response = client.get("/drives/?q=many&format=csv&col=seek&sort=-seek")
    rows = list(csv.DictReader(io.StringIO(b"".join(response.streaming_content).decode())))  # type: ignore[attr-defined]
    assert len(rows) == 60
    assert rows[0]["number"] == "Many 007"
    assert rows[0]["seeker.average[without_mtm] ms median (probe)"] == "8.25"
    assert rows[0]["seeker.average[without_mtm] n"] == "3"
    assert rows[1]["seeker.average[without_mtm] ms median (probe)"] == ""


def test_a_name_that_a_spreadsheet_would_run_is_made_harmless(client: Client) -> None:
    many(1, number=["=HYPERLINK(1)"])
    response = client.get("/drives/?format=csv")
    assert "'=HYPERLINK(1)" in b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def test_a_pasted_run_id_leads_to_the_run(client: Client) -> None:
    sample_archive()
    run = Run.objects.filter(provenance="probe").first()
    assert run is not None
    response = client.get(f"/drives/?q={run.run_id}")
    assert response.status_code == 302 and response.headers["Location"] == f"/runs/{run.run_id}/"


def test_suggestions_name_makers_drives_and_runs(client: Client) -> None:
    model = sample_archive()
    run = Run.objects.filter(provenance="probe").first()
    assert run is not None

    def offered(text: str) -> list[tuple[str, str]]:
        found = client.get("/drives/suggest/", {"q": text}).json()["suggestions"]
        return [(one["kind"], one["url"]) for one in found]

    slug = Vendor.objects.get().slug
    assert offered("sampled") == [("vendor", f"/drives/?vendor={slug}"), ("drive", f"/drives/{model.slug}/")]
    assert offered("smaple 9000") == [("drive", f"/drives/{model.slug}/")]
    assert offered(str(run.run_id)) == [("run", f"/runs/{run.run_id}/")]
    assert offered("s") == offered("") == []


def test_the_first_reader_fills_a_cache_that_lost_the_facets() -> None:
    many(4, rated_rpm=(5400, 7200))
    cache.clear()
    first = DriveList(DriveQuery()).facets()
    with CaptureQueriesContext(connection) as queries:
        again = DriveList(DriveQuery()).facets()
    assert again == first
    assert not [one["sql"] for one in queries if '"facets"' in one["sql"]]


@pytest.mark.parametrize("interface", ["", "SATA"])
def test_orders_are_those_of_the_summaries_values(interface: str) -> None:
    """In each column, both ways, level rows and rows without a value among them, page by page."""
    many(
        14,
        year=[2010, 2012, None],
        capacity_bytes=[10**12, 10**12, 2 * 10**12, None],
        interface=["SATA", "SATA", "SAS"],
    )
    for index, row in enumerate(DriveSummary.objects.order_by("-pk")):
        held = (
            {column.metric_scope: [float(index % 4), 0, 9, 2, 1] for column in COLUMNS} if index % 5 else {}
        )
        seen = DAY + timedelta(microseconds=index % 6) if index % 5 else None
        headline = {"probe": held, "simulated": {COLUMNS[0].metric_scope: [-float(index), 0, 9, 2, 1]}}
        DriveSummary.objects.filter(pk=row.pk).update(
            measured_runs=index % 3, claims=index % 2, last_published_at=seen, headline=headline
        )
    DriveSummary.objects.filter(sort_name__contains="3").update(sort_name="level")
    archive_counts_update()
    rows = [row for row in DriveSummary.objects.all() if interface in ("", row.interface)]
    columns = {column.key: column for column in COLUMNS}
    for sort, descending, numbers in product(
        [*SORTS, *columns], [False, True], ["probe", "simulated", "literature"]
    ):

        def value(row: DriveSummary, sort: str = sort, numbers: str = numbers) -> object:
            column = columns.get(sort)
            if column is None:
                return getattr(row, SORTS[sort])
            found = headline_of(row, column, numbers)
            return found[0] if found else None

        by_name = sorted(rows, key=lambda row: (row.sort_name, row.pk))
        known = [row for row in by_name if value(row) is not None]
        known.sort(key=value, reverse=descending)  # type: ignore[arg-type]  # stable both ways
        expected = [row.pk for row in (*known, *(row for row in by_name if value(row) is None))]
        facets = {"interface": (interface,)} if interface else {}
        query = DriveQuery(facets=facets, sort=sort, descending=descending, numbers=numbers)
        assert len(expected) == (10 if interface else 14)
        assert [row.pk for row in DriveList(query).every()] == expected, query
        listed = DriveList(query)
        assert [row.pk for page in (1, 2, 3) for row in listed.page(page, 5)] == expected, query


def test_a_sorted_page_reads_the_rows_that_it_shows_alone() -> None:
    many(8, rated_rpm=[5400, 7200])
    listed = DriveList(DriveQuery(sort="rpm", descending=True))
    assert len(listed.page(2, 3)) == 3  # the first reader may have to make what is held
    with CaptureQueriesContext(connection) as queries:
        assert len(DriveList(DriveQuery(sort="rpm")).page(2, 3)) == 3
    read = [query["sql"] for query in queries if "search_drivesummary" in query["sql"]]
    assert len(read) == 1 and "ORDER BY" not in read[0]


def test_a_list_begins_with_what_is_measured_and_ends_with_what_nobody_measured() -> None:
    many(8)
    outer, inner = (column.metric_scope for column in [column for column in COLUMNS if column.shown][:2])
    other = next(column.metric_scope for column in COLUMNS if not column.shown)
    measured = {"probe": {outer: [1.0, 1, 1, 2, 1]}, "literature": {outer: [1.0, None, None, 1, None]}}
    facts = [
        {},
        {"headline": {"simulated": {outer: [1.0, 1, 1, 1, 1]}}, "simulated_runs": 1},
        {"headline": {"literature": {inner: [1.0, None, None, 1, None]}}, "literature_values": 9},
        {"headline": measured, "measured_runs": 2, "last_published_at": DAY},
        {"headline": {}, "measured_runs": 2, "last_published_at": DAY + timedelta(days=3)},
        {"headline": measured, "measured_runs": 11, "last_published_at": DAY},
        {"headline": {"imported": {outer: [1.0, 1, 1, 1, 1]}}},
        {"headline": {"literature": {other: [1.0, None, None, 1, None]}}, "literature_values": 4},
    ]
    rows = list(DriveSummary.objects.order_by("sort_name"))
    for row, values in zip(rows, facts, strict=True):
        DriveSummary.objects.filter(pk=row.pk).update(**values)
    archive_counts_update()
    listed = [row.pk for row in DriveList(DriveQuery()).every()]
    assert listed == [rows[place].pk for place in (5, 4, 3, 2, 6, 1, 7, 0)]
    assert listed == [row.pk for row in DriveList(DriveQuery(sort=EVIDENCE)).every()]


def test_the_page_says_its_usual_order_and_keeps_it_out_of_the_address(client: Client) -> None:
    many(2)
    page = get(client, "/drives/")
    assert "the most measured first" in " ".join(page.split()) and 'name="sort"' not in page
    named = get(client, "/drives/?sort=name")
    assert "the most measured first" not in " ".join(named.split())
    assert '<input type="hidden" name="sort" value="name">' in named
    assert 'href="/drives/?sort=-name"' in named and 'href="/drives/?sort=name"' in page


def test_the_order_by_evidence_is_exact_at_the_ends_of_its_ranges() -> None:
    runs = [2**31, 2**24 - 1, 10**6, 10**6 - 1, 2, 1]
    found = [evidence_of(number, DAY, {}) for number in runs]
    assert found == sorted(found) and len(set(found[1:])) == len(runs) - 1
    assert evidence_of(1, None, {}) < evidence_of(0, DAY, {"literature": {}})
    assert evidence_of(3, DAY + timedelta(days=1), {}) < evidence_of(3, DAY, {}) < evidence_of(3, None, {})
