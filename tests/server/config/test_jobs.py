"""Workers know every job that there is, and every one that the scheduler asks for."""

from __future__ import annotations

import runpy
from pathlib import Path

from django.conf import LazySettings

from server.config import celery, celery_config

SERVER = Path(celery.__file__).parents[1]


def test_each_room_that_has_jobs_is_looked_through() -> None:
    assert {path.parent.name for path in SERVER.glob("*/tasks.py")} == set(celery.ROOMS)


def test_what_the_scheduler_asks_for_is_known_whatever_is_switched_on(settings: LazySettings) -> None:
    settings.LOG_WITNESSES = ["https://witness.example KEY"]
    settings.RELEASE_DAY_OF_MONTH = 1
    schedule = runpy.run_path(str(celery_config.__file__))["beat_schedule"]
    assert {"ask-witnesses", "release"} <= set(schedule)
    celery.app.loader.import_default_modules()
    assert {entry["task"] for entry in schedule.values()} - set(celery.app.tasks) == set()
