"""What a moderator decides about a submission: who, when and why stay in the log, and what and why in the
submission's events and in a mail to the account that has claimed its key.

Every decision locks the submission's row, so that of two at the same time the second one sees the first. The
same verdict again changes nothing and gives the decision that stands.
"""

from __future__ import annotations

from collections.abc import Callable

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.mail import send_mail
from django.db import transaction

from server.accounts.models import User
from server.core import clock
from server.core.lifecycle import State
from server.core.rate_limit import mail_allowed
from server.measurements.models import Benchmark
from server.submissions.appeals import appeal_open, may_appeal
from server.submissions.events import event_add, submission_enqueue, submission_move
from server.submissions.models import Appeal, Decision, Submission
from server.submissions.pipeline import submission_publish

PERMISSION = "submissions.decide"
SHORTEST_REASON = 10
_PROPOSED = Decision.Verdict.LIFTING_PROPOSED
LIFTABLE = (Decision.Verdict.REJECTED, _PROPOSED)
LEFT_BY = {Decision.Verdict.ACCEPTED: State.PUBLISHED, Decision.Verdict.REJECTED: State.REJECTED}


class NotQuarantined(Exception):
    """Only a quarantined submission waits for a decision."""


class NotLiftable(Exception):
    """Only what a moderator rejected can be taken up again, and by two of them."""


class OwnRun(Exception):
    """Nobody decides about what one's own key signed."""


class NotTheSecond(Exception):
    """An appeal is answered by another moderator than who rejected."""


class NoReason(Exception):
    """A decision nobody can understand later is none."""


@transaction.atomic
def submission_accept(submission: Submission, *, by: User, reason: str) -> Decision:
    """Publish a quarantined submission; kinds whose extraction failed stay failed.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.ACCEPTED, by, reason)
    if held is not None:
        submission_publish(held, f"Accepted by a moderator: {decided.reason}")
        _tell(held, "A moderator accepted your run", decided.reason)
    return decided


@transaction.atomic
def submission_reject(submission: Submission, *, by: User, reason: str) -> Decision:
    """Reject a quarantined submission; its samples are kept.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.REJECTED, by, reason)
    if held is not None:
        submission_move(held, State.REJECTED, f"Rejected by a moderator: {decided.reason}")
        _tell(held, "A moderator rejected your run", decided.reason)
    return decided


@transaction.atomic
def submission_ask(submission: Submission, *, by: User, reason: str) -> Decision:
    """Ask the contributor about a quarantined submission, which stays so.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.ASKED, by, reason)
    if held is not None:
        event_add(held, State.QUARANTINED, f"A moderator asks: {decided.reason}")
        _tell(held, "A moderator asks about your run", decided.reason)
    return decided


@transaction.atomic
def submission_lift(submission: Submission, *, by: User, reason: str) -> Decision:
    """Take up again what a moderator rejected: one proposes it, and it is quarantined again once another
    agrees. Rejecting it again says no.

    Raises NotLiftable, NoReason, PermissionDenied."""
    reason = _checked(by, reason)
    locked = _locked(submission, by)
    last = locked.decisions.last()
    if locked.state != State.REJECTED or last is None or last.verdict not in LIFTABLE:
        raise NotLiftable(
            f"The submission is {locked.state}, and no moderator's rejection stands to be lifted."
        )
    if last.verdict == Decision.Verdict.REJECTED:
        event_add(locked, State.REJECTED, f"A moderator proposes to lift the rejection: {reason}")
        return _added(locked, Decision.Verdict.LIFTING_PROPOSED, reason, by)
    if last.by_id == by.pk:
        raise NotLiftable("You proposed to lift this rejection: another moderator has to agree.")
    submission_move(locked, State.QUARANTINED, f"Two moderators lifted the rejection: {reason}")
    _tell(locked, "Your run is looked at again", reason)
    return _added(locked, Decision.Verdict.LIFTED, reason, by)


@transaction.atomic
def submission_restart(submission: Submission, *, by: User, reason: str) -> Decision:
    """Have a quarantined submission processed from the start, failed kinds included.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.RESTARTED, by, reason)
    if held is not None:
        held.run.benchmarks.filter(state=Benchmark.State.FAILED).update(
            state=Benchmark.State.PENDING, reason="", attempts=0
        )
        submission_move(held, State.RECEIVED, f"Started over by a moderator: {decided.reason}")
        submission_enqueue(held)
    return decided


def _decide(
    submission: Submission, verdict: Decision.Verdict, by: User, reason: str
) -> tuple[Submission | None, Decision]:
    """Log the decision; the submission is None where the same verdict stands already."""
    reason = _checked(by, reason)
    locked = _locked(submission, by)
    if locked.state != State.QUARANTINED:
        last = locked.decisions.last()
        if last is not None and verdict == Decision.Verdict.REJECTED and appeal_open(locked):
            return None, _appeal_refused(locked, last, by, reason)
        if last is not None and last.verdict == _PROPOSED and verdict == Decision.Verdict.REJECTED:
            return None, _lifting_refused(locked, by, reason)
        if last is not None and last.verdict == verdict and LEFT_BY.get(verdict) == locked.state:
            return None, last
        raise NotQuarantined(
            f"The submission is {locked.state}, not quarantined: there is nothing to decide."
        )
    return locked, _added(locked, verdict, reason, by)


