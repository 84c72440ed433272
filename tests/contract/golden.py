"""The golden runs: one short run per kind on a simulated drive, and what extraction must find in it.

`python -m tests.contract.record` writes the runs. The expected values are written by hand from the simulated
drive's parameters (`diskatlas-simtool truth NAME`), never from what extraction said.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Facts
from tests.contract.folders import ARCHIVE_KINDS

SCHEMA = Path(__file__).resolve().parents[2] / "server" / "core" / "schema" / "run-v1.json"

VOLATILE = ("run_id", "created_at", "probe", "host")
"""What differs from run to run and from machine to machine, although the samples are the same."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A value that extraction must find: within `tolerance` of `value`, or a reason where `value` is None."""

    metric: str
    scope: str
    value: float | None
    tolerance: float
    why: str


@dataclass(frozen=True, slots=True)
class Golden:
    """A recorded run and what is true of its drive."""

    kind: str
    device: str
    options: tuple[str, ...]
    expected: tuple[Expected, ...]
    layout: str | None

    @property
    def path(self) -> Path:
        return ARCHIVE_KINDS / self.kind / "golden" / "run.json"

    def document(self) -> dict[str, Any]:
        """The recorded run document."""
        document = json.loads(self.path.read_text(encoding="utf-8"))
        assert isinstance(document, dict)
        return document


def golden_of(kind: str) -> Golden:
    """Reads `golden/expected.json` in the kind's folder."""
    data = json.loads((ARCHIVE_KINDS / kind / "golden" / "expected.json").read_text(encoding="utf-8"))
    expected = tuple(
        Expected(item["metric"], item["scope"], item["value"], item.get("tolerance", 0.0), item["why"])
        for item in data["expected"]
    )
    return Golden(kind, data["device"], tuple(data["options"]), expected, data.get("layout"))


def facts_of(document: dict[str, Any]) -> Facts:
    """What extraction may know of the device."""
    device = document["device"]
    return Facts(
        block_bytes=device["block_bytes"],
        capacity_bytes=device["capacity_bytes"],
        rated_rpm=device["rotation_rate_rpm"],
        simulated=document["provenance"] == "simulated",
        write_cache=document["conditions"]["write_cache_during"],
    )


def comparable(document: dict[str, Any]) -> dict[str, Any]:
    """The document without what differs from run to run and from machine to machine."""
    rest = {name: value for name, value in document.items() if name not in VOLATILE}
    rest["conditions"] = document["conditions"] | {"load_average_1min": None}
    rest["benchmarks"] = [entry | {"interference": None} for entry in document["benchmarks"]]
    return rest


def write_document(document: dict[str, Any], path: Path) -> None:
    """Writes a document with one column to a line, so that a change of the samples can be read in a diff."""

    def text(value: Any, depth: int) -> str:
        indent = "  " * depth
        if isinstance(value, dict) and value:
            items = (f"{indent}  {json.dumps(key)}: {text(item, depth + 1)}" for key, item in value.items())
            return "{\n" + ",\n".join(items) + f"\n{indent}}}"
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            return "[\n" + ",\n".join(f"{indent}  {text(i, depth + 1)}" for i in value) + f"\n{indent}]"
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    path.write_text(text(document, 0) + "\n", encoding="utf-8")
