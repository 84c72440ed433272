"""Envelopes without a row are removed after a day, and none that is being received."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from server.core import clock
from server.core.envelope import sha256_hex
from server.core.envelope_store import WholeFileStorage, envelope_name, envelope_store
from server.submissions import intake, sweeper
from server.submissions.models import Submission
from tests.server.submissions.test_race import at_once
from tests.support.documents import document, envelope

pytestmark = pytest.mark.django_db(transaction=True)
ALL = [f"{number:02x}" for number in range(256)]
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def folder(settings: LazySettings, tmp_path: Path) -> Path:
    """A folder for envelopes."""
    there = tmp_path / "envelopes"
    backend = "server.core.envelope_store.WholeFileStorage"
    options = {"location": str(there), "allow_overwrite": True}
    settings.STORAGES = {**settings.STORAGES, "envelopes": {"BACKEND": backend, "OPTIONS": options}}
    return there


@pytest.fixture
def tomorrow(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = datetime.now(tz=UTC) + DAY + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: moment)


def body(**fields: Any) -> bytes:
    return envelope({**document(**fields), "license": "CC0-1.0"})


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_an_envelope_without_a_row_goes_after_a_day_and_no_other(
    post: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch, tomorrow: None
) -> None:
    assert post(body()).status_code == 202
    kept = Submission.objects.get().storage_name
    orphan = envelope_store(digest=sha256_hex(b"orphan"), content=b"orphan")
    part = f"{envelope_name(sha256_hex(b'killed'))}.0123456789abcdef.part"
    strangers = {"datasets/1/table.parquet", "aa/bb/other.zst"}
    for name in (part, *strangers):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"sample")
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: datetime.now(tz=UTC))
        assert sweeper.orphaned_envelopes_remove(folders=ALL) == 0
    assert sweeper.orphaned_envelopes_remove(folders=ALL) == 2
    assert files(folder) == {kept, *strangers}
    assert orphan not in files(folder)


def test_all_folders_have_their_hour() -> None:
    days = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(24)]
    assert sorted(folder for at in days for folder in sweeper.hourly_folders(at)) == ALL


def test_an_orphan_that_is_sent_again_is_not_removed_under_its_sender(
    kinds: Any, queue: list[Any], folder: Path, tomorrow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = body()
    envelope_store(digest=sha256_hex(content), content=content)
    write = intake._commit
    removed: list[int] = []

    def commit(*arguments: Any) -> Any:
        # Another process sweeps between the storing and the row.
        removed.extend(at_once([lambda: sweeper.orphaned_envelopes_remove(folders=ALL, older_than=-DAY)]))
        return write(*arguments)

    monkeypatch.setattr(intake, "_commit", commit)
    intake.submission_receive(content=content)
    assert removed == [0]
    assert files(folder) == {Submission.objects.get().storage_name}
    assert sweeper.orphaned_envelopes_remove(folders=ALL, older_than=-DAY) == 0


def test_half_an_envelope_that_found_no_room_is_not_left(
    post: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Half:
        def chunks(self) -> Iterator[bytes]:
            yield b"half"
            raise OSError(28, "No space left on device")

    storage = WholeFileStorage(location=str(folder))
    with pytest.raises(OSError, match="No space"):
        storage._save("aa/file", Half())
    assert files(folder) == set()
    assert json.loads(post(body()).content)["id"]
