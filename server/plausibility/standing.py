"""Which keys have standing: whose units may witness against the run of another.

A unit's digest is the sender's own word, so one key can invent as many units of a model as it likes. A key
has standing against a run where a published run of it, of another model, was confirmed by other keys when it
came in. Keys that only ever met on the one model witness nothing there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from server.core.lifecycle import State
from server.measurements.models import Run
from server.plausibility.models import CheckResult
from server.plausibility.peers import CONFIRMED


def standing_against(run: Run) -> Callable[[Iterable[str]], frozenset[str]]:
    """Return what tells, when it is asked, which of some keys have standing against a run."""

    def standing_among(keyids: Iterable[str]) -> frozenset[str]:
        confirmed = CheckResult.objects.filter(
            check_key=CONFIRMED.key,
            outcome=CheckResult.Outcome.PASSED,
            run__provenance=run.provenance,
            run__submission__state=State.PUBLISHED,
            run__submission__probe_key__keyid__in=list(keyids),
        ).exclude(run__drive_model=run.drive_model_id)
        return frozenset(confirmed.values_list("run__submission__probe_key__keyid", flat=True).distinct())

    return standing_among
