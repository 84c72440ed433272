"""A machine that hangs fails soon, and says where it stood."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vm import boot, hardware, machine


def test_a_machine_that_says_nothing_more_is_ended_and_told_where_it_stood(
    parts: machine.Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boot, "SILENT_S", 60)
    hardware.make_disks(tmp_path)
    with pytest.raises(boot.MachineStalledError) as trouble:
        boot.boot(parts, tmp_path, "part before; part stuck; echo 'the last word'; sleep 3600")
    assert str(trouble.value).startswith("the machine was silent for 60 s in 'stuck' (before ")
    assert "the last word" in str(trouble.value)
