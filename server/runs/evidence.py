"""What a person sees who decides about a held submission: findings, figures, and the other units' numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from server.runs.models import CheckResult, Decision, Run, Submission
from server.runs.plausibility.evidence import USABLE
from server.runs.plausibility.gathering import numbers_gather, peers_gather
from server.runs.plausibility.registry import CHECKS
from server.runs.selectors import submission_run

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
