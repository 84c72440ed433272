"""Withdrawing a run: its data go. Of one that was published, the leaf and a tombstone stay. Erasing one, for
which the law may ask, leaves besides nothing that it said, and a tombstone of one that was never public too.

Pages, API, aggregates and exports show published submissions only, so that the state alone takes the run out
of them; the numbers are removed besides, and the envelope's bytes where the one who withdraws says so.
"""

from __future__ import annotations

import structlog
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q

from server.accounts.holders import holder_keys
from server.accounts.models import KeyCommand, User
from server.catalog.models import DriveModel
from server.catalog.services import drive_model_resolve
from server.core import clock
from server.core.cache import model_tag, purge_on_commit
from server.core.each_alone import each_alone
from server.core.envelope_store import envelope_delete
from server.core.lifecycle import State
from server.core.locks import transaction_lock
from server.measurements.cooldown import cooldown_end
from server.measurements.models import Batch, Run, Unit
from server.submissions.commands import statement_of
from server.submissions.events import event_add, models_due, refresh_enqueue, submission_move
from server.submissions.models import Appeal, Decision, Submission
from server.submissions.moderation import SHORTEST_REASON, NoReason
from server.subscriptions.events import run_events_add
from server.subscriptions.models import ArchiveEvent
from server.transparency.log_entry import LogEntry
from server.transparency.models import LogLeaf, Withdrawal
from server.transparency.publication_log import log_append

log = structlog.get_logger("diskatlas.withdrawing")

PERMISSION = "transparency.withdraw"
ERASED = "Erased with the run."
"""What stands in the place of words that may have told what the run held."""


class NotPublished(Exception):
    """Only what was published can be withdrawn."""


@transaction.atomic
def run_withdraw(*, run: Run, by: User, reason: str, keep_envelope: bool = False) -> Withdrawal:
    """Withdraw a published run for a public reason; one that is withdrawn already keeps its tombstone.

    Raises NotPublished, NoReason, PermissionDenied.
    """
    reason = _checked(by, reason)
    submission = Submission.objects.select_for_update().get(pk=run.submission_id)
    known = Withdrawal.objects.filter(submission=submission).first()
    if known is not None:
        return known
    if submission.state != State.PUBLISHED:
        raise NotPublished(f"The run {run.pk} is {submission.state}, not published: it is shown to nobody.")
    return published_withdraw(submission, reason, keep_envelope=keep_envelope, by=by)


@transaction.atomic
def run_erase(*, run: Run, by: User, reason: str) -> Withdrawal:
    """Erase a run in whatever state for a public reason; one that is erased already keeps its tombstone.

    Fingerprints of its samples stay, so that they do not come back under another name. Raises NoReason,
    PermissionDenied.
    """
    reason = _checked(by, reason)
    submission = Submission.objects.select_for_update().get(pk=run.submission_id)
    known = Withdrawal.objects.filter(submission=submission).first()
    if known is not None and known.erased:
        return known
    run = Run.objects.select_for_update(of=("self",)).get(pk=run.pk)
    submission.events.update(reason=ERASED)
    words = f"Erased: {reason}"
    if submission.state == State.WITHDRAWN:
        event_add(submission, State.WITHDRAWN, words)
    else:
        submission_move(submission, State.WITHDRAWN, words)
    Decision.objects.create(
        submission=submission, verdict=Decision.Verdict.ERASED, reason=reason, by=by, at=clock.now()
    )
    _data_remove(run)
    _labels_remove(run)
    Appeal.objects.filter(submission=submission).delete()
    _model_leave(run)
    _model_refresh(run)
    if known is None:
        return _bury(submission, run, reason, by=by, erased=True)
    Withdrawal.objects.filter(pk=known.pk).update(
        reason=reason, envelope=Withdrawal.Envelope.REMOVED, by=by, erased=True
    )
    transaction.on_commit(withdrawn_envelopes_remove)
    return Withdrawal.objects.select_related("leaf").get(pk=known.pk)


def unpublished_withdraw(submission: Submission, reason: str) -> None:
    """Take back what was never public, whose row the caller has locked. There is nothing to put a tombstone
    on."""
    submission_move(submission, State.WITHDRAWN, reason)
    _data_remove(Run.objects.select_for_update().get(submission=submission))
    transaction.on_commit(withdrawn_envelopes_remove)


