"""The OpenAPI document under the recommended rules of two linters, and as a client made of it reads."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.catalog.loading import catalog_load
from tests.integrations.conftest import Node
from tests.support.sample_archive import sample_archive

DOCUMENT = Path(__file__).parents[2] / "docs/reference/openapi.yaml"
OPERATIONS = sum(
    len(methods) for methods in yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))["paths"].values()
)
Count = Callable[[str, int, str], None]


def test_20_spectral_finds_nothing(node: Node, tool_count: Count) -> None:
    found = node("spectral", "lint", "-r", "spectral.yaml", "-f", "json", "--quiet", str(DOCUMENT))
    assert found == []
    tool_count("spectral", OPERATIONS, "operations, 0 warnings")


def test_20_redocly_finds_nothing(node: Node, tool_count: Count) -> None:
    found = node("redocly", "lint", "--config", "redocly.yaml", "--format", "json", str(DOCUMENT))
    assert [one["message"] for one in found["problems"]] == []
    assert found["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}
    tool_count("redocly", OPERATIONS, "operations, 0 warnings")


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a client of the document; whatever it could not make is a failure."""
    folder, settings = tmp_path / "generated_client", tmp_path / "settings.yaml"
    settings.write_text("post_hooks: []\n")
    command: list[str | Path] = [
        Path(sys.executable).parent / "openapi-python-client",
        "generate",
        "--path",
        DOCUMENT,
    ]
    command += ["--meta", "none", "--output-path", folder, "--config", settings, "--fail-on-warning"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    return folder


def test_20_a_generated_client_reads_the_archive(
    generated: Path, transactional_db: None, live_server: Any, tool_count: Count
) -> None:
    catalog_load()
    sample_archive()
    made = sorted(path for path in (generated / "api").glob("*/*.py") if path.name != "__init__.py")
    assert len(made) == OPERATIONS
    client = importlib.import_module("generated_client").Client(base_url=live_server.url)
    calls: dict[str, dict[str, Any]] = {
        "catalogue.drives_list": {"limit": 500},
        "runs.runs_list": {},
        "numbers.measurements_list": {},
        "numbers.aggregates_list": {},
        "numbers.claims_list": {"limit": 500},
        "numbers.zones_list": {},
        "archive.statistics": {},
        "reference.metrics_list": {},
        "log.log_leaves": {},
        "comparisons.comparison": {"d": ["sampledata-sample-9000", "sampledata-sample-9000~sim"]},
    }
    rows = 0
    for name, arguments in calls.items():
        call = importlib.import_module(f"generated_client.api.{name}")
        answer = call.sync_detailed(client=client, **arguments)
        assert answer.status_code == 200 and answer.parsed is not None, name
        rows += len(getattr(answer.parsed, "results", [answer.parsed]))
    tool_count("openapi-python-client", len(made), "operations made")
    tool_count("openapi-python-client", rows, "rows read")
