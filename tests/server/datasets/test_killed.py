"""A release whose process was killed: nobody is shown half of it, and the next build goes on with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection

from server.datasets import builder
from server.datasets.builder import release_build
from server.datasets.models import Release, ReleasePart
from server.datasets.selectors import file_open, release_files, releases_list
from server.datasets.tasks import release_build_task, releases_sweep
from server.measurements.models import Benchmark
from server.submissions.models import Submission
from tests.support.documents import skippy_part
from tools.embedded.binaries import PROJECT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]

PARTS = 40


@pytest.fixture
def folders(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """Let both storages be folders, which two processes can share."""
    backend = "django.core.files.storage.FileSystemStorage"
    settings.STORAGES = {
        **settings.STORAGES,
        **{
            name: {"BACKEND": backend, "OPTIONS": {"location": str(tmp_path / name), "allow_overwrite": True}}
            for name in ("envelopes", "datasets")
        },
    }
    yield tmp_path


@pytest.fixture
def killed(
    folders: Path, publish: Callable[..., Submission], services: dict[str, str], settings: Any
) -> list[Submission]:
    """Two published runs, and a release that was killed between storing a part and knowing of it."""
    found = [publish(skippy_part(steps=150)), publish(skippy_part(steps=151))]
    before, _slash, after = services["DATABASE_URL"].rpartition("/diskatlas")
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "server.config.settings",
        "DATABASE_URL": f"{before}/{connection.settings_dict['NAME']}{after}",
        "REDIS_URL": services["REDIS_URL"],
        "SECRET_KEY": settings.SECRET_KEY,
        "LOG_KEY": settings.LOG_KEY,
        "ENVELOPES_DIR": str(folders / "envelopes"),
        "DATASETS_DIR": str(folders / "datasets"),
    }
    command = [sys.executable, "-m", "tests.support.killed_release", str(PARTS)]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    return found


def test_half_a_release_is_shown_to_nobody_and_is_gone_on_with(killed: list[Submission]) -> None:
    assert Release.objects.get().state == "building"
    assert not releases_list().exists()
    assert ReleasePart.objects.count() == PARTS
    kept = dict(ReleasePart.objects.filter(key__startswith="measurements/").values_list("key", "pk"))
    release = release_build()
    assert list(releases_list()) == [release]
    assert kept.items() <= dict(ReleasePart.objects.values_list("key", "pk")).items()
    for file in release_files(release=release):
        with file_open(file) as content:
            assert len(content.read()) == file.size_bytes, file.path


def test_a_killed_release_that_no_longer_says_what_the_archive_says_is_begun_anew(
    killed: list[Submission], publish: Callable[..., Submission]
) -> None:
    before = set(ReleasePart.objects.values_list("pk", flat=True))
    publish(skippy_part(steps=152))
    call_command("reextract", "--run", str(killed[0].run.run_id), "--present", verbosity=0)
    assert Benchmark.objects.filter(run=killed[0].run).exists()
    release = release_build()
    assert release.rows["runs"] == 3
    assert before.isdisjoint(release.parts.values_list("pk", flat=True))


def test_runs_published_after_a_kill_wait_for_the_next_release(
    killed: list[Submission], publish: Callable[..., Submission]
) -> None:
    publish(skippy_part(steps=152))
    assert release_build().rows["runs"] == 2
    assert release_build().changes == {"added": 1, "withdrawn": 0, "reextracted": 0}
    assert storages["datasets"].exists("release-0002/SHA256SUMS")


def test_the_sweep_goes_on_with_a_killed_release(
    killed: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_build_task, "delay", release_build_task)
    assert releases_sweep()
    assert releases_list().count() == 1
    assert not releases_sweep()


def test_one_release_is_built_at_a_time(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def taken(*_name: str) -> Iterator[bool]:
        yield False

    monkeypatch.setattr(builder, "session_lock", taken)
    assert release_build_task() is None
    with pytest.raises(CommandError, match="being built already"):
        call_command("release_dataset")
    assert not Release.objects.exists()
