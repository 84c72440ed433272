"""A power cut right after a file was stored: what somebody was told of is on the disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from server.core.durable import secret_create
from server.core.envelope_store import WholeFileStorage
from tests.support.block import CutDisk, cut_disk

pytestmark = pytest.mark.loop_device
ENVELOPE = bytes(range(256)) * 80


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[CutDisk]:
    with cut_disk(tmp_path) as made:
        yield made


def test_what_nobody_waited_for_is_gone(disk: CutDisk) -> None:
    """Or the other tests would tell nothing."""
    # Whoever has the whole machine write to its disks just then (`sync`) has it write to this one, too.
    for name in ("first", "second", "third"):
        (disk.folder / name).write_bytes(ENVELOPE)
        with disk.after_power_cut() as left:
            if not (left / name).exists():
                return
    raise AssertionError("what was written is on the disk at once")


def test_an_envelope_that_was_stored_is_there(disk: CutDisk) -> None:
    storage = WholeFileStorage(str(disk.folder / "envelopes"), allow_overwrite=True)
    storage.save("ab/cd/in-new-folders", ContentFile(ENVELOPE))
    with disk.after_power_cut() as left:
        assert (left / "envelopes/ab/cd/in-new-folders").read_bytes() == ENVELOPE
    storage.save("ab/cd/beside-another", ContentFile(ENVELOPE))
    with disk.after_power_cut() as left:
        assert (left / "envelopes/ab/cd/beside-another").read_bytes() == ENVELOPE


def test_a_key_that_may_sign_is_there(disk: CutDisk) -> None:
    secret_create(disk.folder / "data" / "log-key", "seed\n")
    with disk.after_power_cut() as left:
        assert (left / "data" / "log-key").read_text() == "seed\n"
