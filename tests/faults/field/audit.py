"""What must hold in an archive that went through faults, looked at in its own environment:

python -m tests.faults.field.audit follow URL     somebody follows all models at a webhook
python -m tests.faults.field.audit look           what holds and what does not, as JSON
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402 -- after Django is set up
from django.db.models import Count  # noqa: E402

from server.catalog.models import DriveModel  # noqa: E402
from server.core.envelope_store import envelope_names  # noqa: E402
from server.core.lifecycle import State  # noqa: E402
from server.measurements.models import Aggregate, Benchmark, Measurement  # noqa: E402
from server.model_stats.refresh import refresh_model  # noqa: E402
from server.search.models import DriveSummary  # noqa: E402
from server.submissions.models import Submission, SubmissionEvent  # noqa: E402
from server.submissions.sweeper import orphaned_envelopes_remove  # noqa: E402
from server.subscriptions.services import webhook_create  # noqa: E402
from server.transparency.models import LogLeaf  # noqa: E402
from server.transparency.publication_log import log_check  # noqa: E402

ENDED = (State.PUBLISHED, State.REJECTED, State.QUARANTINED)
FOLDERS = [f"{number:02x}" for number in range(256)]
VOLATILE = frozenset({"id", "updated_at", "computed_at", "refreshed_at"})


def follow(url: str) -> None:
    """Have one account follow every model at a webhook."""
    owner = get_user_model().objects.create_user(username="follower", email="follower@field.example")
    for model in DriveModel.objects.filter(runs__isnull=False).distinct():
        webhook_create(owner=owner, model=model, url=url)


def look() -> dict[str, Any]:
    """Return figures and what is wrong."""
    before = numbers()
    Aggregate.objects.all().delete()
    for model in DriveModel.objects.filter(runs__isnull=False).distinct():
        refresh_model(drive_model_id=model.pk)
    orphans = orphaned_envelopes_remove(folders=FOLDERS, older_than=timedelta(days=-1))
    names = {name for folder in FOLDERS for name in envelope_names(folder)}
    rows = set(Submission.objects.exclude(storage_name="").values_list("storage_name", flat=True))
    leaves = LogLeaf.objects.filter(kind="published")
    published = Submission.objects.filter(state=State.PUBLISHED)
    ends = SubmissionEvent.objects.filter(state__in=ENDED).order_by().values("submission")
    numbers_of = Measurement.objects.order_by().values("benchmark", "extractor_version", "metric", "scope")
    return {
        "states": dict(Submission.objects.order_by().values_list("state").annotate(Count("pk"))),
        "ids": {digest: str(pk) for pk, digest in Submission.objects.values_list("pk", "digest")},
        "ended": dict(Submission.objects.filter(state__in=ENDED).values_list("digest", "state")),
        "ended_twice": ends.annotate(times=Count("pk")).filter(times__gt=1).count(),
        "orphans": orphans,
        "rows_without_envelope": sorted(rows - names),
        "envelopes_without_row": sorted(names - rows),
        "published_without_leaf": published.exclude(digest__in=leaves.values("digest")).count(),
        "leaves": leaves.count(),
        "benchmarks_pending": Benchmark.objects.filter(state=Benchmark.State.PENDING).count(),
        "measurements_twice": numbers_of.annotate(times=Count("pk")).filter(times__gt=1).count(),
        "aggregates_changed": differences(before, numbers()),
        "aggregates": Aggregate.objects.count(),
        "log_wrong": log_check(),
        "quarantined": [
            f"{one.digest} {event.reason}"
            for one in Submission.objects.filter(state=State.QUARANTINED)
            for event in one.events.filter(state=State.QUARANTINED)
        ],
        "runs_published": [str(pk) for pk in published.values_list("run__run_id", flat=True)],
    }


def numbers() -> dict[str, str]:
    """Return what is computed from runs, by what it is of, without when it was computed."""
    found = {}
    for row in Aggregate.objects.all().values():
        name = f"aggregate {row['drive_model_id']} {row['metric']} {row['scope']} {row['provenance']}"
        found[name] = plain(row)
    for row in DriveSummary.objects.all().values():
        found[f"summary {row['drive_model_id']}"] = plain(row)
    return found


def plain(row: dict[str, Any]) -> str:
    """Return a row as text, without what says when."""
    return json.dumps({key: row[key] for key in sorted(row) if key not in VOLATILE}, default=str)


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what is not the same, in words."""
    return [
        f"{name}: {before.get(name, 'nothing')[:600]} became {after.get(name, 'nothing')[:600]}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ][:3]


if __name__ == "__main__":
    if sys.argv[1] == "follow":
        follow(sys.argv[2])
    else:
        print(json.dumps(look()))
