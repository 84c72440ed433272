"""Run documents' benchmark entries from the traces in `tests/data/traces`."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Facts

TRACES = Path(os.environ.get("DISKATLAS_TRACES", Path(__file__).parents[1] / "data" / "traces"))
VARIANT_OF_FIRST_LETTER = {"w": "write", "r": "read", "b": "backward"}


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def drives(root: Path = TRACES) -> list[str]:
    return sorted(path.parent.name for path in root.glob("*/truth.json"))


def truth(drive: str, root: Path = TRACES) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / drive / "truth.json").read_text())
    return found


def facts(drive: str, root: Path = TRACES) -> Facts:
    return Facts(block_bytes=512, capacity_bytes=512 * int(truth(drive, root)["capacity_sectors"]))


def skippy_series(
    drive: str, region: str, flavour: str, repeat: int = 0, root: Path = TRACES
) -> dict[str, Any]:
    """One `skippy` series; `flavour` is the file's last part, for example `w`, `b_nocache`, `w_noisy1`."""
    table = rows(root / drive / f"skippy_{region}_{flavour}.csv")
    variant = VARIANT_OF_FIRST_LETTER[flavour[0]]
    blocks = [int(row["lba"]) for row in table]
    first = int(table[0]["step"]) + 1
    return {
        "variant": variant,
        "region": region,
        "pattern": "increasing",
        "repeat": repeat,
        "start_block": blocks[0] + (first if variant == "backward" else -first),
        "step_blocks": [int(row["step"]) for row in table],
        "offset_blocks": blocks,
        "latency_ns": [round(float(row["latency_ms"]) * 1e6) for row in table],
    }


def skippy_entry(*series: dict[str, Any], rotation_estimate_ns: int = 0) -> dict[str, Any]:
    return {
        "kind": "skippy",
        "version": 1,
        "params": {"block_bytes": 512, "rotation_estimate_ns": rotation_estimate_ns, "repeats": 1},
        "samples": {"series": list(series)},
        "elapsed_ns": 1,
        "interference": {},
        "errors": [],
    }
