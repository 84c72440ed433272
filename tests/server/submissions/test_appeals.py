"""A contributor says once why a rejection is wrong; another moderator than who rejected looks again."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection, transaction
from django.test import Client

from server.accounts.deletion import account_delete
from server.accounts.models import ProbeKey, User
from server.core import clock
from server.core.lifecycle import State
from server.submissions import moderation
from server.submissions.appeals import ASKED, BadAppeal, NotAppealable, appeal_make, appealed_list
from server.submissions.models import Appeal, Submission
from server.submissions.withdrawal import run_erase
from tests.support.moderation import moderator, quarantined
from tests.support.people import second_factor
from tests.support.tables import tables_that_say

pytestmark = [pytest.mark.django_db, pytest.mark.services]
REASON = "The numbers cannot be those of this drive."
WORDS = "The label says 5400, the drive turns at 7200: lureword."


@pytest.fixture(autouse=True)
def committed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows a commit belongs to the request, and a test's transaction never commits."""
    monkeypatch.setattr(transaction, "on_commit", lambda act, **_options: act())


@pytest.fixture
def holder() -> User:
    user = User.objects.create_user("holder")
    EmailAddress.objects.create(user=user, email="holder@example.org", verified=True, primary=True)
    return user


@pytest.fixture
def rejected(holder: User) -> Submission:
    submission = quarantined()
    ProbeKey.objects.filter(pk=submission.probe_key_id).update(owner=holder, status="claimed")
    moderation.submission_reject(submission, by=moderator("first"), reason=REASON)
    return Submission.objects.select_related("probe_key").get(pk=submission.pk)


def signed_in(user: User) -> Client:
    client = Client()
    second_factor(user)
    client.force_login(user)
    return client


def appeal_page(submission: Submission) -> str:
    return f"/accounts/runs/{submission.pk}/appeal/"


def test_the_mail_of_a_rejection_says_where_to_ask_and_the_page_takes_it(
    holder: User, rejected: Submission
) -> None:
    [told] = mail.outbox
    assert appeal_page(rejected) in str(told.body) and told.to == ["holder@example.org"]
    client = signed_in(holder)
    assert appeal_page(rejected) in client.get("/accounts/").content.decode()
    assert REASON in client.get(appeal_page(rejected)).content.decode()
    page = client.post(appeal_page(rejected), {"words": WORDS}, follow=True).content.decode()
    assert "Another moderator looks at it again." in page and appeal_page(rejected) not in page
    assert Appeal.objects.get().words == WORDS
    assert client.post(appeal_page(rejected), {"words": WORDS}).status_code == 409


def test_what_a_contributor_writes_is_for_moderators_alone(holder: User, rejected: Submission) -> None:
    appeal_make(rejected, by=holder, words=WORDS + "\u202e<b>")
    public = [f"/runs/{rejected.run.pk}/", f"/runs/{rejected.run.pk}/status/", "/moderation/decisions/"]
    public += [
        f"/api/v1/submissions/{rejected.pk}/",
        "/api/v1/decisions/",
        f"/api/v1/runs/{rejected.run.pk}/",
    ]
    for address in public:
        assert "lureword" not in Client().get(address).content.decode(), address
    assert ASKED in Client().get(f"/runs/{rejected.run.pk}/").content.decode()
    case = signed_in(moderator("second")).get(f"/moderation/{rejected.pk}/").content.decode()
    assert "lureword.&lt;b&gt;" in case and "\u202e" not in case


def test_nobody_else_asks_and_nobody_asks_twice(holder: User, rejected: Submission) -> None:
    stranger = User.objects.create_user("stranger")
    with pytest.raises(NotAppealable):
        appeal_make(rejected, by=stranger, words=WORDS)
    assert signed_in(stranger).post(appeal_page(rejected), {"words": WORDS}).status_code == 404
    with pytest.raises(BadAppeal):
        appeal_make(rejected, by=holder, words="too short")
    appeal_make(rejected, by=holder, words=WORDS)
    with pytest.raises(NotAppealable):
        appeal_make(Submission.objects.get(pk=rejected.pk), by=holder, words=WORDS)


