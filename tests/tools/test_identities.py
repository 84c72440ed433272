"""The rules for makers' numbers, held against what 487 model strings of real drives say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.catalog.identities import identities
from tools.identities import findings, main


def test_every_real_drive_is_named_as_it_is() -> None:
    assert findings(identities()) == []


def test_a_drive_that_the_rules_misread_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    first = next(one for one in identities() if one.model_string.startswith("HGST HUH7212"))
    wrong = replace(first, model_string="HGST HUH728080ALE600", maker="Seagate")
    found = findings((wrong,))
    assert [one.what for one in found] == ["maker", "decoded"]
    assert "8000 GB, drives have 12000 GB" in found[1].words
    assert main([]) == 0
    assert "487 strings of 18622 drives" in capsys.readouterr().out
