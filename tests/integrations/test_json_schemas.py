"""The published schemas in another validator than the archive's and the probe's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from server.benchmarks.registry import kinds_by_slug
from tests.integrations.conftest import Node

SERVER = Path(__file__).parents[2] / "server"


def test_20_ajv_takes_every_schema_and_every_golden_run(
    node: Node, tool_count: Callable[[str, int, str], None]
) -> None:
    runs = {
        slug: [json.loads(file.read_text()) for file in sorted((kind.folder / "golden").glob("*run.json"))]
        for slug, kind in kinds_by_slug().items()
    }
    asked = [
        {
            "name": slug,
            "schema": json.loads((kind.folder / "schema/v1.json").read_text()),
            "documents": [
                part
                for run in runs[slug]
                for part in run["benchmarks"]
                if part["kind"] == slug and "skipped" not in part
            ],
        }
        for slug, kind in kinds_by_slug().items()
    ]
    core = SERVER / "core/schema"
    whole = [run for some in runs.values() for run in some]
    run, command = (json.loads((core / f"{name}-v1.json").read_text()) for name in ("run", "command"))
    asked.append({"name": "run", "schema": run, "documents": whole})
    asked.append({"name": "command", "schema": command, "documents": []})
    assert node("node", "schemas.cjs", given=asked) == []
    assert len(whole) >= len(runs)
    broken = [{"name": "run", "schema": run, "documents": [{**whole[0], "license": 1}]}]
    assert node("node", "schemas.cjs", given=broken) != []
    tool_count("ajv", len(asked), "schemas")
    tool_count("ajv", sum(len(one["documents"]) for one in asked), "documents")