def test_only_a_moderators_rejection_can_be_spoken_against(holder: User) -> None:
    for state in (State.QUARANTINED, State.WITHDRAWN, State.REJECTED):  # The last by the schema, say.
        submission = quarantined()
        ProbeKey.objects.filter(pk=submission.probe_key_id).update(owner=holder)
        Submission.objects.filter(pk=submission.pk).update(state=state)
        with pytest.raises(NotAppealable):
            appeal_make(submission, by=holder, words=WORDS)


def test_an_appeal_waits_in_the_queue_until_another_moderator_answers(
    holder: User, rejected: Submission
) -> None:
    appeal_make(rejected, by=holder, words=WORDS)
    first, second = User.objects.get(username="first"), moderator("second")
    queue = signed_in(second).get("/moderation/").content.decode()
    assert "Rejections that contributors ask to look at again" in queue and str(rejected.pk) in queue
    with pytest.raises(moderation.NotTheSecond):
        moderation.submission_reject(rejected, by=first, reason=REASON)
    moderation.submission_reject(rejected, by=second, reason="The photograph shows 5400.")
    assert [message.subject for message in mail.outbox][-1] == "The rejection of your run stands"
    assert appeal_page(rejected) not in str(mail.outbox[-1].body)
    assert "ask to look at again" not in signed_in(moderator("third")).get("/moderation/").content.decode()
    with pytest.raises(NotAppealable):
        appeal_make(Submission.objects.get(pk=rejected.pk), by=holder, words=WORDS)


def test_18_who_rejected_does_not_answer_by_turning_down_anothers_proposal(
    holder: User, rejected: Submission
) -> None:
    appeal_make(rejected, by=holder, words=WORDS)
    first, second, third = User.objects.get(username="first"), moderator("second"), moderator("third")
    moderation.submission_lift(rejected, by=second, reason="The photograph shows 7200.")
    with pytest.raises(moderation.NotTheSecond, match="another moderator"):
        moderation.submission_reject(rejected, by=first, reason=REASON)
    moderation.submission_reject(rejected, by=third, reason="The photograph shows 5400.")
    assert [message.subject for message in mail.outbox][-1] == "The rejection of your run stands"
    # The appeal is answered: a later proposal is a matter of moderators alone.
    moderation.submission_lift(rejected, by=second, reason="Another photograph shows 7200.")
    moderation.submission_reject(rejected, by=first, reason=REASON)
    assert len(mail.outbox) == 2


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_jumps_neither_hides_nor_repeats_an_appeal(
    holder: User, rejected: Submission, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(hours=hours))
    appeal_make(rejected, by=holder, words=WORDS)
    assert list(appealed_list()) == [rejected]
    monkeypatch.setattr(clock, "now", lambda: moment - timedelta(hours=2 * hours))
    moderation.submission_reject(rejected, by=moderator("second"), reason="The photograph shows 5400.")
    assert list(appealed_list()) == []


def test_an_appeal_of_the_release_before_names_its_rejection(holder: User, rejected: Submission) -> None:
    rejection = rejected.decisions.get()
    Appeal.objects.create(submission=rejected, by=holder, at=clock.now(), words=WORDS)
    assert Appeal.objects.get().rejection == rejection
    assert list(appealed_list()) == [rejected]


@pytest.mark.parametrize("hours", [-1, 0])
def test_appeals_from_before_are_given_their_rejection(
    holder: User, rejected: Submission, hours: int
) -> None:
    """An hour early is what a clock that was put back made of it."""
    rejection = rejected.decisions.get()
    appeal = appeal_make(rejected, by=holder, words=WORDS)
    moderation.submission_reject(rejected, by=moderator("second"), reason="The photograph shows 5400.")
    Appeal.objects.filter(pk=appeal.pk).update(rejection=None, at=rejection.at + timedelta(hours=hours))
    fill = import_module("server.submissions.migrations.0007_appeal_rejection").FILL
    with connection.cursor() as cursor:
        cursor.execute(fill)
    assert Appeal.objects.get().rejection == rejection


