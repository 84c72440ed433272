"""What a moderator sees of a submission beside the decision: the checks' findings with their limits, its
numbers beside those of the model's other units, what else its key signed, and what the same checks hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery

from server.accounts.holders import holder_keys
from server.accounts.models import ProbeKey
from server.core.lifecycle import State
from server.measurements.models import Run
from server.plausibility.evidence import USABLE
from server.plausibility.evidence_loader import numbers_gather
from server.plausibility.models import CheckResult
from server.plausibility.peer_units import peers_gather
from server.plausibility.registry import CHECKS
from server.submissions.appeals import appealed_list
from server.submissions.models import Decision, Submission
from server.submissions.selectors import submission_run

SIMILAR_SHOWN = 20
ORDER = (CheckResult.Outcome.QUARANTINED, CheckResult.Outcome.NOTED, CheckResult.Outcome.PASSED)


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

    metric: str
    scope: str
    unit: str
    value: float
    low: float | None
    high: float | None
    median: float | None
    others: tuple[tuple[str, float], ...]
    """Unit and value."""

    def place_of(self, value: float) -> float:
        """Return where a value lies between the least, 0, and the greatest, 1, of all units'."""
        every = [self.value, *(value for _unit, value in self.others)]
        low, high = min(every), max(every)
        return (value - low) / (high - low) if high > low else 0.5

    @property
    def percent_off(self) -> float | None:
        """Distance from the other units' median."""
        return 100 * (self.value / self.median - 1) if self.median else None


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """What else the holder of a key sent."""

    keys: tuple[ProbeKey, ...]
    states: tuple[tuple[str, int], ...]
    """States with how many submissions are in each."""
    models: int
    """Drive models that it sent runs of."""
    confirmed: int
    """Its published runs that other keys confirmed when they came in."""
    decisions: tuple[Decision, ...]
    """The latest about any of its runs."""


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """All that stands beside the decision."""

    run: Run | None
    findings: tuple[Finding, ...]
    numbers: tuple[BesideOthers, ...]
    other_units: int
    unlike_units: int
    decisions: tuple[Decision, ...]
    history: KeyHistory
    similar: tuple[Submission, ...]
    """Others that the same checks hold: of the same key or model first, then the oldest."""


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


def key_history(key: ProbeKey) -> KeyHistory:
    """Return what the holder of a key sent, whatever became of it."""
    keys = holder_keys(key)
    sent = Submission.objects.filter(probe_key__in=keys)
    states = sent.order_by("state").values_list("state").annotate(count=Count("pk"))
    confirmed = CheckResult.objects.filter(
        check_key="confirmed",
        outcome=CheckResult.Outcome.PASSED,
        run__submission__in=sent.filter(state=State.PUBLISHED),
    )
    decisions = Decision.objects.filter(submission__probe_key__in=keys).select_related("submission__run")
    return KeyHistory(
        keys=tuple(keys),
        states=tuple(states),
        models=sent.aggregate(models=Count("run__drive_model", distinct=True))["models"],
        confirmed=confirmed.count(),
        decisions=tuple(decisions.order_by("-at", "-id")[:SIMILAR_SHOWN]),
    )


def quarantined_list() -> QuerySet[Submission]:
    """Return what waits for a moderator, the oldest first, with what a list shows."""
    return _with_holds(Submission.objects.filter(state=State.QUARANTINED)).order_by("received_at", "id")


def liftings_list() -> QuerySet[Submission]:
    """Return rejections that a moderator proposed to lift and about which no other one has decided yet."""
    last = Decision.objects.filter(submission=OuterRef("pk")).order_by("-id").values("verdict")[:1]
    rejected = Submission.objects.filter(state=State.REJECTED).annotate(last=Subquery(last))
    return _with_holds(rejected.filter(last=Decision.Verdict.LIFTING_PROPOSED)).order_by("received_at", "id")


def appeals_list() -> QuerySet[Submission]:
    """Return rejections against which a contributor spoke and nobody has answered, the oldest first."""
    return _with_holds(appealed_list())


def _with_holds(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    holding = CheckResult.objects.filter(outcome=CheckResult.Outcome.QUARANTINED)
    return submissions.select_related("probe_key", "run__drive_model__vendor").prefetch_related(
        Prefetch("run__check_results", holding, to_attr="holds"), "decisions"
    )


def _similar(run: Run, held_by: Iterable[str]) -> tuple[Submission, ...]:
    same = Q(run__check_results__check_key__in=list(held_by), run__check_results__outcome="held")
    found = quarantined_list().filter(same).exclude(run=run).distinct()
    near = Q(probe_key=run.submission.probe_key_id) | Q(run__drive_model=run.drive_model_id)
    first = list(found.filter(near)[:SIMILAR_SHOWN])
    return tuple(first + list(found.exclude(near)[: SIMILAR_SHOWN - len(first)]))


def evidence_page(submission: Submission) -> EvidencePage:
    """Return the evidence beside a submission's decision."""
    run = submission_run(submission)
    decisions = tuple(submission.decisions.select_related("by"))
    if run is None or submission.state == State.WITHDRAWN:  # Of what is withdrawn nothing is left to see.
        return EvidencePage(run, (), (), 0, 0, decisions, key_history(submission.probe_key), ())
    peers, unlike = peers_gather(run=run)
    rows = []
    for number in numbers_gather(run=run):
        if not number.headline or number.quality not in USABLE:
            continue
        key = (number.metric, number.scope)
        others = tuple((peer.name, peer.values[key]) for peer in peers if key in peer.values)
        median = float(np.median([value for _name, value in others])) if others else None
        rows.append(
            BesideOthers(
                number.metric,
                number.scope,
                number.unit,
                number.value,
                number.low,
                number.high,
                median,
                others,
            )
        )
    held_by = run.check_results.filter(outcome=CheckResult.Outcome.QUARANTINED).values_list(
        "check_key", flat=True
    )
    return EvidencePage(
        run,
        findings_of(run),
        tuple(rows),
        len(peers),
        unlike,
        decisions,
        key_history(submission.probe_key),
        _similar(run, held_by),
    )
