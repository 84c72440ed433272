"""What the OpenAPI document says beside what the views say: groups of addresses, the shapes of signed
documents, and an example of each parameter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TAGS = [
    {"name": name, "description": about}
    for name, about in (
        ("archive", "What there is, how much, what is wanted, and what changed."),
        ("catalogue", "Vendors, drive models, published values."),
        ("drives", "One model: statistics and files for simulators."),
        ("runs", "Runs, units, batches, firmware revisions, moderators' decisions."),
        ("numbers", "Numbers of runs and models, tables of zones and seeks, claims with their verdicts."),
        ("samples", "Raw samples and charts."),
        ("comparisons", "Groups of runs beside each other."),
        ("reference", "Kinds of benchmarks and their metrics."),
        ("releases", "The archive as files."),
        ("log", "The publication log, its proofs, and what was withdrawn."),
        ("submissions", "How signed runs come in."),
        ("keys", "A key's own runs, by signed commands."),
        ("follows", "An account's webhooks."),
    )
]

_RUN_SCHEMA = Path(__file__).resolve().parents[1] / "core" / "schema" / "run-v1.json"
_PREFIX = "#/components/schemas/"
RUN_DOCUMENT = {"$ref": f"{_PREFIX}RunV1"}
"""The answer that is a run document."""


def documents_as_components(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Describe the run document by its own published schema, whose parts become components."""
    schema = json.loads(_RUN_SCHEMA.read_text(encoding="utf-8"))
    parts = schema.pop("$defs")
    for name in ("$schema", "$id", "title"):
        schema.pop(name)
    schemas = result["components"]["schemas"]
    for name, part in {"": schema, **parts}.items():
        schemas[_component(name)] = _pointed(part)
    return result


def _component(name: str) -> str:
    return "RunV1" + "".join(word.capitalize() for word in name.split("_"))


def _pointed(node: Any) -> Any:
    """Return a schema whose references lead to components."""
    if isinstance(node, list):
        return [_pointed(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "if" in node:
        # Of the two shapes that the condition tells apart, an answer has one.
        return {"anyOf": [_pointed(node["then"]), _pointed(node["else"])]}
    if node.get("const") is True:
        # Generators of clients take a truth value for no constant.
        node = {**{name: value for name, value in node.items() if name != "const"}, "type": "boolean"}
    return {
        name: f"{_PREFIX}{_component(value.removeprefix('#/$defs/'))}" if name == "$ref" else _pointed(value)
        for name, value in node.items()
    }
