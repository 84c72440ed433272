"""Vendors' documents: what claims come of them, and that the check finds what is missing or can't be."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import catalog_read, facts_by_key
from server.catalog.sheets import (
    FACTS,
    citation_of,
    claims_of,
    findings,
    identity_of,
    models_of,
    not_stated,
)

SHEETS = catalog_read().sheets
SAMPLE: dict[str, Any] = {
    "document": {
        "kind": "manual",
        "authors": "A maker",
        "title": "A manual",
        "number": "100",
        "revision": "B",
        "date": "2012-10",
        "url": "https://example.org/manual",
    },
    "maker": "Seagate",
    "family": "A family",
    "recording": {"method": "PMR", "printed": "Perpendicular", "page": "3"},
    "models": {"4TB": ["ST4000NM0023"], "3TB": ["ST3000NM0023"]},
    "facts": [
        {"fact": "rotation", "value": 7200, "unit": "rpm", "page": "9", "printed": "7200 RPM"},
        {"fact": "latency", "value": 4.16, "unit": "ms", "page": "9", "printed": "4.16 ms"},
        {
            "fact": "sustained_outer",
            "of": ["4TB"],
            "value": 175,
            "unit": "MB/s",
            "page": "9",
            "section": "4.1",
            "printed": "83 to 175 MB/s",
        },
        {"fact": "sustained_inner", "of": ["4TB"], "value": 83, "unit": "MB/s", "page": "9", "printed": "83"},
        {"fact": "surfaces", "of": ["3TB"], "value": 8, "unit": "1", "page": "9", "printed": "8"},
        {"fact": "cache", "value": 64, "unit": "MiB", "page": "2", "printed": "64MB"},
    ],
}


def sample(place: str = "", value: Any = None) -> dict[str, Any]:
    """Return the sample, with what stands at a place (`facts/1/value`) changed; None removes it."""
    sheet = copy.deepcopy(SAMPLE)
    *way, last = place.split("/")
    at: Any = sheet
    for step in way:
        at = at[int(step) if isinstance(at, list) else step]
    if not place:
        return sheet
    if value is None:
        del at[last]
    else:
        at[int(last) if isinstance(at, list) else last] = value
    return sheet


def test_every_fact_is_of_a_registered_metric_or_a_known_number_in_its_unit() -> None:
    units = {key: metric.unit for key, metric in metrics_by_key().items()}
    units |= {key: fact.unit for key, fact in facts_by_key().items()}
    assert {name: units.get(fact.metric) for name, fact in FACTS.items()} == {
        name: fact.unit for name, fact in FACTS.items()
    }


def test_the_files_leave_nothing_to_mend() -> None:
    assert [str(found) for key, sheet in SHEETS.items() for found in findings(key, sheet)] == []


def test_the_sample_leaves_nothing_to_mend_and_says_what_it_does_not_state() -> None:
    assert findings("sample", SAMPLE) == []
    assert not_stated(SAMPLE) == ["seek_read"]


def test_a_fact_becomes_a_claim_with_document_page_and_date_of_each_model_it_is_of() -> None:
    claims = claims_of(SAMPLE)
    assert [row["metric"] for row in claims["ST3000NM0023"]] == [
        "skippy.rotation_rate",
        "published.average_latency",
        "skippy.surfaces",
        "published.buffer_memory",
    ]
    (outer,) = [row for row in claims["ST4000NM0023"] if row["metric"] == "zoned.outer_bandwidth"]
    assert outer == {
        "locator": "page 9, 4.1",
        "stated_on": "2012-10",
        "metric": "zoned.outer_bandwidth",
        "scope": "",
        "form": "maximum",
        "quantity": "same",
        "low": None,
        "high": 175,
        "unit": "MB/s",
        "printed": "83 to 175 MB/s",
        "conditions": "",
        "note": "",
    }
    assert citation_of("sample", SAMPLE)["title"] == "A manual, 100, Rev. B"


def test_a_memory_is_kept_in_the_archives_unit() -> None:
    (row,) = [row for row in claims_of(SAMPLE)["ST3000NM0023"] if row["metric"] == "published.buffer_memory"]
    assert (row["low"], row["high"], row["unit"], row["printed"]) == (65536, 65536, "KiB", "64MB")


def test_a_write_seek_is_a_quantity_that_nothing_here_measures() -> None:
    sheet = sample("facts/0", {**SAMPLE["facts"][1], "fact": "seek_write", "value": 8.5})
    row = claims_of(sheet)["ST3000NM0023"][0]
    assert (row["quantity"], row["conditions"], row["scope"]) == ("other", "write", "without_mtm")


def test_what_another_document_quotes_says_so_at_each_claim() -> None:
    sheet = sample("document/kind", "quoted")
    sheet["document"]["quotes"] = "the maker's data sheet"
    assert findings("sample", sheet) == []
    assert {row["note"] for rows in claims_of(sheet).values() for row in rows} == {
        "As quoted there; the maker's own document was not read."
    }


def test_what_is_not_known_of_the_copy_that_was_read_stands_at_each_claim() -> None:
    sheet = sample("document/copy", "no page names a revision")
    sheet["facts"][0]["note"] = "A note of the number."
    assert findings("sample", sheet) == []
    notes = [row["note"] for row in claims_of(sheet)["ST4000NM0023"]]
    assert notes[0] == "A note of the number. Of the copy that was read: no page names a revision."
    assert set(notes[1:]) == {"Of the copy that was read: no page names a revision."}


def test_a_model_is_what_the_document_says_of_it_alone() -> None:
    assert identity_of(SAMPLE, "ST4000NM0023") == {
        "notes": 'Recording: "Perpendicular" (A manual, 100, Rev. B, page 3).',
        "family": "A family",
        "interface": "",
        "form_factor": "",
        "recording": "PMR",
        "rated_rpm": 7200,
        "rated_surfaces": None,
    }
    assert identity_of(SAMPLE, "ST3000NM0023")["rated_surfaces"] == 8


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("document/date", None, "it has no date"),
        ("document/kind", "quoted", "does not say which"),
        ("facts/1/page", None, "it has no page"),
        ("facts/2/unit", "ms", "ms is a unit of time"),
        ("facts/2/unit", "Mbit/s", "Disks have 25 to 700 MB/s"),
        ("facts/2/value", 1750, "Disks have 25 to 700 MB/s"),
        ("facts/1/value", 8.33, "not half a turn at 7200 rpm, which is 4.17 ms"),
        ("facts/0/value", 7100, "in no rating known"),
        ("facts/3/value", 190, "is above sustained_outer"),
        ("facts/4/value", 8.5, "no whole number"),
        ("facts/5/unit", "MB", "Write MiB"),
        ("facts/2/of", ["5TB"], "is not among models"),
        ("facts/3/fact", "sustained_outer", "stated twice"),
        ("models/3TB", ["ST3000NM0023-9ZM175"], "without its variant"),
        ("models/3TB", ["SOMETHING"], "of nobody"),
        ("models/3TB", ["HUS724040ALS640"], "the number is HGST's"),
        ("models/3TB", ["ST4000NM0023"], "listed 2 times"),
    ],
)
def test_the_check_tells_what_is_missing_or_cannot_be(place: str, value: Any, words: str) -> None:
    found = [str(finding) for finding in findings("sample", sample(place, value))]
    assert any(words in text for text in found), found


def test_a_document_needs_a_number_or_a_revision() -> None:
    sheet = sample("document/number", None)
    assert findings("sample", sheet) == []
    del sheet["document"]["revision"]
    assert "no number and no revision" in str(findings("sample", sheet)[0])


def test_a_model_without_a_fact_is_told() -> None:
    sheet = sample("facts", [SAMPLE["facts"][2]])
    assert [found.entry for found in findings("sample", sheet)] == ["model ST3000NM0023"]


def test_a_number_that_says_its_rotation_is_held_against_the_file() -> None:
    sheet = sample("models", {"4TB": ["HUS724040ALS640"]}) | {"maker": "HGST"}
    sheet["facts"] = [
        SAMPLE["facts"][0] | {"value": 5400},
        SAMPLE["facts"][1] | {"value": 5.56},
    ]
    assert "its number says 7200 rpm" in str(findings("sample", sheet)[0])


def test_latencies_as_makers_round_them_are_taken() -> None:
    for rpm, printed in ((7200, 4.2), (7200, 4.17), (5400, 5.5), (5400, 5.6), (5900, 5.1), (10000, 3)):
        sheet = sample("facts/0/value", rpm)
        sheet["facts"][1]["value"] = printed
        assert findings("sample", sheet) == []


def test_every_model_of_the_files_has_a_claim_with_document_page_and_date() -> None:
    for key, sheet in SHEETS.items():
        citation = citation_of(key, sheet)
        assert citation["title"] and citation["year"]
        claims = claims_of(sheet)
        assert set(claims) == set(models_of(sheet))
        assert all(rows for rows in claims.values())
        assert all(row["stated_on"] and "page" in row["locator"] for rows in claims.values() for row in rows)
