"""The ledger opens with a scoreboard: verdicts by vendor, the largest misses, what nobody tested apart."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from server.catalog.models import Citation, Claim, DriveModel
from server.claims.models import ClaimVerdict
from server.claims.selectors import terms_digest
from server.core import clock
from server.search.archive_counts import archive_counts_update
from tests.support.sample_archive import drive_model_curated
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


def claimed(model: DriveModel, verdict: str, **found: Any) -> Claim:
    """A claim of 100 MB/s with this verdict; `found` is what it rests on."""
    citation, _made = Citation.objects.get_or_create(
        key="sample", defaults={"authors": "Sample Author", "title": "A sample sheet", "year": 2000}
    )
    number = Claim.objects.count()
    claim = Claim.objects.create(
        drive_model=model,
        citation=citation,
        locator=f"line {number}",
        metric="zoned.outer_bandwidth",
        scope="" if not number else f"place {number}",
        form=Claim.BoundType.MINIMUM,
        low=100.0,
        unit="MB/s",
        printed="100",
    )
    evidence = "measured" if found else "none"
    ClaimVerdict.objects.update_or_create(
        claim=claim,
        defaults={
            **{
                "drive_model": model,
                "claim_digest": terms_digest(claim),
                "evidence": evidence,
                "judged_at": clock.now(),
            },
            **{"effective_verdict": verdict, "outcome": verdict, "words": "Sample words."},
            **{"metric": claim.metric, "scope": claim.scope},
            **found,
        },
    )
    return claim


def test_verdicts_are_counted_by_vendor_with_what_nobody_tested_apart(client: Client) -> None:
    cache.clear()
    model = drive_model_curated(vendor_name="Sampledata", model_name="One", simulated=False)
    claimed(model, "met", units=4, runs=4, value=101.0)
    claimed(model, "missed", units=4, runs=4, value=80.0, by_percent=-20.0)
    claimed(model, "missed", units=1, runs=1, value=50.0, by_percent=-50.0)
    claimed(model, "inconclusive")
    archive_counts_update()
    page = get(client, "/claims/")
    board = page[page.index('id="board-title"') : page.index('id="ledger-title"')]
    words = text_of(board)
    assert "3 claims tested; 1 not tested yet" in words
    assert "Sampledata 1 met, 2 missed 3 1" in words
    assert "100 MB/s claimed, 80 MB/s measured \N{MINUS SIGN}20.0 % 4" in words
    assert "50 MB/s" not in words, "one drive is not enough for the list of misses"
    ledger = text_of(page[page.index('id="ledger-title"') :])
    assert "not tested" in ledger


def test_a_narrowed_ledger_and_an_untested_one_have_no_scoreboard(client: Client) -> None:
    cache.clear()
    model = drive_model_curated(vendor_name="Sampledata", model_name="One", simulated=False)
    claimed(model, "inconclusive")
    assert 'id="board-title"' not in get(client, "/claims/")
    claimed(model, "met", units=4, runs=4, value=101.0)
    archive_counts_update()
    cache.clear()
    assert 'id="board-title"' in get(client, "/claims/")
    assert 'id="board-title"' not in get(client, "/claims/?verdict=met")


def test_what_published_values_alone_speak_of_is_not_tested_by_runs(client: Client) -> None:
    model = drive_model_curated(vendor_name="Sampledata", model_name="Two", simulated=False)
    claim = claimed(model, "inconclusive")
    ClaimVerdict.objects.filter(claim=claim).update(
        evidence="published", published_outcome="met", published_words="101 MB/s, as claimed."
    )
    ledger = text_of(get(client, "/claims/"))
    assert "not tested Sample words." in ledger
    assert "met 101 MB/s, as claimed." in ledger
    drive = text_of(get(client, f"/drives/{model.slug}/"))
    assert "1 claim not tested" in drive
    assert "inconclusive" not in drive
