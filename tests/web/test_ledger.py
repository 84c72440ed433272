"""The ledger of claims: filters, order, files, and no verdict beside terms that it is not on."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.catalog.models import Citation, Claim, DriveModel
from server.claims.ledger import LedgerFilter, LedgerRows, ledger_facets, ledger_list
from server.claims.selectors import verdicts_update
from server.core import clock
from server.search.archive_counts import archive_version
from server.search.models import ArchiveCounts, DriveSummary
from server.search.summaries import summary_update
from tests.support.sample_archive import drive_model_curated
from tests.support.sample_units import measured

pytestmark = pytest.mark.django_db


def claim(model: DriveModel, low: float, **changes: Any) -> Claim:
    citation, _made = Citation.objects.get_or_create(
        key="sample-sheet", defaults={"authors": "Sample vendor", "title": "A sample sheet"}
    )
    fields = {"metric": "zoned.outer_bandwidth", "form": "minimum", "unit": "MB/s", "locator": f"p. {low:g}"}
    return Claim.objects.create(drive_model=model, citation=citation, low=low, **(fields | changes))


@pytest.fixture
def model() -> DriveModel:
    """A model of ten drives of 100 and 102 MB/s, with one claim kept, one missed and one of another thing."""
    for unit in range(1, 11):
        found = measured(unit, 100.0 + 2 * (unit % 2)).drive_model
    claim(found, 90.0)
    claim(found, 150.0)
    claim(found, 1.0, metric="published.ready_time", unit="s", quantity="other")
    verdicts_update(drive_model_id=found.pk)
    return found


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_ledger_shows_claim_source_verdict_and_evidence(client: Client, model: DriveModel) -> None:
    text = text_of(client, "/claims/")
    assert "3 claims" in text and "A sample sheet" in text and "p. 150" in text
    assert "exceeded" in text and "missed" in text and "10 runs, 10 units" in text


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("verdict=missed", ["p. 150"]),
        ("verdict=not comparable", ["p. 1"]),
        ("metric=zoned.outer_bandwidth", ["p. 90", "p. 150"]),
        ("vendor=sampledata&evidence=measured", ["p. 90", "p. 150"]),
        ("evidence=none", ["p. 1"]),
        ("vendor=nobody", []),
    ],
)
def test_a_filter_leaves_what_it_says(client: Client, model: DriveModel, query: str, left: list[str]) -> None:
    rows = csv.DictReader(io.StringIO(client.get(f"/claims/claims.csv?{query}").getvalue().decode()))  # type: ignore[attr-defined]
    assert sorted(row["locator"] for row in rows) == sorted(left)
    page = client.get(f"/claims/?{query}").content.decode()
    assert all(
        (place in page) == (place in left) for place in ("p. 90]", "p. 150]") if left and place in left
    )
    assert ("No claim is left" in page) == (not left)


def test_each_choice_says_how_many_it_would_leave_beside_the_others(model: DriveModel) -> None:
    facets = ledger_facets(chosen=LedgerFilter(verdict="missed"))
    assert {value: count for value, _text, count in facets.verdict} == {
        "exceeded": 1,
        "missed": 1,
        "not comparable": 1,
    }
    assert [(value, count) for value, _text, count in facets.metric] == [("zoned.outer_bandwidth", 1)]


def test_the_ledger_is_sorted_by_how_far_off_a_drive_is(model: DriveModel) -> None:
    places = [row.locator for row in ledger_list(chosen=LedgerFilter(), sort="off", descending=True)]
    assert places == ["p. 90", "p. 150", "p. 1"]


def test_20_the_ledger_opens_with_what_was_missed_and_ends_with_what_nobody_tested(
    client: Client, model: DriveModel
) -> None:
    """Claims without a verdict come last of all, on the pages that they belong to."""
    claim(model, 149.0)
    verdicts_update(drive_model_id=model.pk)
    claim(model, 2.0, metric="published.ready_time", unit="s", quantity="other")
    page = client.get("/claims/").content.decode()
    places = re.findall(r"(p\. \d+)\]", page[page.index("<tbody>") :])
    assert places == ["p. 150", "p. 149", "p. 90", "p. 1", "p. 2"]
    assert "tested ones first" in " ".join(page.split())
    rows = LedgerRows(chosen=LedgerFilter(), sort="tested", descending=False, total=5)
    assert [row.locator for row in rows[3:5]] == ["p. 1", "p. 2"]
    file = client.get("/claims/claims.csv").getvalue().decode()  # type: ignore[attr-defined]
    assert [row["locator"] for row in csv.DictReader(io.StringIO(file))] == places


def test_20_the_ledgers_first_page_walks_an_index(model: DriveModel) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")
        cursor.execute("SET LOCAL enable_seqscan = off")
    rows = ledger_list(chosen=LedgerFilter(), sort="tested").select_related(None).values_list("pk", flat=True)
    assert "claimverdict_ledger" in rows.filter(verdict__isnull=False)[:50].explain()


def test_a_claim_that_was_changed_is_due_and_not_shown_with_its_old_verdict(
    client: Client, model: DriveModel
) -> None:
    Claim.objects.filter(low=150.0).update(low=95.0)
    text = text_of(client, "/claims/?metric=zoned.outer_bandwidth")
    assert "missed" not in text.replace("missed (", "") and "being computed" in text


def test_many_claims_cost_as_many_queries_as_few(client: Client, model: DriveModel) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/claims/").status_code == 200
        return len(queries)

    few = count()
    for index in range(20):
        claim(model, 50.0 + index)
    verdicts_update(drive_model_id=model.pk)
    assert count() == few <= 5


def test_markup_and_rubbish_in_the_address_change_nothing(client: Client, model: DriveModel) -> None:
    page = client.get("/claims/?vendor=<script>&verdict=%00&sort=drop&page=-3").content.decode()
    assert "<script>alert" not in page and "No claim is left" in page


def test_a_choice_that_leaves_no_claim_stays_chosen(client: Client) -> None:
    page = client.get("/claims/?verdict=missed").content.decode()
    assert '<option value="missed" selected>missed (0)</option>' in page


@pytest.mark.parametrize(("sort", "descending"), [("drive", False), ("drive", True), ("off", False)])
def test_the_pages_of_the_ledger_are_the_whole_list_in_its_order(
    model: DriveModel, sort: str, descending: bool
) -> None:
    """The claim of a model without a summary is not in the index of names, and not lost."""
    other = drive_model_curated(vendor_name="Aaa", model_name="A1", simulated=False)
    claim(other, 70.0)
    summary_update(drive_model_id=model.pk)
    DriveSummary.objects.filter(drive_model=other).delete()
    chosen = LedgerFilter()
    every = list(ledger_list(chosen=chosen, sort=sort, descending=descending))
    total = ledger_facets(chosen=chosen).total
    rows = LedgerRows(chosen=chosen, sort=sort, descending=descending, total=total)
    assert len(rows) == len(every) == 4
    assert [one for start in (0, 2) for one in rows[start : start + 2]] == every
    assert rows[3:5] == every[3:5]


def test_kept_counts_of_claims_are_made_anew_with_the_archives_counts(model: DriveModel) -> None:
    ArchiveCounts.objects.update_or_create(pk=1, defaults={"updated_at": clock.now()})
    assert ledger_facets(chosen=LedgerFilter(), version=archive_version()).total == 3
    claim(model, 70.0)
    with CaptureQueriesContext(connection) as queries:
        assert ledger_facets(chosen=LedgerFilter(verdict="missed"), version=archive_version()).total == 1
    assert not any("catalog_claim" in query["sql"] for query in queries)
    ArchiveCounts.objects.update(updated_at=clock.now())
    assert ledger_facets(chosen=LedgerFilter(), version=archive_version()).total == 4
    assert (
        ledger_facets(chosen=LedgerFilter(metric="zoned.outer_bandwidth"), version=archive_version()).total
        == 3
    )
