"""What pages say of runs that were read from another tool's output. Sample data, no tool's."""

from __future__ import annotations

import pytest
from django.test import Client

from server.core.lifecycle import Provenance
from tests.support.sample_archive import SampleRun, sample_run
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db


def test_a_drives_page_shows_imported_runs_in_a_section_of_their_own(client: Client) -> None:
    run = sample_run(SampleRun(provenance=Provenance.IMPORTED))
    page = get(client, f"/drives/{run.drive_model.slug}/")
    words = text_of(page[page.index('id="imported-title"') :])
    assert "The probe did not watch how they were measured" in words
    assert 'class="badge imported"' in page
    assert "Not measured yet" in text_of(page)


def test_a_run_says_what_it_was_imported_from(client: Client) -> None:
    run = sample_run(SampleRun(provenance=Provenance.IMPORTED))
    run.summary["imported"] = {
        "tool": "fio",
        "tool_version": "fio-3.33",
        "measured_at": None,
        "source": "a project of somebody else, BSD 3-Clause",
        "files": [{"format": "fio-json", "sha256": "ab" * 32, "size_bytes": 1234}],
        "remarks": ["fio prints how long a job ran in milliseconds."],
    }
    run.save(update_fields=["summary"])
    words = text_of(get(client, f"/runs/{run.run_id}/"))
    assert "Imported from fio (fio-3.33) output" in words
    assert "From a project of somebody else, BSD 3-Clause" in words
    assert "bytes, SHA-256 " + "ab" * 32 in words
    assert "fio prints how long a job ran in milliseconds." in words
    assert "One run, imported" in words


def test_feeds_and_badges_never_call_an_import_measured(client: Client) -> None:
    run = sample_run(SampleRun(provenance=Provenance.IMPORTED))
    assert "Imported: " in get(client, "/feed.atom")
    assert "not measured yet" in get(client, f"/drives/{run.drive_model.slug}/badge.svg")
