"""Run documents' benchmark entries from the traces in `tests/data/traces`."""

from __future__ import annotations

import csv
import json
import os
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Facts

TRACES = Path(os.environ.get("DISKATLAS_TRACES", Path(__file__).parents[1] / "data" / "traces"))
REGIONS = ("outer", "middle", "inner")
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


def skippy_entry(*series: dict[str, Any], rotation_estimate_ns: int = 1) -> dict[str, Any]:
    return {
        "kind": "skippy",
        "version": 1,
        "params": {"block_bytes": 512, "rotation_estimate_ns": rotation_estimate_ns, "repeats": 1},
        "samples": {"series": list(series)},
        "elapsed_ns": 1,
        "interference": {"foreign_requests": None, "involuntary_context_switches": None},
        "errors": [],
    }


def flavours(drive: str, region: str, root: Path = TRACES) -> list[str]:
    """The flavours in which this region of the drive was traced."""
    found = (root / drive).glob(f"skippy_{region}_*.csv")
    return sorted(path.stem.removeprefix(f"skippy_{region}_") for path in found)


def skippy_entry_of(drive: str, flavour: str, root: Path = TRACES) -> dict[str, Any]:
    """All regions of one flavour as one run; `w_noisy*` takes the three noisy repeats together."""
    series = []
    for region in REGIONS:
        wanted = [one for one in flavours(drive, region, root) if fnmatch(one, flavour)]
        series += [skippy_series(drive, region, one, repeat, root) for repeat, one in enumerate(wanted)]
    return skippy_entry(*series)


def zoned_entry(drive: str, name: str, root: Path = TRACES) -> dict[str, Any]:
    """A `zoned` entry of one file, for example `zoned_1MiB_fastbus`."""
    table = rows(root / drive / f"{name}.csv")
    return {
        "kind": "zoned",
        "version": 1,
        "params": {"block_bytes": 512, "mode": "sampled", "transfer_blocks": 2048},
        "samples": {
            "series": [
                {
                    "repeat": 0,
                    "offset_blocks": [int(row["lba"]) for row in table],
                    "length_blocks": [int(row["sectors"]) for row in table],
                    "elapsed_ns": [
                        round(int(row["sectors"]) * 512 / float(row["mb_s"]) * 1e3) for row in table
                    ],
                }
            ]
        },
        "elapsed_ns": 1,
        "interference": {"foreign_requests": None, "involuntary_context_switches": None},
        "errors": [],
    }


def seeker_entry(drive: str, root: Path = TRACES) -> dict[str, Any]:
    """The SEEKER trace; the rotation estimate is the truth made 0.3 % worse, as a quick estimate would be."""
    table = rows(root / drive / "seeker_w_2turns.csv")
    bases = sorted({int(row["base"]) for row in table})
    number = {base: index for index, base in enumerate(bases)}
    estimate_ns = round(truth(drive, root)["rotation_period_ms"] * 1.003e6)
    return {
        "kind": "seeker",
        "version": 1,
        "params": {
            "block_bytes": 512,
            "rotation_estimate_ns": estimate_ns,
            "turns": 2,
            "track_blocks_estimate": 100,
        },
        "samples": {
            "series": [
                {
                    "variant": "write",
                    "pattern": "outward",
                    "group": [number[int(row["base"])] for row in table],
                    "from_blocks": [0] * len(table),
                    "to_blocks": [int(row["base"]) + int(row["offset"]) for row in table],
                    "latency_ns": [round(float(row["latency_ms"]) * 1e6) for row in table],
                }
            ]
        },
        "elapsed_ns": 1,
        "interference": {"foreign_requests": None, "involuntary_context_switches": None},
        "errors": [],
    }


def seek_truth(drive: str, root: Path = TRACES) -> list[tuple[int, float]]:
    """(base block, true seek in ms) of the SEEKER trace's bases."""
    table = rows(root / drive / "seeker_min_2turns.csv")
    return [(int(row["base_lba"]), float(row["true_write_seek_ms"])) for row in table]
