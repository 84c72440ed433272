"""Refreshes of the archive's one model in its own environment, each after one more run, as JSON:

python -m tests.bench.refresh.once TIMES
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.db.models import Count  # noqa: E402 -- after Django is set up

from server.catalog.models import DriveModel  # noqa: E402
from server.model_stats import refresh  # noqa: E402
from tests.support.sample_archive import SampleRun, sample_run  # noqa: E402

STEPS = {
    "reading its numbers": "model_measurements_read",
    "shares of holders": "holder_shares_update",
    "aggregates": "aggregates_update",
    "standing of runs": "standings_update",
    "statistics and overview": "snapshots_update",
    "verdicts": "verdicts_update",
    "summary": "summary_update",
}


def timed(name: str, function: Callable[..., Any], spent: dict[str, float]) -> Callable[..., Any]:
    """Return a function that notes its milliseconds."""

    def wrapper(*arguments: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + 1000 * (time.perf_counter() - began)

    return wrapper


def main() -> None:
    """Refresh once to be warm, then so many times as the command line says."""
    most = DriveModel.objects.select_related("vendor").annotate(count=Count("runs")).order_by("-count")
    model = most[0]
    spent: dict[str, float] = {}
    for words, name in STEPS.items():
        setattr(refresh, name, timed(words, getattr(refresh, name), spent))
    found = []
    for _number in range(1 + int(sys.argv[1])):
        sample_run(SampleRun(vendor=model.vendor.name, model=model.number))
        spent.clear()
        began = time.perf_counter()
        refresh.refresh_model(drive_model_id=model.pk, charts=False)
        found.append({"in all": 1000 * (time.perf_counter() - began), **spent})
    print(json.dumps(found[1:]))


if __name__ == "__main__":
    main()
