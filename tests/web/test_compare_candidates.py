"""What can be added to a comparison by typing: models, batches, firmware revisions, units and runs."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from server.catalog.loading import catalog_load
from server.comparison.candidates import candidates_find
from server.core.lifecycle import Provenance
from server.measurements.models import Batch, Run
from tests.support.derived_rows import derived_rows_refresh
from tests.support.sample_units import measured
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    """Runs of two drives under two firmware revisions, one of a known week."""
    first = measured(0, 100)
    second = measured(10, 120, firmware="S2")
    batch = Batch.objects.create(drive_model=first.drive_model, year=2012, week=31, label="site A")
    Run.objects.filter(pk=second.pk).update(batch=batch)
    derived_rows_refresh(drive_model_id=first.drive_model_id)
    return first


def keys(text: str) -> list[str]:
    return [one.key for one in candidates_find(text)]


def test_a_model_comes_first_and_its_parts_behind_it(run: Run) -> None:
    slug = run.drive_model.slug
    found = keys(run.drive_model.number)
    assert found[0] == slug
    assert {f"{slug}~fw:S1", f"{slug}~fw:S2", f"{slug}~batch:2012-w31%3Asite%20A"} <= set(found)


@pytest.mark.parametrize(
    ("words", "ending"),
    [("S2", "~fw:S2"), ("2012-W31", "~batch:2012-w31%3Asite%20A"), ("site", "~batch:2012-w31%3Asite%20A")],
)
def test_a_word_behind_the_model_names_its_part(run: Run, words: str, ending: str) -> None:
    assert keys(f"{run.drive_model.number} {words}")[0] == f"{run.drive_model.slug}{ending}"


def test_the_first_digits_of_a_unit_name_it_behind_its_model(run: Run) -> None:
    assert run.unit
    found = keys(f"{run.drive_model.number} {run.unit.digest[:8]}")
    assert f"{run.drive_model.slug}~unit:{run.unit.digest[:12]}" in found


def test_a_runs_id_finds_the_run(run: Run) -> None:
    assert keys(str(run.pk))[0] == f"run:{run.pk}"


def test_a_model_with_simulated_runs_too_is_offered_by_provenance(run: Run) -> None:
    measured(40, 150, provenance=Provenance.SIMULATED)
    derived_rows_refresh(drive_model_id=run.drive_model_id)
    assert f"{run.drive_model.slug}~sim" in keys(run.drive_model.number)


def test_nothing_is_offered_that_has_no_numbers(run: Run) -> None:
    run.drive_model.runs.all().update(drive_model=measured(50, 90).drive_model)
    assert keys("") == keys("zzqqxx") == []


def suggested(client: Client, address: str) -> list[dict[str, Any]]:
    response = client.get(address)
    assert response.status_code == 200
    found: list[dict[str, Any]] = response.json()["suggestions"]
    return found


def test_a_suggestion_leads_to_the_comparison_with_all_that_was_chosen(client: Client, run: Run) -> None:
    slug = run.drive_model.slug
    query = f"d={slug}~fw:S1&level=0.9&kind=zoned"
    offered = suggested(client, f"/compare/suggest/?{query}&q={run.drive_model.number} S2")
    address = urlsplit(offered[0]["url"])
    assert address.path == "/compare/"
    assert parse_qs(address.query) == {
        "d": [f"{slug}~fw:S1", f"{slug}~fw:S2"],
        "level": ["0.9"],
        "kind": ["zoned"],
    }
    assert all(one["url"] != f"/compare/?{query}" for one in offered)
    assert "B" in text_of(get(client, offered[0]["url"]))


def test_a_full_comparison_offers_nothing(client: Client) -> None:
    catalog_load()
    slugs = (
        *("ibm-9zx", "ibm-dtta-351010", "ibm-ultrastar-xp", "micropolis-3391-ss", "maxtor-2f040l0"),
        *("maxtor-6l040j2", "seagate-st15150w", "seagate-st32430w"),
    )
    query = "&".join(f"d={slug}" for slug in slugs)
    assert suggested(client, f"/compare/suggest/?{query}&q=ibm") == []


def test_without_scripts_the_same_groups_are_links(client: Client, run: Run) -> None:
    slug = run.drive_model.slug
    page = get(client, f"/compare/?d={slug}~fw:S1&q={run.drive_model.number} S2")
    assert f'href="/compare/?d={slug}~fw:S1&amp;d={slug}~fw:S2"' in page
    assert f'data-suggest="/compare/suggest/?d={slug}~fw:S1"' in page
    assert 'data-suggest="/drives/suggest/"' in page
