"""Cases from the simulated drives: the built probe runs, the simulator's tool says what is true."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Extraction, Facts
from server.benchmarks.registry import KINDS
from tests.support.probe import ROOT, Probe, probe_path, simtool_path
from tools.accuracy.cases import CLEAN, NOISY, Case, Expected
from tools.accuracy.kinds import EXPECTATIONS, facts_of
from tools.accuracy.random_truth import between
from tools.accuracy.requests import with_rhythms
from tools.accuracy.transfers import over_time_cases

NOISES = (("off", "clean", CLEAN), ("default", "default noise", NOISY))
KNOWN = {"skippy", *EXPECTATIONS}
BUILT = ROOT / "client/probe/target" / "release" / "diskatlas-simtool"


def simulated_cases() -> tuple[list[Case], list[str]]:
    """The cases, and notes on what could not be compared."""
    probe, simtool = probe_path(), built_simtool()
    if probe is None or simtool is None:
        missing = (
            "the probe (`make build`)"
            if probe is None
            else "`diskatlas-simtool` (`cargo build --features simtool`)"
        )
        return [], [f"The simulated drives are missing from this table: {missing} is not built."]
    cases = []
    with tempfile.TemporaryDirectory() as folder:
        caller = Probe(probe, Path(folder))
        for name in _names(simtool):
            quiet = json.loads(_output(simtool, "truth", f"{name},noise=off", "--json"))
            for noise, words, strictness in NOISES:
                noisy = json.loads(_output(simtool, "truth", f"{name},noise={noise}", "--json"))
                truth = with_rhythms(noisy, quiet)
                document = _run(caller, name, noise, Path(folder))
                cases += _cases(name, words, strictness, truth, document)
        cases += over_time_cases(
            caller, lambda name: dict(json.loads(_output(simtool, "truth", name, "--json"))), Path(folder)
        )
    return cases, []


def built_simtool() -> Path | None:
    """The simulator's tool, whichever way it was built, or None."""
    return simtool_path() or (BUILT if BUILT.is_file() and os.access(BUILT, os.X_OK) else None)


def _names(simtool: Path) -> list[str]:
    return [line.split()[0] for line in _output(simtool, "list").splitlines() if line.strip()]


def _output(simtool: Path, *arguments: str) -> str:
    done = subprocess.run([str(simtool), *arguments], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def _run(probe: Probe, name: str, noise: str, folder: Path) -> dict[str, Any]:
    output = folder / f"{name}-{noise}.json"
    confirm = f"--confirm={name[-4:]}"
    return probe.run(f"sim:{name},noise={noise},seed=1", output, "--writes", "destroy", confirm)


def _cases(
    name: str, words: str, strictness: str, truth: dict[str, Any], document: dict[str, Any]
) -> list[Case]:
    facts = facts_of(document)
    cases = []
    for entry in document["benchmarks"]:
        kind = next(kind for kind in KINDS if kind.slug == entry["kind"])
        if "samples" in entry and kind.slug in KNOWN:
            expected = (
                _skippy_expected(truth, strictness, entry)
                if kind.slug == "skippy"
                else EXPECTATIONS[kind.slug](truth, strictness, entry)
            )
            cases.append(
                Case(
                    name,
                    f"{kind.slug.upper()}, {words}",
                    strictness,
                    expected,
                    _later(kind.extract, entry, facts),
                )
            )
    return cases


def _later(
    extract: Callable[[dict[str, Any], Facts], Extraction], entry: dict[str, Any], facts: Facts
) -> Callable[[], Extraction]:
    return lambda: extract(entry, facts)


def _skippy_expected(truth: dict[str, Any], strictness: str, entry: dict[str, Any]) -> tuple[Expected, ...]:
    """Truth by zone: a region of the probe need not start where the truth's example does."""
    serpentine = truth["layout"] == "surface_serpentine"
    turn = float(truth["rotation_period_ms"])
    rows = [Expected("skippy.rotation_time", "", turn, (1e-3 if strictness == CLEAN else 4e-3) * turn, True)]
    rows.append(
        Expected("skippy.surfaces", "", None if serpentine else float(truth["surfaces"]), 0.0, not serpentine)
    )
    if serpentine:
        return tuple(rows)
    for region in ("outer", "middle", "inner"):
        blocks = [
            block
            for series in entry["samples"]["series"]
            if series["region"] == region
            for block in (series["offset_blocks"][0], series["offset_blocks"][-1])
        ]
        zones = {_zone_of(truth, block) for block in blocks}
        if len(zones) != 1 or None in zones:
            continue
        rows += _region_expected(truth, strictness, region, zones.pop() or 0)
    return (*rows, *between(truth, entry))


def _zone_of(truth: dict[str, Any], block: int) -> int | None:
    for index, zone in enumerate(truth["zones"]):
        if zone["first_block"] <= block <= zone["last_block"]:
            return index
    return None


def _region_expected(truth: dict[str, Any], strictness: str, region: str, zone: int) -> list[Expected]:
    track = float(truth["zones"][zone]["blocks_per_track"])
    local = truth["local"][region]
    rows = [Expected("skippy.sectors_per_track", region, track, 0.0 if strictness == CLEAN else 0.01 * track)]
    if _zone_of(truth, int(local["start_block"])) != zone:
        return rows
    block_ms = float(truth["rotation_period_ms"]) / float(local["phys_sectors_per_track"])
    strict = truth["surfaces"] > 2 and strictness == CLEAN
    for metric, key in (("head_switch_gap", "track_skew_ms"), ("cylinder_switch_gap", "cylinder_skew_ms")):
        if local[key] is not None:
            bar = block_ms if strictness == CLEAN else max(0.03 * float(local[key]), block_ms)
            rows.append(Expected(f"skippy.{metric}", region, float(local[key]), bar, strict))
    if not truth["write_cache"]:
        mtm = float(local["phase_sweep_write"]["min_latency_same_track_ms"])
        bar = max((0.03 if strictness == CLEAN else 0.06) * mtm, block_ms / 2)
        rows.append(Expected("skippy.mtm", f"{region}/write", mtm, bar, strictness == CLEAN))
    read = float(local["phase_sweep_read_nocache"]["min_latency_same_track_ms"])
    rows.append(Expected("skippy.mtm", f"{region}/read", read, max(0.06 * read, block_ms / 2), False))
    return rows
