"""Which keys have a reputation: whose units may witness against the run of another.

A unit's digest is the sender's own word, so one key can invent as many units of a model as it likes. A holder
is reputable against a run where more of its published runs, of other models, were confirmed by other holders
when they came in than moderators rejected of its runs. Keys that only ever met on the one model witness
nothing there. What came in since a key's revocation earns nothing; rejections stay, or they could be revoked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from django.db.models import Count, QuerySet

from server.accounts.holders import holder_keyid_at, not_revoked_at
from server.core.lifecycle import Provenance, State
from server.measurements.models import Run
from server.plausibility.models import CheckResult
from server.plausibility.peers import CONFIRMED


def reputable_against(run: Run) -> Callable[[Iterable[str]], frozenset[str]]:
    """Return what tells, when it is asked, which of some holders are reputable against a run. Each is known
    by its first key."""
    return reputable_elsewhere(drive_model_id=run.drive_model_id, provenance=Provenance(run.provenance))


def reputable_elsewhere(
    *, drive_model_id: int, provenance: Provenance
) -> Callable[[Iterable[str]], frozenset[str]]:
    """Return the same for a model: which of some holders have a reputation by runs of other models."""

    def reputable_among(keyids: Iterable[str]) -> frozenset[str]:
        wanted = list(keyids)
        of_others = Run.objects.filter(
            not_revoked_at("submission"),
            provenance=provenance,
            submission__state=State.PUBLISHED,
            check_results__check_key=CONFIRMED.key,
            check_results__outcome=CheckResult.Outcome.PASSED,
        ).exclude(drive_model=drive_model_id)
        rejected = _by_holder(
            Run.objects.filter(submission__state=State.REJECTED, submission__decisions__verdict="rejected"),
            wanted,
        )
        confirmed = _by_holder(of_others, wanted)
        return frozenset(holder for holder, runs in confirmed.items() if runs > rejected.get(holder, 0))

    return reputable_among


def _by_holder(runs: QuerySet[Run], keyids: list[str]) -> dict[str, int]:
    """Return how many of some runs each holder signed."""
    of_holders = runs.annotate(holder=holder_keyid_at("submission"))
    counted = of_holders.filter(holder__in=keyids).order_by().values_list("holder")
    return dict(counted.annotate(runs=Count("pk", distinct=True)))
