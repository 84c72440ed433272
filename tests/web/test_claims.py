"""The claims' section of a drive's page, and the page that explains verdicts."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from server.catalog.loading import catalog_load
from server.catalog.models import Citation, Claim
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db


def words(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def claimed() -> str:
    """Make a run and a claim of its model; return the address of the model's page."""
    model = sample_run(SampleRun()).drive_model
    citation = Citation.objects.create(key="sheet", authors="Sample vendor", title="A sample sheet")
    Claim.objects.create(
        drive_model=model,
        citation=citation,
        locator="page 3",
        stated_on="2026-01",
        metric="zoned.outer_bandwidth",
        form="minimum",
        low=9.0,
        unit="MB/s",
        printed="<b>at least</b> 9 MB/s",
        note="Sample note.",
    )
    return f"/drives/{model.slug}/"


def test_a_claim_stands_with_source_verdict_and_evidence(client: Client) -> None:
    shown = words(client, claimed())
    assert "9 MB/s (minimum) [1, page 3]" in shown
    assert "exceeded 9.681 MB/s (9.660 to 9.700), better than claimed: 7.6 % above the claim" in shown
    assert "Sample vendor. A sample sheet" in shown


def test_a_vendors_words_stay_text(client: Client) -> None:
    assert "&lt;b&gt;at least&lt;/b&gt; 9 MB/s" in client.get(claimed()).content.decode()


def test_a_drive_without_claims_has_no_section_of_them(client: Client) -> None:
    model = sample_run(SampleRun()).drive_model
    assert "claims-title" not in client.get(f"/drives/{model.slug}/").content.decode()


def test_how_verdicts_are_found_is_explained_and_linked(client: Client) -> None:
    assert "/methods/claims/" in client.get(claimed()).content.decode()
    assert "one-sided test at 95 %" in words(client, "/methods/claims/")


def test_claims_of_a_makers_document_stand_on_its_models_page_and_in_the_ledger(client: Client) -> None:
    catalog_load()
    shown = words(client, "/drives/seagate-st4000nm0023/")
    assert "175 MB/s (maximum) [1, page 9, 4.1.2] 2012-10" in shown
    assert "83 MB/s (minimum) [1, page 9, 4.1.2] 2012-10" in shown
    assert "4.16 ms" in shown and "No benchmark of this archive measures it." in shown
    assert "Constellation ES.3 SAS Product Manual, 100671510, Rev. B" in shown
    assert "Nobody has measured this model yet" in shown and "Name as devices give it" not in shown
    ledger = words(client, "/claims/?drive=seagate-st4000nm0023")
    assert "175 MB/s" in ledger and "Constellation ES.3 SAS Product Manual" in ledger
