"""What a person decides about a quarantined submission: who, when and why stay in the log, and in the
submission's events.

Every decision locks the submission's row, so that of two at the same time the second one sees the first. The
same verdict again changes nothing and gives the decision that stands.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from django.core.exceptions import PermissionDenied
from django.db import transaction

from server.accounts.models import User
from server.core import clock
from server.core.lifecycle import State
from server.measurements.models import Benchmark, Run
from server.plausibility.evidence import USABLE
from server.plausibility.evidence_loader import numbers_gather, peers_gather
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS
from server.submissions.events import submission_enqueue, submission_move
from server.submissions.models import Decision, Submission
from server.submissions.pipeline import submission_publish
from server.submissions.selectors import submission_run

PERMISSION = "submissions.decide"
SHORTEST_REASON = 10
LEFT_BY = {Decision.Verdict.ACCEPTED: State.PUBLISHED, Decision.Verdict.REJECTED: State.REJECTED}


class NotQuarantined(Exception):
    """Only a quarantined submission waits for a decision."""


class NoReason(Exception):
    """A decision nobody can understand later is none."""


@transaction.atomic
def submission_accept(submission: Submission, *, by: User, reason: str) -> Decision:
    """Publish a quarantined submission; kinds whose extraction failed stay failed.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.ACCEPTED, by, reason)
    if held is not None:
        submission_publish(held, f"Accepted by a moderator: {decided.reason}")
    return decided


@transaction.atomic
def submission_reject(submission: Submission, *, by: User, reason: str) -> Decision:
    """Reject a quarantined submission; its samples are kept.

    Raises NotQuarantined, NoReason, PermissionDenied."""
    held, decided = _decide(submission, Decision.Verdict.REJECTED, by, reason)
    if held is not None:
        submission_move(held, State.REJECTED, f"Rejected by a moderator: {decided.reason}")
    return decided


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
    if not by.is_active or not by.has_perm(PERMISSION):
        raise PermissionDenied(
            "Deciding about quarantined submissions needs the permission 'submissions.decide'."
        )
    reason = " ".join(reason.split())
    if len(reason) < SHORTEST_REASON:
        raise NoReason(
            f"The reason has {len(reason)} characters, of {SHORTEST_REASON} at least: say what the evidence "
            "shows."
        )
    locked = Submission.objects.select_for_update().get(pk=submission.pk)
    if locked.state != State.QUARANTINED:
        last = locked.decisions.last()
        if last is not None and last.verdict == verdict and LEFT_BY.get(verdict) == locked.state:
            return None, last
        raise NotQuarantined(
            f"The submission is {locked.state}, not quarantined: there is nothing to decide."
        )
    return locked, Decision.objects.create(
        submission=locked, verdict=verdict, reason=reason, by=by, at=clock.now()
    )


# ---- What a moderator sees of a quarantined submission: findings, figures, and the other units' numbers.

UNITS_SHOWN = 12
ORDER = (CheckResult.Outcome.HELD, CheckResult.Outcome.NOTED, CheckResult.Outcome.PASSED)


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's answer with the words that explain the check."""

    outcome: str
    key: str
    title: str
    words: str
    limit: str
    remedy: str
    figures: str
    """As JSON in one line; empty where there are none."""


@dataclass(frozen=True, slots=True)
class BesideOthers:
    """One number of the run beside the same number of the model's other units."""

    title: str
    scope: str
    unit: str
    value: float
    low: float | None
    high: float | None
    median: float | None
    others: tuple[tuple[str, float], ...]
    """Unit and value."""

    @property
    def percent_off(self) -> float | None:
        """Distance from the other units' median."""
        return 100 * (self.value / self.median - 1) if self.median else None


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """All that stands beside the decision."""

    run: Run | None
    findings: tuple[Finding, ...]
    numbers: tuple[BesideOthers, ...]
    other_units: int
    unlike_units: int
    decisions: tuple[Decision, ...]


def findings_of(run: Run) -> tuple[Finding, ...]:
    """Return the checks' answers, what holds the run first."""
    checks = {check.key: check for check in CHECKS}
    rows = sorted(
        run.check_results.all(),
        key=lambda row: (ORDER.index(row.outcome) if row.outcome in ORDER else len(ORDER), row.position),
    )
    found = []
    for row in rows:
        check = checks.get(row.check_key)
        title, limit, remedy = (check.title, check.limit, check.remedy) if check else (row.check_key, "", "")
        figures = json.dumps(row.figures, ensure_ascii=False) if row.figures else ""
        label = str(CheckResult.Outcome(row.outcome).label).lower()
        found.append(Finding(label, row.check_key, title, row.words, limit, remedy, figures))
    return tuple(found)


def evidence_page(submission: Submission) -> EvidencePage:
    """Return the evidence beside a submission's decision."""
    run = submission_run(submission)
    decisions = tuple(submission.decisions.select_related("by"))
    if run is None:
        return EvidencePage(None, (), (), 0, 0, decisions)
    peers, unlike = peers_gather(run=run)
    rows = []
    for number in numbers_gather(run=run):
        if not number.headline or number.quality not in USABLE:
            continue
        key = (number.metric, number.scope)
        others = tuple((peer.name, peer.values[key]) for peer in peers if key in peer.values)
        median = float(np.median([value for _name, value in others])) if others else None
        title = number.title or number.metric
        rows.append(
            BesideOthers(
                title,
                number.scope,
                number.unit,
                number.value,
                number.low,
                number.high,
                median,
                others[:UNITS_SHOWN],
            )
        )
    return EvidencePage(run, findings_of(run), tuple(rows), len(peers), unlike, decisions)
