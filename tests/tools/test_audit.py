"""The audit tells a hole from a database that can't be asked."""

import json
from subprocess import CompletedProcess

import pytest

from tools import audit


def answer(monkeypatch: pytest.MonkeyPatch, returncode: int, stdout: str = "", stderr: str = "") -> None:
    done = CompletedProcess(["a tool"], returncode, stdout, stderr)
    monkeypatch.setattr(audit, "run", lambda *command, folder=None: done)


def test_a_hole_in_a_python_package_is_named_with_its_remedy(monkeypatch):
    hole = {"id": "PYSEC-2026-1", "fix_versions": ["2.0"]}
    answer(monkeypatch, 1, json.dumps({"dependencies": [{"name": "a", "version": "1.0", "vulns": [hole]}]}))
    assert list(audit.python_holes()) == ["a 1.0: PYSEC-2026-1, mended in 2.0"]


def test_packages_that_the_database_does_not_know_are_skipped_and_counted(monkeypatch):
    packages = [{"name": "a", "skip_reason": "not found"}, {"name": "b", "version": "1", "vulns": []}]
    answer(monkeypatch, 0, json.dumps({"dependencies": packages}))
    with pytest.raises(audit.NotReached, match="for 1 of 2: not found"):
        list(audit.python_holes())


@pytest.mark.parametrize("check", [audit.python_holes, audit.node_holes, audit.crate_holes])
def test_a_database_that_does_not_answer_is_no_hole(monkeypatch, check):
    answer(monkeypatch, 1, json.dumps({"message": "405 Method Not Allowed"}), "405 Method Not Allowed\n")
    with pytest.raises(audit.NotReached, match="405 Method Not Allowed"):
        list(check())


def test_a_hole_in_a_node_package_fails_the_audit(monkeypatch, capsys):
    def run(*command, folder=None):
        report = {"vulnerabilities": {"a": {"range": "<2", "severity": "high"}}}
        return CompletedProcess(
            command, 0, json.dumps(report if command[0] == "npm" else {"dependencies": []}), ""
        )

    monkeypatch.setattr(audit, "run", run)
    assert audit.main() == 1
    assert "node holes: frontend: a <2: high" in capsys.readouterr().err


def test_what_deny_toml_forbids_counts_without_any_database(monkeypatch):
    answer(monkeypatch, 2, stderr="error[banned]: crate 'openssl-sys'")
    assert list(audit.crates()) == ["error[banned]: crate 'openssl-sys'"]