def published_withdraw(
    submission: Submission, reason: str, *, keep_envelope: bool = False, by: User | None = None
) -> Withdrawal:
    """Withdraw a published submission whose row the caller has locked; nobody in `by` is its contributor.

    The order of locks is that of publishing: submission, run, model, and the log last.
    """
    submission_move(submission, State.WITHDRAWN, f"Withdrawn: {reason}" if by else reason)
    run = Run.objects.select_for_update().get(submission=submission)
    _data_remove(run)
    _model_refresh(run)
    return _bury(submission, run, reason, by=by, keep_envelope=keep_envelope)


def _model_refresh(run: Run) -> None:
    """Have what a public run told leave its model's numbers at once, however large the model."""
    models_due([run.drive_model_id])
    cooldown_end(drive_model_id=run.drive_model_id)
    refresh_enqueue(run.drive_model_id)


def _bury(
    submission: Submission,
    run: Run,
    reason: str,
    *,
    by: User | None,
    keep_envelope: bool = False,
    erased: bool = False,
) -> Withdrawal:
    """Append the leaf and make the tombstone. Last, as by a publication: it holds the log's lock until the
    transaction ends."""
    run_events_add(ArchiveEvent.Kind.RUN_WITHDRAWN, [run.pk])
    leaf = log_append(LogEntry(LogLeaf.Kind.WITHDRAWN.value, submission.digest, run.run_id, clock.now()))
    made = Withdrawal.objects.create(
        submission=submission,
        leaf=leaf,
        reason=reason,
        envelope=Withdrawal.Envelope.KEPT if keep_envelope else Withdrawal.Envelope.REMOVED,
        erased=erased,
        by=by,
    )
    transaction.on_commit(withdrawn_envelopes_remove)
    log.info("withdrawn", run=str(run.pk), leaf=leaf.index, reason=reason, erased=erased)
    return made


def withdrawn_envelopes_remove() -> int:
    """Remove the bytes of withdrawn runs that are still there; return how many. The sweep calls it too."""
    never_public = Q(state=State.WITHDRAWN, withdrawal=None)
    due = Submission.objects.filter(Q(withdrawal__envelope=Withdrawal.Envelope.REMOVED) | never_public)
    return each_alone(_bytes_remove, due.exclude(storage_name=""))


def _bytes_remove(submission: Submission) -> int:
    envelope_delete(name=submission.storage_name)
    # After the bytes: a kill between the two leaves a name to try again.
    return Submission.objects.filter(pk=submission.pk).update(storage_name="")


def _checked(by: User, reason: str) -> str:
    if not by.is_active or not by.has_perm(PERMISSION):
        raise PermissionDenied(f"Withdrawing a run needs the permission '{PERMISSION}'.")
    reason = " ".join(reason.split())
    if len(reason) < SHORTEST_REASON:
        raise NoReason(
            f"The reason has {len(reason)} characters, of {SHORTEST_REASON} at least. It stands on the "
            "tombstone: say what a reader should know."
        )
    return reason


def _data_remove(run: Run) -> None:
    """Remove what the run told; its identity stays, so that the same run is not taken in again."""
    unit, batch = run.unit, run.batch
    run.benchmarks.all().delete()
    run.check_results.all().delete()
    run.unit = run.batch = None
    run.firmware, run.summary = "", {}
    run.save(update_fields=["unit", "batch", "firmware", "summary"])
    if unit is not None:
        Unit.objects.filter(pk=unit.pk, runs__isnull=True).delete()
    batch_remove_unused(batch)


def _labels_remove(run: Run) -> None:
    """Remove the signed commands by which the run's holder named its batch; their nonces stay spent."""
    keys = holder_keys(run.submission.probe_key)
    for command in KeyCommand.objects.filter(action="label", key__in=keys).exclude(envelope=b""):
        if statement_of(command)["run_id"] == str(run.pk):
            KeyCommand.objects.filter(pk=command.pk).update(envelope=b"")


def _model_leave(run: Run) -> None:
    """Remove the run's model and vendor where only this run named them."""
    transaction_lock("catalog")
    model = run.drive_model
    others = Run.objects.filter(drive_model=model).exclude(pk=run.pk)
    stated = model.curated or model.seen_units or model.claims.exists() or model.literature_values.exists()
    if stated or others.exists():
        return
    run.drive_model = drive_model_resolve(vendor_name=None, model_name="Erased", simulated=model.simulated)
    run.save(update_fields=["drive_model"])
    purge_on_commit(model_tag(model.pk))
    DriveModel.objects.filter(pk=model.pk).delete()
    vendor = model.vendor
    if not vendor.drive_models.exists() and not vendor.aliases.exists():
        vendor.delete()


def batch_remove_unused(batch: Batch | None) -> None:
    """Remove a batch that no run is of any more."""
    if batch is not None:
        Batch.objects.filter(pk=batch.pk, runs__isnull=True).delete()
