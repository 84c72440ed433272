"""What the holder of a key may do with the runs that the key signed, published or not.

Keys that followed one another by rotation have one holder. Each change locks the submission first, as
publishing and moderation do, and leaves an event that says what was done, not in whose words.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from server.accounts.holders import holder_keys
from server.accounts.key_logins import login_begin
from server.accounts.models import KeyLogin, ProbeKey
from server.accounts.services import probe_key_register, probe_key_revoke
from server.core import clock
from server.core.envelope import COMMAND_TYPE, envelope_parse
from server.core.lifecycle import State
from server.core.problems import ErrorItem, Problem, problem
from server.core.text import printable, squeeze_spaces
from server.measurements.models import Batch, Run
from server.submissions.commands import Command, signed_statement
from server.submissions.events import event_add, models_due, runs_purge
from server.submissions.models import Submission
from server.submissions.selectors import submission_run
from server.submissions.withdrawal import batch_remove_unused, published_withdraw, unpublished_withdraw

PAGE = 200
"""Submissions that one answer lists."""
WITHDRAWN_BECAUSE = {
    "unstated": "Its contributor withdrew it.",
    "faulty": "Its contributor withdrew it: the unit was faulty, or used by others while it was measured.",
    "mistake": "Its contributor withdrew it: it was measured or described by mistake.",
    "consent": "Its contributor withdrew it, and takes back the consent to its publication.",
}
"""Prepared, since a tombstone stays for good and nobody's words are looked at before."""
WIDER = {("CC-BY-4.0", "CC0-1.0")}


@dataclass(frozen=True, slots=True)
class HolderRuns:
    """A page of what a holder's keys signed, the latest first."""

    keys: tuple[ProbeKey, ...]
    submissions: tuple[Submission, ...]
    after: UUID | None
    """Where to go on; None on the last page."""


def holder_runs(command: Command) -> HolderRuns:
    """Return what the holder's keys signed, whatever became of it."""
    keys = holder_keys(command.key)
    found = submissions_of(keys)
    if command.statement["after"]:
        found = found.filter(pk__lt=command.statement["after"])
    rows = list(found[: PAGE + 1])
    more = len(rows) > PAGE
    return HolderRuns(tuple(keys), tuple(rows[:PAGE]), rows[PAGE - 1].pk if more else None)


def submissions_of(keys: QuerySet[ProbeKey]) -> QuerySet[Submission]:
    """Return what some keys signed, the latest first, with all that a list shows."""
    found = Submission.objects.filter(probe_key__in=keys).order_by("-id")
    return found.select_related("probe_key", "run__drive_model__vendor", "run__batch").prefetch_related(
        "events"
    )


def holder_withdraw(command: Command) -> Submission:
    """Take a run back for good; one that is withdrawn stays so. Raises Problem."""
    submission = _locked(command)
    reason = WITHDRAWN_BECAUSE[command.statement["reason"]]
    if submission.state == State.PUBLISHED:
        published_withdraw(submission, reason)
    elif submission.state == State.REJECTED:
        raise _wrong_state(submission, "It is shown to nobody, and its file is removed after some time.")
    elif submission.state != State.WITHDRAWN:
        unpublished_withdraw(submission, reason)
    return submission


def holder_license(command: Command) -> Submission:
    """Give a run away under a licence that allows more; raises Problem. What was given stays given."""
    submission = _locked_present(command)
    run, license = submission.run, command.statement["license"]
    if run.license == license:
        return submission
    if (run.license, license) not in WIDER:
        raise problem(
            "not-wider",
            f"The run is under {run.license}, which {license} would narrow: who has it already may go on "
            "using it, so that a licence can only be widened. Withdraw the run if it should not be used.",
            ErrorItem("/license", f"allows less than {run.license}"),
        )
    words = f"Its contributor widened the licence from {run.license} to {license}."
    Run.objects.filter(pk=run.pk).update(license=license)
    run.license = license
    _changed(submission, words)
    return submission


