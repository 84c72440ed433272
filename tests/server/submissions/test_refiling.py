"""Runs that were filed under a variant or under nobody move to their model; no address is lost."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from server.catalog.models import DriveModel, DriveRedirect
from server.catalog.services import vendor_resolve
from server.core.text import normalize_name
from server.measurements.models import Run, Unit
from tests.support.sample_archive import SampleRun, sample_run

pytestmark = pytest.mark.django_db


def filed_as_before(variant: str, unit: str) -> Run:
    """Return a run as it was filed when each variant was a model of nobody's."""
    number = f"ST4000DM000-{variant}"
    run = sample_run(SampleRun(vendor="ATA", model=number, unit=unit))
    old = DriveModel.objects.create(
        vendor=vendor_resolve(name="Unknown"),
        number=number,
        normalized=normalize_name(number),
        slug=f"unknown-{number.lower()}",
        search_text=number,
    )
    Run.objects.filter(pk=run.pk).update(drive_model=old)
    Unit.objects.filter(pk=run.unit_id).update(drive_model=old)
    type(run.batch).objects.filter(pk=run.batch_id).update(drive_model=old)
    run.refresh_from_db()
    return run


@pytest.fixture
def runs() -> list[Run]:
    cache.clear()
    made = [filed_as_before("1F2168", "a" * 64), filed_as_before("2AE166", "a" * 64)]
    DriveModel.objects.filter(runs__isnull=True).delete()
    return made


def test_variants_become_one_model_with_their_runs_drives_and_batches(runs: list[Run]) -> None:
    call_command("refile_runs", stdout=StringIO())
    assert {run.drive_model.title for run in Run.objects.all()} == {"Seagate ST4000DM000"}
    assert Unit.objects.count() == 1 and len({run.batch_id for run in Run.objects.all()}) == 1
    assert [len(one.runs) for one in DriveRedirect.objects.all()] == [1, 1]
    out = StringIO()
    call_command("refile_runs", stdout=out)
    assert out.getvalue() == ""


def test_every_address_leads_on(runs: list[Run], client: Client) -> None:
    call_command("refile_runs", stdout=StringIO())
    for run in runs:
        assert client.get(f"/runs/{run.pk}/").status_code == 200
        slug = f"unknown-{run.summary['device']['model'].lower()}"
        for before, after in (("/drives/", "/?sort=a"), ("/drives/", "/batches/"), ("/api/v1/drives/", "/")):
            answer = client.get(f"{before}{slug}{after}")
            assert answer.status_code == 301
            assert answer.headers["Location"] == f"{before}seagate-st4000dm000{after}"
    assert client.get("/drives/no-such-drive/").status_code == 404


def test_a_dry_run_changes_nothing(runs: list[Run]) -> None:
    out = StringIO()
    call_command("refile_runs", "--dry-run", stdout=out)
    assert "Unknown ST4000DM000-1F2168 -> Seagate ST4000DM000" in out.getvalue()
    assert not DriveRedirect.objects.exists() and DriveModel.objects.count() == 2
