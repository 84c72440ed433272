"""All checks on one run's evidence. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from server.core import clock
from server.core.bulk import json_text, rows_copy
from server.core.lifecycle import Standing
from server.measurements.models import Run
from server.plausibility.challenge import ON_REQUEST
from server.plausibility.check import Check, Outcome, Result, quarantined
from server.plausibility.evidence import Evidence
from server.plausibility.evidence_loader import AssessedRun, evidence_gather
from server.plausibility.models import CheckResult
from server.plausibility.registry import CHECKS

log = structlog.get_logger("diskatlas.plausibility")


@dataclass(frozen=True, slots=True)
class Judged:
    """A check with its answer."""

    check: Check
    result: Result


def assess(evidence: Evidence, checks: tuple[Check, ...] = CHECKS) -> tuple[Judged, ...]:
    """Return every check's answer, in the registry's order."""
    return tuple(Judged(check, _answer(check, evidence)) for check in checks)


def reasons_to_quarantine(answers: tuple[Judged, ...]) -> list[str]:
    """Return the words of the checks that hold the run."""
    return [answer.result.words for answer in answers if answer.result.outcome is Outcome.QUARANTINED]


def _answer(check: Check, evidence: Evidence) -> Result:
    """A check that fails on a run holds it: nobody passes by samples that no check was made for."""
    try:
        result = check.judge(evidence)
    except Exception as error:
        log.exception("a check failed", check=check.key)
        return quarantined(
            f"The check {check.key!r} failed on these samples ({type(error).__name__}: {str(error)[:200]}). "
            "This is "
            "the archive's fault or the samples' form; an operator finds the cause in the worker's log."
        )
    return replace(result, figures=_plain(result.figures))


def _plain(value: Any) -> Any:
    """Return figures as JSON holds them: no number type of a library, no number that is not finite."""
    if isinstance(value, dict):
        return {str(key): _plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(child) for child in value]
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return _plain(value.item()) if hasattr(value, "item") else json.loads(json.dumps(value, default=str))


# ---- What the checks said, as rows.


def runs_assess(runs: Sequence[AssessedRun]) -> list[tuple[Judged, ...]]:
    """Put every check to each of some runs."""
    return [assess(evidence) for evidence in evidence_gather(runs)] if runs else []


def results_record(answers: Iterable[tuple[Run, tuple[Judged, ...]]]) -> None:
    """Replace what was said of runs before, within the present transaction."""
    found = list(answers)
    CheckResult.objects.filter(run__in=[run for run, _answers in found]).delete()
    _standing_record(found)
    at = clock.now()
    rows_copy(
        CheckResult,
        ("run_id", "check_key", "position", "outcome", "words", "figures", "at"),
        (
            (run.pk, one.check.key, position, one.result.outcome.value, one.result.words, figures, at)
            for run, judged in found
            for position, one in enumerate(judged)
            for figures in (json_text(dict(one.result.figures)),)
        ),
    )


def _standing_record(found: Iterable[tuple[Run, tuple[Judged, ...]]]) -> None:
    """Write with each run whether it was measured on request and whether a check holds it, where that is
    news."""
    for run, judged in found:
        asked = any(one.check is ON_REQUEST and one.result.outcome is Outcome.PASSED for one in judged)
        standing = Standing.SIGNED if reasons_to_quarantine(judged) else Standing.PLAUSIBLE
        if (asked, standing) != (run.measured_on_request, run.standing):
            run.measured_on_request, run.standing = asked, standing
            run.save(update_fields=["measured_on_request", "standing"])
