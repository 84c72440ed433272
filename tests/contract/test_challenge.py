"""What the probe draws from a nonce, the archive draws again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from server.benchmarks.challenge import seed_of
from server.benchmarks.registry import kinds_by_slug
from tests.contract.golden import facts_of
from tests.support.loopback import http_server
from tests.support.probe import Probe

NONCE = "sample-nonce-0001"
KINDS = ("skippy", "seeker", "random_io", "access")


@pytest.fixture
def archive() -> Iterator[str]:
    """The address of an archive that gives challenges and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            there = self.path == "/api/v1/challenges/"
            self.send_response(200 if there else 404)
            self.end_headers()
            self.wfile.write(json.dumps({"nonce": NONCE}).encode() if there else b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with http_server(Handler) as address:
        yield address


@pytest.mark.parametrize("writes", ["destroy", "none"])
@pytest.mark.parametrize("drive", ["ibm-ultrastar-xp", "seagate-st2000nm0001"])
def test_every_kind_that_draws_follows_the_nonce(
    probe: Probe, tmp_path: Path, archive: str, drive: str, writes: str
) -> None:
    options = ("--suite", "quick", "--only", ",".join(KINDS), "--writes", writes, "--challenge", archive)
    confirm = (f"--confirm={drive[-4:]}",) if writes == "destroy" else ()
    document = probe.run(f"sim:{drive},noise=default,seed=3", tmp_path / "run.json", *options, *confirm)
    assert document["challenge"] == {"nonce": NONCE}
    for part in document["benchmarks"]:
        kind = kinds_by_slug()[part["kind"]]
        assert kind.follows is not None
        followed = kind.follows(part, facts_of(document), seed_of(NONCE))
        assert followed is not None and followed.positions > 0, part["kind"]
        assert followed.following >= 0.9 * followed.positions, (part["kind"], followed)
        elsewhere = kind.follows(part, facts_of(document), seed_of("another nonce"))
        assert elsewhere is not None and elsewhere.following < 0.5 * elsewhere.positions, part["kind"]


def test_a_run_that_insists_on_a_challenge_measures_nothing_without(probe: Probe, tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9"
    output = tmp_path / "run.json"
    done = probe.call("run", "sim:hp-97560", "-o", output, "--only", "access", "--challenge", nowhere)
    assert done.returncode == 1
    assert "nothing was measured" in done.stderr
    assert not output.exists()