def _appeal_refused(submission: Submission, last: Decision, by: User, reason: str) -> Decision:
    """Let a rejection stand that its contributor spoke against."""
    if last.by_id == by.pk:
        raise NotTheSecond("You rejected this run: another moderator answers what its contributor says.")
    event_add(submission, State.REJECTED, f"Looked at again; the rejection stands: {reason}")
    _tell(submission, "The rejection of your run stands", reason)
    return _added(submission, Decision.Verdict.REJECTED, reason, by)


def _lifting_refused(submission: Submission, by: User, reason: str) -> Decision:
    """Let a rejection stand that another moderator proposed to lift: where its contributor spoke against it,
    and so is to be answered by another than who rejected, that is no way round."""
    appeal = Appeal.objects.filter(submission=submission).select_related("rejection").first()
    answered = appeal is not None and appeal.rejection_id is not None and _refused_since(appeal)
    if appeal is not None and appeal.rejection is not None and not answered:
        if appeal.rejection.by_id == by.pk:
            raise NotTheSecond(
                "You rejected this run, and its contributor spoke against that: another moderator says "
                "whether the rejection stands."
            )
        _tell(submission, "The rejection of your run stands", reason)
    event_add(submission, State.REJECTED, f"The rejection stands: {reason}")
    return _added(submission, Decision.Verdict.REJECTED, reason, by)


def _refused_since(appeal: Appeal) -> bool:
    """Return whether a moderator has let the rejection stand that an appeal speaks against."""
    later = Decision.objects.filter(submission=appeal.submission_id, pk__gt=appeal.rejection_id)
    return later.filter(verdict=Decision.Verdict.REJECTED).exists()


def _locked(submission: Submission, by: User) -> Submission:
    """Return a submission with its row locked; raises OwnRun."""
    locked = (
        Submission.objects.select_for_update(of=("self",)).select_related("probe_key").get(pk=submission.pk)
    )
    if locked.probe_key.owner_id == by.pk:
        raise OwnRun("Your own key signed this run: another moderator decides about it.")
    return locked


def _checked(by: User, reason: str) -> str:
    if not by.is_active or not by.has_perm(PERMISSION):
        raise PermissionDenied(f"Deciding about submissions needs the permission '{PERMISSION}'.")
    reason = " ".join(reason.split())
    if len(reason) < SHORTEST_REASON:
        raise NoReason(
            f"The reason has {len(reason)} characters, of {SHORTEST_REASON} at least: say what the evidence "
            "shows."
        )
    return reason


def _added(submission: Submission, verdict: Decision.Verdict, reason: str, by: User) -> Decision:
    return Decision.objects.create(
        submission=submission, verdict=verdict, reason=reason, by=by, at=clock.now()
    )


_MAIL = """{subject}:

{reason}

The run: {site}/runs/{run}/

You get this because the key that signed the run is your account's. Nobody reads answers to this address; a
question that a moderator asked is answered by withdrawing the run, or by measuring again. {more}
"""
_APPEAL = """
If a rejection is a mistake, say why, once, and another moderator looks at it:
{site}/accounts/runs/{submission}/appeal/
"""


def _tell(submission: Submission, subject: str, reason: str) -> None:
    """Mail the account that has claimed the key, where it has an address that is its own."""
    owner = submission.probe_key.owner_id
    verified = EmailAddress.objects.filter(user__isnull=False, user=owner, verified=True)
    known = verified.order_by("-primary").first()
    if known is None:
        return
    address = {"site": settings.SITE_URL, "run": submission.run.pk, "submission": submission.pk}
    more = _APPEAL.format(**address) if may_appeal(submission) else ""
    text = _MAIL.format(subject=subject, reason=reason, more=more, **address)

    def send() -> None:
        if mail_allowed(known.email):
            send_mail(subject, text, None, [known.email], fail_silently=True)

    transaction.on_commit(send)


DECISIONS: dict[str, Callable[..., Decision]] = {
    "accept": submission_accept,
    "reject": submission_reject,
    "ask": submission_ask,
    "restart": submission_restart,
    "lift": submission_lift,
}
"""What a moderator may do, by the name that forms have for it."""
REFUSED = (NotQuarantined, NotLiftable, OwnRun, NotTheSecond, NoReason)
PREPARED = (
    "The evidence was looked at, and the finding has an explanation: ",
    "The check's limit does not fit this model, as the other units show: ",
    "The samples are those of another run.",
    "The numbers cannot be those of the model that is named: ",
    "The run was disturbed, so that its numbers say little about the unit: ",
    "Please say which unit was measured, and how it was connected.",
    "Please measure again, without other load on the unit.",
)
"""Reasons to choose from; what is typed beside goes behind."""


def reason_of(prepared: str, typed: str) -> str:
    """Return the reason that a form gives: a prepared one, which must be of the list, with what was typed."""
    return " ".join(f"{prepared if prepared in PREPARED else ''} {typed}".split())
