"""Envelopes in a folder: there as a whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from server.core.envelope_store import WholeFileStorage


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_writer_that_ends_half_way_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = WholeFileStorage(str(tmp_path), allow_overwrite=True, file_permissions_mode=0o640)

    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Path, "replace", killed)
        storage.save("ab/cd/one", ContentFile(b"whole"))
    assert not storage.exists("ab/cd/one")
    assert storage.save("ab/cd/one", ContentFile(b"whole")) == "ab/cd/one"
    assert (tmp_path / "ab/cd/one").read_bytes() == b"whole"
    assert (tmp_path / "ab/cd/one").stat().st_mode & 0o777 == 0o640


def test_storing_again_mends_a_damaged_file(tmp_path: Path) -> None:
    storage = WholeFileStorage(str(tmp_path), allow_overwrite=True)
    (tmp_path / "one").write_bytes(b"who")
    storage.save("one", ContentFile(b"whole"))
    assert (tmp_path / "one").read_bytes() == b"whole"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
