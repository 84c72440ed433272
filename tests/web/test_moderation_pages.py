"""The moderators' pages: who sees them, what stands beside a decision, and what a form does."""

from __future__ import annotations

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from server.accounts.models import User
from server.core.lifecycle import State
from server.plausibility.registry import CHECKS
from server.submissions import moderation
from server.submissions.models import Decision, Submission
from server.submissions.withdrawal import run_erase
from server.transparency.models import Withdrawal
from tests.server.submissions.test_moderation import REASON
from tests.support.moderation import moderator, quarantined
from tests.support.sample_archive import SampleRun, sample_run
from tests.web.test_pages import text_of

pytestmark = pytest.mark.django_db
CHECK = next(check for check in CHECKS if check.key == "rotation_rate")


@pytest.fixture
def signed_in(client: Client) -> Client:
    client.force_login(moderator())
    return client


def case(submission: Submission) -> str:
    return f"/moderation/{submission.pk}/"


def read(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return html.unescape(answer.content.decode())


def test_the_queue_names_the_drive_and_the_checks_that_hold_it(signed_in: Client) -> None:
    submission = quarantined()
    sample_run(SampleRun(model="Sample 9001"))
    page = read(signed_in, "/moderation/")
    assert "1 run waits for a decision" in text_of(page)
    assert f'href="{case(submission)}"' in page and "Sample 9000" in page and "Sample 9001" not in page
    assert CHECK.title in page
    assert "Nothing waits." in read(signed_in, "/moderation/?check=samples_new")
    assert "Sample 9000" in read(signed_in, "/moderation/?check=rotation_rate")


def test_a_case_shows_the_evidence_beside_the_decision(signed_in: Client) -> None:
    submission = quarantined()
    sample_run(SampleRun(unit="ef" * 32))
    other = quarantined()
    page = read(signed_in, case(submission))
    words = text_of(page)
    assert "Sample words: 7200 rpm, rated 5400." in words
    assert CHECK.limit in words and CHECK.remedy in words and '"rated_rpm": 5400' in words
    assert f"/runs/{submission.run.pk}/envelope.json" in page
    assert "1 other unit under comparable conditions" in words
    assert "2 quarantined" in words and "1 published" in words
    assert f'href="{case(other)}"' in page and "the same key, the same model" in words
    for name in ("accept", "reject", "ask", "restart", "erase"):
        assert f'value="{name}"' in page
    assert 'value="lift"' not in page and 'value="withdraw"' not in page


def test_numbers_of_other_units_are_drawn_beside_the_runs(signed_in: Client) -> None:
    for unit in ("cd", "ef"):
        sample_run(SampleRun(unit=unit * 32))
    submission = sample_run().submission
    Submission.objects.filter(pk=submission.pk).update(state=State.QUARANTINED)
    page = read(signed_in, case(submission))
    assert "2 other units under comparable conditions" in text_of(page)
    assert " ms 0 % 2 " in text_of(page)
    assert page.count('class="other"') == 2 * page.count('<svg class="strip"') > 0


def test_a_decision_is_posted_and_told(signed_in: Client) -> None:
    submission = quarantined()
    refused = signed_in.post(case(submission), {"verdict": "reject", "reason": "ok"})
    assert refused.status_code == 409 and "The reason has 2 characters" in refused.content.decode()
    given = {"verdict": "reject", "prepared": moderation.PREPARED[2], "reason": "See the note."}
    done = signed_in.post(case(submission), given, follow=True)
    assert "Done. The decision stands in the log." in done.content.decode()
    decision = Decision.objects.get()
    assert decision.reason == f"{moderation.PREPARED[2]} See the note."
    assert 'value="lift"' in read(signed_in, case(submission))


def test_several_are_decided_together(signed_in: Client) -> None:
    chosen = [quarantined(), quarantined()]
    left = quarantined()
    given = {"verdict": "reject", "reason": REASON, "submission": [str(one.pk) for one in chosen]}
    answer = signed_in.post("/moderation/", given, follow=True)
    assert "Decided about 2 submissions of 2." in answer.content.decode()
    states = Submission.objects.order_by("received_at", "pk").values_list("state", flat=True)
    assert sorted(states) == ["quarantined", "rejected", "rejected"]
    left.refresh_from_db()
    assert left.state == State.QUARANTINED
    for bad in ({"verdict": "erase"}, {"submission": ["x"]}, {"submission": []}):
        answer = signed_in.post("/moderation/", {**given, **bad}, follow=True)
        assert "Nothing was decided" in answer.content.decode()
    assert Decision.objects.count() == 2


def test_a_proposal_to_lift_waits_in_the_queue_for_somebody_else(signed_in: Client) -> None:
    submission = quarantined()
    signed_in.post(case(submission), {"verdict": "reject", "reason": REASON})
    signed_in.post(case(submission), {"verdict": "lift", "reason": "The catalogue was mended."})
    assert "Rejections that somebody proposes to lift" in read(signed_in, "/moderation/")
    again = signed_in.post(case(submission), {"verdict": "lift", "reason": "The catalogue was mended."})
    assert again.status_code == 409 and "another moderator has to agree" in again.content.decode()
    signed_in.force_login(moderator("second"))
    signed_in.post(case(submission), {"verdict": "lift", "reason": "It was, I looked."})
    submission.refresh_from_db()
    assert submission.state == State.QUARANTINED
    assert "Rejections that somebody" not in read(signed_in, "/moderation/")


def test_published_runs_are_found_withdrawn_and_erased(signed_in: Client) -> None:
    first, second = sample_run(), sample_run()
    found = signed_in.get("/moderation/", {"run": str(first.pk)})
    assert found["Location"] == case(first.submission)
    assert signed_in.get("/moderation/?run=nonsense").status_code == 404
    signed_in.post(case(first.submission), {"verdict": "withdraw", "reason": REASON})
    signed_in.post(case(second.submission), {"verdict": "erase", "reason": REASON})
    assert list(Withdrawal.objects.order_by("leaf").values_list("erased", flat=True)) == [False, True]
    for gone in (first, second):  # Where the form leads, once it is done.
        assert "withdrawn" in text_of(read(signed_in, case(gone.submission)))


def test_who_is_no_moderator_sees_and_does_nothing(client: Client) -> None:
    submission = quarantined()
    given = {"verdict": "accept", "reason": REASON, "submission": [str(submission.pk)]}
    for address in ("/moderation/", case(submission)):
        assert client.get(address)["Location"].startswith("/accounts/login/")
    client.force_login(User.objects.create_user("visitor", is_staff=True))
    for address in ("/moderation/", case(submission)):
        assert client.get(address).status_code == 403
        assert client.post(address, given).status_code == 403
    assert not Decision.objects.exists()


def test_the_log_of_decisions_has_reasons_and_no_names(client: Client) -> None:
    submission, erased = quarantined(), quarantined()
    by = moderator()
    moderation.submission_reject(submission, by=by, reason=REASON)
    moderation.submission_reject(erased, by=by, reason="It names a person: sample name.")
    run_erase(run=erased.run, by=by, reason="A court ordered it.")
    page = read(client, "/moderation/decisions/")
    words = text_of(page)
    assert REASON in words and f"/runs/{submission.run.pk}/" in page and "A court ordered it." in words
    assert "sample-moderator" not in page and "sample name" not in page
    rows = client.get("/api/v1/decisions/").json()["results"]
    assert [row["verdict"] for row in rows] == ["rejected", "rejected", "erased"]
    assert rows[0]["reason"] == REASON and rows[1]["reason"] == "Erased with the run."
    assert set(rows[0]) == {"id", "at", "verdict", "run_id", "reason"}
    assert "sample-moderator" not in client.get("/api/v1/decisions.csv").getvalue().decode()
    client.force_login(by)
    assert "sample-moderator" in read(client, "/moderation/decisions/")


def test_an_account_leads_to_the_queue_where_it_may_decide(signed_in: Client) -> None:
    assert 'href="/moderation/"' in read(signed_in, "/accounts/keys/")
    signed_in.force_login(User.objects.create_user("visitor"))
    assert 'href="/moderation/"' not in read(signed_in, "/accounts/keys/")


def test_the_administration_leads_to_the_moderators_pages(client: Client) -> None:
    submission = quarantined()
    client.force_login(User.objects.create_superuser("sample-operator"))
    for address in ("", f"{submission.pk}/change/"):
        page = read(client, f"/admin/submissions/submission/{address}")
        assert f'href="{case(submission)}"' in page


def test_lists_cost_the_same_queries_however_much_they_list(signed_in: Client) -> None:
    def cost(address: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            read(signed_in, address)
        return len(queries)

    by = moderator("second")
    for _time in range(2):
        moderation.submission_reject(quarantined(), by=by, reason=REASON)
        quarantined()
    few = [cost(address) for address in ("/moderation/", "/moderation/decisions/", case(quarantined()))]
    for _time in range(4):
        moderation.submission_reject(quarantined(), by=by, reason=REASON)
        quarantined()
    many = [cost(address) for address in ("/moderation/", "/moderation/decisions/", case(quarantined()))]
    assert few == many