def holder_label(command: Command) -> Submission:
    """Name the batch of a run's drive, or take the name away; raises Problem."""
    submission = _locked_present(command)
    run = submission.run
    before, label = run.batch, printable(command.statement["label"] or "").strip()
    year, week = (before.year, before.week) if before else (None, None)
    if label == (before.label if before else ""):
        return submission
    run.batch = None
    if label or year is not None:
        run.batch, _made = Batch.objects.get_or_create(
            drive_model_id=run.drive_model_id, year=year, week=week, label=label
        )
    Run.objects.filter(pk=run.pk).update(batch=run.batch)
    batch_remove_unused(before)
    _changed(submission, "Its contributor named the batch anew.")
    if submission.state == State.PUBLISHED:
        models_due([run.drive_model_id])
    return submission


def holder_revoke(command: Command) -> ProbeKey:
    """Give one of the holder's keys up, from a date on; raises Problem."""
    keyid, since = command.statement["keyid"], command.statement["from"]
    key = holder_keys(command.key).filter(keyid=keyid).first()
    if key is None:
        raise problem(
            "not-found",
            f"{keyid} is no key of yours: only a key itself, or one of the same holder, revokes it. Sign "
            "with that key (DISKATLAS_KEY names its file).",
            ErrorItem("/keyid", "is no key of this holder"),
        )
    return probe_key_revoke(key=key, since=_instant(since) if since else clock.now())


def holder_rotate(command: Command) -> ProbeKey:
    """Have a new key follow the one that signs; both have agreed. Raises Problem."""
    envelope = envelope_parse(command.statement["successor"], COMMAND_TYPE)
    successor, agreed = signed_statement(envelope, "succeed")
    for name, wanted in (
        ("keyid", command.key.keyid),
        *((name, command.statement[name]) for name in ("archive", "nonce")),
    ):
        if agreed[name] != wanted:
            raise problem(
                "bad-signature",
                f"The new key signed another {name} than the command has: it agreed to something else. "
                "Rotate again.",
                ErrorItem("/successor/payload", f"has another {name}"),
            )
    holder = command.key.holder
    known = None if successor._state.adding else successor
    if known is not None and known.holder_key_id == holder.pk:
        return known  # The answer to the same request was lost.
    if known is not None:
        raise problem(
            "key-known",
            f"The archive knows the new key {known.keyid} already; a key follows another one only before its "
            "first use. Rotate to a fresh one.",
            ErrorItem("/successor", "is known here"),
        )
    made = probe_key_register(successor)
    made.holder_key, made.owner, made.status = holder, command.key.owner, command.key.status
    made.save(update_fields=["holder_key", "owner", "status"])
    return made


def holder_login(command: Command) -> KeyLogin:
    """Have the key wait for an account."""
    return login_begin(key=command.key, name=squeeze_spaces(command.statement["name"] or ""))


def _locked(command: Command) -> Submission:
    """Return the submission of the command's run, locked, if the holder's keys signed it; raises Problem."""
    run_id = command.statement["run_id"]
    found = Submission.objects.filter(run__run_id=run_id, probe_key__in=holder_keys(command.key))
    submission = found.select_for_update(of=("self",)).first()
    if submission is None:
        raise problem(
            "not-found",
            f"None of your keys signed a run {run_id} here. `diskatlas my runs` lists what they signed.",
            ErrorItem("/run_id", "is no run of this holder"),
        )
    return submission


def _locked_present(command: Command) -> Submission:
    submission = _locked(command)
    if submission.state in (State.REJECTED, State.WITHDRAWN):
        raise _wrong_state(submission, "There is nothing left to change.")
    return submission


def _changed(submission: Submission, words: str) -> None:
    event_add(submission, State(submission.state), words)
    if submission.state == State.PUBLISHED:
        runs_purge([submission])


def _wrong_state(submission: Submission, remedy: str) -> Problem:
    run = submission_run(submission)
    return problem(
        "wrong-state", f"The run {run.pk if run else submission.pk} is {submission.state}. {remedy}"
    )


def _instant(text: str) -> datetime:
    """Return the instant of a statement; raises Problem for a day that no month has, or the future."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise _bad_date("is no day of the calendar") from None
    if found > clock.now():
        raise _bad_date("lies ahead: a key is revoked from now on, or from a time that has passed")
    return found


def _bad_date(what: str) -> Problem:
    return problem("bad-date", f"The date {what}.", ErrorItem("/from", what))


def last_reason(submission: Submission) -> str:
    """Return the last of the reasons why a submission is where it is."""
    events: list[Any] = list(submission.events.all())
    return str(events[-1].reason) if events else ""
