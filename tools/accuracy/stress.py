"""Random drives through the probe and extraction: lists every number that is wrong and does not say so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from server.benchmarks.contract import Quality
from server.benchmarks.registry import kinds_by_slug
from tests.support.probe import Probe, document_of, probe_path
from tools.accuracy.cases import CLEAN, NOISY, Case, Row, judge
from tools.accuracy.corner_drives import corner
from tools.accuracy.coverage import coverage_of, failures, table
from tools.accuracy.kinds import EXPECTATIONS, facts_of
from tools.accuracy.random_drives import Drawn, draw
from tools.accuracy.random_truth import expected_of, starts_of
from tools.accuracy.requests import with_rhythms
from tools.accuracy.simulated import built_simtool
from tools.accuracy.table import random_report

ALL = ("skippy", "zoned", "seeker", "access", "positional", "sync_write")
CONDITIONS = (
    ("clean writes", "off", "preserve", CLEAN, ALL),
    ("clean reads", "off", "none", CLEAN, ("skippy", "seeker")),
    ("noisy writes", "default", "preserve", NOISY, ALL),
    ("noisy reads", "default", "none", NOISY, ("skippy", "seeker")),
)
"""Kinds that only read measure the same whether writes are allowed or not."""


TRUTH_TIMEOUT_S = 600
"""A sweep over some drives takes half a minute of an idle machine where the tool is not optimised."""


@dataclass(frozen=True, slots=True)
class Job:
    """One drive of the stress; its files stay in the folder, so a second call only extracts."""

    number: int
    seed: int
    folder: Path
    probe: Path
    simtool: Path
    only: tuple[str, ...] = ALL
    """The kinds that are measured."""
    corners: bool = False
    """Whether the drive has what hardly any has."""

    @property
    def drawn(self) -> Drawn:
        return (corner if self.corners else draw)(self.number, self.seed)


def stress(
    count: int,
    seeds: Sequence[int],
    folder: Path | None,
    report: Path | None,
    only: Sequence[str] = ALL,
    processes: int = 2,
    corners: bool = False,
) -> int:
    """Prints a line for each wrong number, then verdicts and coverage; 1 where a number was silent or
    intervals hold the truth too seldom."""
    probe, simtool = probe_path(), built_simtool()
    if probe is None or simtool is None:
        print("The probe or diskatlas-simtool is not built; run `make probe simtool` first.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as own:
        where = folder or Path(own)
        where.mkdir(parents=True, exist_ok=True)
        jobs = [
            Job(number, seed, where, probe, simtool, tuple(only), corners)
            for seed in seeds
            for number in range(count)
        ]
        rows = []
        with ProcessPoolExecutor(max_workers=min(processes, os.cpu_count() or 1)) as pool:
            for judged in pool.map(judge_drive, jobs):
                for words, row in judged:
                    if row.verdict not in ("ok", "declined"):
                        print(line(words, row), flush=True)
                rows += [row for _, row in judged]
    return _summary(rows, count, seeds, report)


def _summary(rows: Sequence[Row], count: int, seeds: Sequence[int], report: Path | None) -> int:
    verdicts = Counter((row.metric, row.verdict) for row in rows)
    for (metric, verdict), number in sorted(verdicts.items()):
        print(f"{metric:30} {verdict:10} {number:6}")
    coverages = coverage_of(rows)
    print(f"\n{table(coverages)}")
    too_low = failures(coverages)
    print("\n".join(too_low), file=sys.stderr)
    silent = sum(row.failed for row in rows)
    print(f"{count} drives of each seed, {silent} silent wrong numbers")
    if report is not None:
        report.write_text(random_report(coverages, count, seeds, silent), encoding="utf-8")
    return 1 if silent or too_low else 0


def judge_drive(job: Job) -> list[tuple[str, Row]]:
    """The judged numbers of one drive in all conditions, each with the words that name the drive."""
    drawn = job.drawn
    file = job.folder / f"{drawn.name}.toml"
    file.write_text(drawn.text, encoding="utf-8")
    return [(drawn.words, row) for case in _cases(job, file, drawn.name) for row in judge(case)]


def _truth(job: Job, file: Path, noise: str, starts: dict[str, int]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_told(job.simtool, file, noise, tuple(starts.items())))
    return found


@lru_cache(maxsize=8)
def _told(simtool: Path, file: Path, noise: str, starts: tuple[tuple[str, int], ...]) -> str:
    """What the simulator's tool says, which takes seconds: asked once for all conditions of a drive."""
    where = [word for region, block in starts for word in (f"--{region}", str(block))]
    done = subprocess.run(
        [str(simtool), "truth", f"{file},noise={noise}", "--json", *where],
        capture_output=True, text=True, check=True, timeout=TRUTH_TIMEOUT_S,
    )  # fmt: skip
    return done.stdout


def _cases(job: Job, file: Path, name: str) -> Iterator[Case]:
    for condition, (words, noise, writes, strictness, all_kinds) in enumerate(CONDITIONS):
        kinds = [kind for kind in all_kinds if kind in job.only]
        if not kinds:
            continue
        output = job.folder / f"{name}-{words.replace(' ', '-')}.json"
        if not output.is_file():
            # A seed each: runs that read the same random places are off by the same chance.
            seed = (job.seed * 1000 + job.number) * len(CONDITIONS) + condition
            _measure(job, f"sim:{file},noise={noise},seed={seed}", writes, kinds, output)
        document = document_of(output)
        facts = facts_of(document)
        measured = {one["kind"]: one for one in document["benchmarks"] if "samples" in one}
        starts = starts_of(measured["skippy"]) if "skippy" in measured else {}
        truth = with_rhythms(_truth(job, file, noise, starts), _truth(job, file, "off", {}))
        for slug, entry in measured.items():
            expected = (
                expected_of(truth, strictness, entry)
                if slug == "skippy"
                # Nothing is required of a drawn drive but that a wrong number says that it may be wrong.
                else tuple(
                    replace(one, required=False) for one in EXPECTATIONS[slug](truth, strictness, entry)
                )
            )
            extract = partial(kinds_by_slug()[slug].extract, entry, facts)
            yield Case(name, f"{slug.upper()}, {words}", strictness, expected, extract)


def _measure(job: Job, device: str, writes: str, kinds: Sequence[str], output: Path) -> None:
    options = ["--only", ",".join(kinds), "--writes", writes]
    if writes != "none":
        options.append(f"--confirm={job.drawn.name[-4:]}")
    Probe(job.probe, job.folder).run(device, output, *options)


def line(words: str, row: Row) -> str:
    """One wrong number, with what a person needs to look at it again."""
    found = row.found
    value = "none" if found is None or found.value is None else f"{found.value:.5g}"
    quality = "" if found is None else str(found.quality)
    truth = "not obtainable" if row.truth is None else f"{row.truth:.5g}"
    interval = ""
    if found is not None and found.quality is not Quality.NONE and found.low is not None:
        interval = f" [{found.low:.5g}, {found.high:.5g}]"
    return (
        f"{row.verdict}: {row.drive}, {row.condition}: {row.metric} [{row.scope}] is {value}{interval}, "
        f"{quality}, truth {truth}; {words}"
    )
