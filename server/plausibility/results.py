"""What the checks said, as rows."""

from __future__ import annotations

from typing import Any

from server.core import clock
from server.measurements.models import Run
from server.plausibility.assessment import Judged, assess
from server.plausibility.evidence_loader import evidence_gather
from server.plausibility.models import CheckResult


def run_assess(*, run: Run, document: dict[str, Any]) -> tuple[Judged, ...]:
    """Put every check to a run all of whose benchmarks have ended."""
    return assess(evidence_gather(run=run, document=document))


def results_record(*, run: Run, answers: tuple[Judged, ...]) -> None:
    """Replace what was said of a run before, within the present transaction."""
    CheckResult.objects.filter(run=run).delete()
    CheckResult.objects.bulk_create(
        CheckResult(
            run=run,
            check_key=answer.check.key,
            position=position,
            outcome=answer.result.outcome.value,
            words=answer.result.words,
            figures=dict(answer.result.figures),
            at=clock.now(),
        )
        for position, answer in enumerate(answers)
    )
