"""Appeals: whoever holds the key of a run that a moderator rejected asks once for another look.

It changes no state. It stands in the moderators' queue until one of them proposes to lift the rejection, or
another than who rejected lets it stand.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from server.accounts.models import User
from server.core import clock
from server.core.lifecycle import State
from server.core.text import squeeze_spaces
from server.submissions.events import event_add
from server.submissions.models import Appeal, Decision, Submission

SHORTEST, LONGEST = 20, 1000
ASKED = "The contributor asks moderators to look again."


class NotAppealable(Exception):
    """There is no rejection by a moderator to say something against, or that was done before."""


class BadAppeal(Exception):
    """The words are too few to look again for."""


@transaction.atomic
def appeal_make(submission: Submission, *, by: User, words: str) -> Appeal:
    """Ask for another look at what a moderator rejected; raises NotAppealable and BadAppeal. The account must
    have claimed the key."""
    words = squeeze_spaces(words)[:LONGEST]
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.probe_key.owner_id != by.pk or not may_appeal(locked):
        raise NotAppealable(
            "Another look can be asked for once, at a run of your own that a moderator rejected."
        )
    if len(words) < SHORTEST:
        raise BadAppeal(f"Say in {SHORTEST} characters or more what speaks against the rejection.")
    event_add(locked, State.REJECTED, ASKED)
    rejection = locked.decisions.last()
    return Appeal.objects.create(submission=locked, by=by, rejection=rejection, at=clock.now(), words=words)


def may_appeal(submission: Submission) -> bool:
    """Return whether a moderator's rejection stands about which nobody said anything yet, nor did an account
    that is deleted, with which its appeal went."""
    last = submission.decisions.last()
    if last is None or last.verdict != Decision.Verdict.REJECTED or submission.state != State.REJECTED:
        return False
    return not hasattr(submission, "appeal") and not submission.events.filter(reason=ASKED).exists()


def appeal_open(submission: Submission) -> Appeal | None:
    """Return the appeal that no moderator has answered yet."""
    return _open().filter(submission=submission).first()


def appealed_list() -> QuerySet[Submission]:
    """Return the rejected submissions whose appeal nobody has answered, the oldest appeal first."""
    return Submission.objects.filter(pk__in=_open().values("submission")).order_by("appeal__pk")


def _open() -> QuerySet[Appeal]:
    last = Decision.objects.filter(submission=OuterRef("submission")).order_by("-id").values("id")[:1]
    return Appeal.objects.filter(submission__state=State.REJECTED, rejection=Subquery(last))
