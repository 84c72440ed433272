"""What the probe signs, the archive can check; a changed byte is found by both."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from server.core.envelope import envelope_parse, signature_check
from server.core.problems import Problem
from tests.support.probe import Probe


@pytest.fixture
def signed(probe: Probe, tmp_path: Path) -> dict[str, Any]:
    """An envelope as the probe writes it."""
    output = tmp_path / "signed.run.json"
    probe.run("sim:hp-97560,seed=1", output, "--only", "zoned")
    envelope = json.loads(output.read_text(encoding="utf-8"))
    assert isinstance(envelope, dict)
    return envelope


def test_the_archive_verifies_what_the_probe_signed(signed: dict[str, Any]) -> None:
    envelope = envelope_parse(signed)
    assert envelope.public_key is not None
    signature_check(envelope, envelope.public_key)
    assert json.loads(envelope.payload)["provenance"] == "simulated"


def test_a_byte_changed_after_signing_is_found_by_the_archive(signed: dict[str, Any]) -> None:
    payload = bytearray(base64.b64decode(signed["payload"]))
    payload[payload.index(b"simulated")] ^= 1
    envelope = envelope_parse(signed | {"payload": base64.b64encode(payload).decode()})
    assert envelope.public_key is not None
    with pytest.raises(Problem):
        signature_check(envelope, envelope.public_key)


def test_a_byte_changed_after_signing_is_found_by_the_probe(
    signed: dict[str, Any], probe: Probe, tmp_path: Path
) -> None:
    path = tmp_path / "signed.run.json"
    assert probe.call("verify", path).returncode == 0
    payload = bytearray(base64.b64decode(signed["payload"]))
    payload[payload.index(b"simulated")] ^= 1
    path.write_text(json.dumps(signed | {"payload": base64.b64encode(payload).decode()}), encoding="utf-8")
    done = probe.call("verify", path)
    assert done.returncode == 1
    assert "wrong signature" in done.stdout
