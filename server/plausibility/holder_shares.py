"""Which of a model's runs are beyond their holder's share: one holder's drives count at most a third of a
model that three or more holders measured. What is beyond it stays published and counts in no number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from server.core.lifecycle import Provenance
from server.measurements.model_measurements import ModelMeasurements, PublishedRun
from server.measurements.models import Run
from server.plausibility.reputation import reputable_elsewhere

HOLDERS = 3
"""From so many holders on no one's drives count more than a share of one in so many."""
ReputableAmong = Callable[[Iterable[str]], frozenset[str]]
_NEVER = datetime.max.replace(tzinfo=UTC)


def holder_shares_update(*, drive_model_id: int, published: ModelMeasurements) -> ModelMeasurements:
    """Write which runs are beyond their holder's share where that has changed, within the present
    transaction; return the model's numbers with it."""
    beyond: set[UUID] = set()
    for provenance in sorted(published.provenances):
        among = reputable_elsewhere(drive_model_id=drive_model_id, provenance=Provenance(provenance))
        beyond |= runs_beyond_share(published.of(Provenance(provenance)), among)
    changed = {run.run_id for run in published.runs if run.beyond_share != (run.run_id in beyond)}
    if not changed:
        return published
    Run.objects.filter(pk__in=changed & beyond).update(beyond_share=True)
    Run.objects.filter(pk__in=changed - beyond).update(beyond_share=False)
    runs = tuple(
        replace(run, beyond_share=run.run_id in beyond) if run.run_id in changed else run
        for run in published.runs
    )
    return replace(published, runs=runs)


def runs_beyond_share(runs: Sequence[PublishedRun], reputable_among: ReputableAmong) -> set[UUID]:
    """Return the runs of one model and provenance that are beyond their holder's share. Pure but for the
    question who has a reputation, which is asked only where it matters.

    A drive is its first holder's: nobody else's runs shift its mean. Those published first count, so that
    drives that a holder adds later push none out.
    """
    drives: dict[str, list[str]] = defaultdict(list)
    holder_of: dict[str, str] = {}
    for run in sorted(runs, key=lambda run: (run.published_at or _NEVER, run.run_id)):
        if run.unit not in holder_of:
            holder_of[run.unit] = run.keyid
            drives[run.keyid].append(run.unit)
    if len(drives) < HOLDERS:
        return set()
    counts = {holder: len(units) for holder, units in drives.items()}
    borrowed = any(holder_of[run.unit] != run.keyid for run in runs)
    if max(counts.values()) * HOLDERS <= sum(counts.values()) and not borrowed:
        return set()
    known = reputable_among({run.keyid for run in runs})
    # Keys cost nothing: two new ones must not take two thirds of a model from a holder whom others confirmed.
    full = known if len(known & counts.keys()) < HOLDERS else frozenset()
    most = share_of(counts, full)
    counting = {
        unit for holder, units in drives.items() for unit in (units if holder in full else units[:most])
    }
    return {
        run.run_id
        for run in runs
        if run.unit not in counting or (holder_of[run.unit] != run.keyid and run.keyid not in known)
    }


def share_of(counts: Mapping[str, int], full: frozenset[str] = frozenset()) -> int:
    """Return how many drives of each holder count: the largest number that is at most a third of all that
    count then; one at least. Those of holders in `full` all count."""
    for most in range(max(counts.values()), 1, -1):
        total = sum(count if holder in full else min(count, most) for holder, count in counts.items())
        if most * HOLDERS <= total:
            return most
    return 1
