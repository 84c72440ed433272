"""What a withdrawn run's addresses show, and where a published run's page finds it in the log."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from server.accounts.models import User
from server.measurements.models import Run
from server.submissions.models import Submission
from server.transparency.log_entry import LogEntry
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_append
from tests.support.sample_archive import DAY, sample_run
from tests.web.test_pages import get, text_of

pytestmark = pytest.mark.django_db
REASON = "Sample reason: the drive was failing."


def logged(run: Run, kind: str = LogLeaf.Kind.PUBLISHED) -> LogLeaf:
    return log_append(LogEntry(str(kind), run.submission.digest, run.run_id, DAY))


def withdrawn(envelope: str = "removed") -> Run:
    """A run as a withdrawal leaves it: no benchmarks, no summary, two leaves and a tombstone."""
    run = sample_run()
    logged(run)
    leaf = logged(run, LogLeaf.Kind.WITHDRAWN)
    run.benchmarks.all().delete()
    Run.objects.filter(pk=run.pk).update(summary={}, unit=None, batch=None, firmware="")
    Submission.objects.filter(pk=run.submission_id).update(state="withdrawn")
    by = User.objects.create_user("keeper")
    Withdrawal.objects.create(submission=run.submission, leaf=leaf, reason=REASON, envelope=envelope, by=by)
    return run


def test_the_address_of_a_withdrawn_run_says_when_why_and_what_stays(client: Client) -> None:
    run = withdrawn()
    page = get(client, f"/runs/{run.run_id}/", 410)
    words = text_of(page)
    assert "This run was withdrawn" in words
    assert "Withdrawn 2026-03-14 09:26 UTC" in words
    assert REASON in words
    assert run.submission.digest in words
    assert "Leaf 0 : published" in words
    assert "Leaf 1 : withdrawn" in words
    assert "and the signed file itself" in words
    assert f'href="/drives/{run.drive_model.slug}/"' in page


def test_a_tombstone_says_where_the_signed_file_was_kept(client: Client) -> None:
    words = text_of(get(client, f"/runs/{withdrawn('kept').run_id}/", 410))
    assert "The signed file is kept as well, and shown to nobody." in words
    assert "and the signed file itself" not in words


@pytest.mark.parametrize(
    "part", ["status/", "charts/skippy/sawtooth-outer/", "charts/skippy/sawtooth-outer.json"]
)
def test_no_address_below_a_withdrawn_run_fails_or_pretends_that_it_never_was(
    client: Client, part: str
) -> None:
    assert "This run was withdrawn" in get(client, f"/runs/{withdrawn().run_id}/{part}", 410)


def test_an_unknown_run_is_not_found_and_not_withdrawn(client: Client) -> None:
    assert client.get(f"/runs/{uuid4()}/").status_code == 404
    assert client.get(f"/runs/{uuid4()}/charts/skippy/sawtooth-outer.json").status_code == 404


def test_a_published_run_names_its_leaf_its_proof_and_the_command(client: Client) -> None:
    logged(sample_run())
    run = sample_run()
    logged(run)
    page = get(client, f"/runs/{run.run_id}/")
    assert 'href="/api/v1/log/proofs/inclusion?leaf=1">Leaf 1</a>' in page
    assert f"diskatlas verify {run.run_id}.envelope.json --log http://testserver\n" in page
    proof = client.get("/api/v1/log/proofs/inclusion?leaf=1").json()
    assert proof["leaf"]["run_id"] == str(run.run_id)


def test_a_run_that_is_not_in_the_log_promises_no_proof_of_it(client: Client) -> None:
    page = get(client, f"/runs/{sample_run().run_id}/")
    assert "--log" not in page
    assert "Publication log" not in page


def test_the_log_is_explained(client: Client) -> None:
    assert 'href="/methods/log/"' in get(client, "/methods/")
    assert "Leaves are numbered from 0" in get(client, "/methods/log/")
