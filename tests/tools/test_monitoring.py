"""Alert rules and dashboard are held to by the real tools, to the code's own names and to the runbooks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MONITORING = ROOT / "docker" / "monitoring"
DASHBOARD = MONITORING / "grafana" / "dashboards" / "diskatlas.json"
NAME = re.compile(r"diskatlas_\w+")


def alerts() -> list[dict[str, Any]]:
    rules = yaml.safe_load((MONITORING / "alerts.yml").read_text())
    return [rule for group in rules["groups"] for rule in group["rules"]]


def names_in_code() -> set[str]:
    """Names of what the code counts and collects, as Prometheus has them."""
    counted = (ROOT / "server/core/metrics.py").read_text()
    collected = (ROOT / "server/operations/archive_metrics.py").read_text()
    names = set(NAME.findall(counted)) | set(NAME.findall(collected))
    gauges = re.findall(r'_gauge\(\s*"(\w+)"|^    \("(\w+_\w+)", "', collected, flags=re.MULTILINE)
    names |= {f"diskatlas_{one or other}" for one, other in gauges}
    return names | {f"{name}_bucket" for name in names if name.endswith("_seconds")}


@pytest.fixture
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.skip("promtool is not installed; on Debian: apt-get install prometheus")
    return found


def test_every_alert_comes_where_it_must_and_none_where_all_is_well(promtool: str) -> None:
    done = subprocess.run(
        [promtool, "test", "rules", "alerts_test.yml"], cwd=MONITORING, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_prometheus_takes_its_configuration(promtool: str) -> None:
    done = subprocess.run(
        [promtool, "check", "config", "prometheus.yml"], cwd=MONITORING, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_alert_is_tested_both_ways() -> None:
    tests = yaml.safe_load((MONITORING / "alerts_test.yml").read_text())["tests"]
    asked: dict[str, set[bool]] = {}
    for test in tests:
        for case in test["alert_rule_test"]:
            asked.setdefault(case["alertname"], set()).add(bool(case["exp_alerts"]))
    assert asked == {rule["alert"]: {True, False} for rule in alerts()}


def test_every_alert_has_its_section_in_the_runbooks_and_no_section_is_left_over() -> None:
    text = (ROOT / "docs/operator/runbooks.md").read_text()
    sections = re.findall(r"^## (\w+)$", text, flags=re.MULTILINE)
    assert sections == [rule["alert"] for rule in alerts()]
    for rule in alerts():
        assert rule["annotations"]["runbook"] == f"docs/operator/runbooks.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in {"page", "ticket"}


def test_alerts_and_dashboard_ask_for_nothing_that_the_code_does_not_count() -> None:
    known = names_in_code()
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = [rule["expr"] for rule in alerts()]
    asked += [target["expr"] for panel in panels for target in panel["targets"]]
    assert {name for expression in asked for name in NAME.findall(expression)} <= known


def test_everything_that_the_code_counts_is_on_the_dashboard() -> None:
    shown = set(NAME.findall(DASHBOARD.read_text()))
    counted = {name for name in names_in_code() if not name.endswith("_bucket")}
    assert {name for name in counted if not {name, f"{name}_bucket"} & shown} == set()


def test_the_dashboards_queries_are_understood(promtool: str, tmp_path: Path) -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    rules = [
        {"record": f"panel:{panel['id']}:{target['refId']}", "expr": target["expr"]}
        for panel in panels
        for target in panel["targets"]
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    done = subprocess.run([promtool, "check", "rules", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
