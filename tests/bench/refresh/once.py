"""Refreshes of the archive's one model in its own environment, each after one more run, as JSON:

python -m tests.bench.refresh.once TIMES
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402 -- after Django is set up
from django.db.models import Count  # noqa: E402

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


def cpu_s() -> float:
    """Return the CPU time of this process and of its connection's at the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = cursor.fetchone()[0]
    # proc(5), counted from the state: utime and stime are the 12th and 13th.
    fields = Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def timed(name: str, function: Callable[..., Any], spent: dict[str, float]) -> Callable[..., Any]:
    """Return a function that notes its milliseconds of CPU time."""

    def wrapper(*arguments: Any, **named: Any) -> Any:
        began = cpu_s()
        try:
            return function(*arguments, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + 1000 * (cpu_s() - began)

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
        began, began_cpu = time.perf_counter(), cpu_s()
        refresh.refresh_model(drive_model_id=model.pk, charts=False)
        took = {
            "by the clock": 1000 * (time.perf_counter() - began),
            "CPU in all": 1000 * (cpu_s() - began_cpu),
        }
        found.append({**took, **spent})
    print(json.dumps(found[1:]))


if __name__ == "__main__":
    main()
