"""The probe checks a real archive's publication log over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from server.core.envelope import sha256_hex
from server.transparency.log_entry import LogEntry
from server.transparency.publication_log import log_append
from tests.support.documents import document, envelope
from tests.support.probe import Probe

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.probe]
AT = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def verify(probe: Probe, live_server: Any, tmp_path: Path) -> Callable[[Path], dict[str, Any]]:
    def one(file: Path) -> dict[str, Any]:
        done = probe.call("verify", str(file), "--log", live_server.url, "--json")
        return {**json.loads(done.stdout), "code": done.returncode}

    return one


def test_a_machine_without_a_network_checks_saved_proofs_and_what_it_saw_before(
    probe: Probe, live_server: Any, tmp_path: Path
) -> None:
    log_append(LogEntry("published", "1" * 64, UUID(int=1), AT))
    run, file, alone = document(), tmp_path / "run.json", {"XDG_STATE_HOME": str(tmp_path / "alone")}
    file.write_bytes(logged(run))
    away = "http://archive.invalid"
    for since, size, before in ((None, 2, None), ("2", 3, 2)):
        folder = tmp_path / f"proofs-{size}"
        asked = ("--log", live_server.url, "--save-proofs", folder, *(("--since", since) if since else ()))
        saved = probe.call("verify", file, *asked)
        assert saved.returncode == 0, saved.stderr + saved.stdout
        done = probe.call("verify", file, "--log", away, "--proofs", folder, "--json", env=alone)
        shown = json.loads(done.stdout)
        assert (shown["valid"], shown["log"]["size"], shown["log"]["goes_on_from"]) == (True, size, before)
        log_append(LogEntry("published", f"{size:064x}", UUID(int=size), AT))
    (tmp_path / "proofs-3/consistency-2.json").write_text('{"proof": []}')
    (tmp_path / "proofs-2/inclusion-1.json").write_text('{"proof": []}')
    forged = probe.call(
        "verify",
        file,
        "--log",
        away,
        "--proofs",
        tmp_path / "proofs-2",
        env={"XDG_STATE_HOME": str(tmp_path / "new")},
    )
    assert forged.returncode == 1 and "does not lead to the signed head" in forged.stdout
    older = probe.call("verify", file, "--log", away, "--proofs", tmp_path / "proofs-2", env=alone)
    assert older.returncode == 1 and "something was taken back" in older.stdout


def logged(run: dict[str, Any], kind: str = "published") -> bytes:
    content = envelope(run)
    log_append(LogEntry(kind, sha256_hex(content), UUID(run["run_id"]), AT))
    return content


def test_the_probe_proves_a_publication_and_that_the_log_goes_on(
    verify: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    for number in range(5):
        log_append(LogEntry("published", f"{number:064x}", UUID(int=number), AT))
    run, file = document(), tmp_path / "run.json"
    file.write_bytes(logged(run))
    first = verify(file)
    assert (first["code"], first["log"]["size"], first["log"]["goes_on_from"]) == (0, 6, None), first
    logged(run, "withdrawn")
    second = verify(file)
    assert [leaf["kind"] for leaf in second["log"]["leaves"]] == ["published", "withdrawn"]
    assert (second["code"], second["log"]["goes_on_from"]) == (1, 6)


def test_the_probe_finds_that_the_log_was_written_anew(
    verify: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    log_append(LogEntry("published", "1" * 64, UUID(int=1), AT))
    run, file = document(), tmp_path / "run.json"
    file.write_bytes(logged(run))
    assert verify(file)["code"] == 0
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE transparency_logleaf, transparency_lognode CASCADE")
    log_append(LogEntry("published", "2" * 64, UUID(int=2), AT))
    logged(run)
    log_append(LogEntry("published", "3" * 64, UUID(int=3), AT))
    found = verify(file)
    assert found["code"] == 1
    assert "does not go on" in found["log_problem"]


def test_a_file_that_was_never_published_is_not_shown(
    verify: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(envelope(document()))
    found = verify(file)
    assert (found["code"], found["valid"]) == (1, False)
    assert "does not hold these bytes" in found["log_problem"]