def test_an_appeal_that_is_right_leads_to_publication_by_two(holder: User, rejected: Submission) -> None:
    appeal_make(rejected, by=holder, words=WORDS)
    second, third = moderator("second"), moderator("third")
    moderation.submission_lift(rejected, by=second, reason="The label shows 7200.")
    moderation.submission_lift(rejected, by=third, reason="The label shows 7200.")
    assert mail.outbox[-1].subject == "Your run is looked at again"
    moderation.submission_accept(rejected, by=third, reason="The label shows 7200.")
    assert Submission.objects.get(pk=rejected.pk).state == State.PUBLISHED


@pytest.mark.parametrize("act", ["accept", "reject", "ask", "restart", "lift"])
def test_nobody_decides_about_a_run_of_ones_own(act: str) -> None:
    """A moderator who measures, too, would publish by one hand what the checks hold."""
    judge = moderator("judge")
    submission = quarantined()
    if act == "lift":
        moderation.submission_reject(submission, by=moderator("first"), reason=REASON)
    ProbeKey.objects.filter(pk=submission.probe_key_id).update(owner=judge)
    before = Submission.objects.get(pk=submission.pk).state
    with pytest.raises(moderation.OwnRun):
        moderation.DECISIONS[act](submission, by=judge, reason=REASON)
    assert Submission.objects.get(pk=submission.pk).state == before
    page = signed_in(judge).post(f"/moderation/{submission.pk}/", {"verdict": act, "reason": REASON})
    assert page.status_code == 409 and "Your own key signed this run" in page.content.decode()


def test_an_erased_run_keeps_no_word_of_its_appeal(holder: User, rejected: Submission) -> None:
    appeal_make(rejected, by=holder, words=WORDS)
    assert tables_that_say("lureword") == ["submissions_appeal"]
    run_erase(run=rejected.run, by=moderator("second"), reason="A court of sample law ordered it.")
    assert tables_that_say("lureword") == []


def test_18_another_account_for_the_same_key_asks_for_no_second_look(
    holder: User, rejected: Submission
) -> None:
    """Whoever signs up, appeals, deletes the account and claims the key anew would ask without end."""
    appeal_make(rejected, by=holder, words=WORDS)
    account_delete(user=holder)
    assert not Appeal.objects.exists()
    again = User.objects.create_user("holder-again")
    ProbeKey.objects.filter(pk=rejected.probe_key_id).update(owner=again, status="claimed")
    with pytest.raises(NotAppealable):
        appeal_make(Submission.objects.get(pk=rejected.pk), by=again, words=WORDS)
    assert "Another look can be asked for" not in signed_in(again).get("/accounts/").content.decode()


@pytest.mark.parametrize("appealed", [True, False])
def test_18_a_run_in_moderation_outlives_the_account_that_sent_it(
    holder: User, rejected: Submission, appealed: bool
) -> None:
    waiting = quarantined()
    ProbeKey.objects.filter(pk=waiting.probe_key_id).update(owner=holder, status="claimed")
    if appealed:
        appeal_make(rejected, by=holder, words=WORDS)
    mail.outbox.clear()
    account_delete(user=holder)
    assert not User.objects.filter(username="holder").exists() and tables_that_say("lureword") == []
    judge = moderator("second")
    client = signed_in(judge)
    page = client.get("/moderation/")
    assert page.status_code == 200 and str(waiting.pk) in page.content.decode()
    moderation.submission_accept(waiting, by=judge, reason=REASON)
    waiting.refresh_from_db()
    assert waiting.state == State.PUBLISHED and waiting.probe_key.owner is None
    assert client.get(f"/moderation/{rejected.pk}/").status_code == 200
    assert mail.outbox == [], "nobody is told who asked for no mail any more"
