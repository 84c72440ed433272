"""Random drives through the probe and extraction: lists every number that is wrong and does not say so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from server.benchmarks import skippy
from server.benchmarks.contract import Facts, Quality
from tests.support.probe import Probe, document_of, entry_of, probe_path
from tools.accuracy.cases import CLEAN, NOISY, Case, Row, judge
from tools.accuracy.random_drives import draw
from tools.accuracy.random_truth import expected_of, starts_of
from tools.accuracy.simulated import built_simtool

CONDITIONS = (
    ("clean writes", "off", "preserve", CLEAN),
    ("clean reads", "off", "none", CLEAN),
    ("noisy writes", "default", "preserve", NOISY),
    ("noisy reads", "default", "none", NOISY),
)


@dataclass(frozen=True, slots=True)
class Job:
    """One drive of the stress; its files stay in the folder, so a second call only extracts."""

    number: int
    seed: int
    folder: Path
    probe: Path
    simtool: Path


def stress(count: int, seed: int, folder: Path | None) -> int:
    """Prints a line for each wrong number and the count of each verdict; 1 where one was silent."""
    probe, simtool = probe_path(), built_simtool()
    if probe is None or simtool is None:
        print("The probe or diskatlas-simtool is not built; run `make probe simtool` first.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as own:
        where = folder or Path(own)
        where.mkdir(parents=True, exist_ok=True)
        jobs = [Job(number, seed, where, probe, simtool) for number in range(count)]
        verdicts: Counter[tuple[str, str]] = Counter()
        silent = 0
        with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
            for rows in pool.map(judge_drive, jobs):
                for words, row in rows:
                    verdicts[row.metric, row.verdict] += 1
                    silent += row.failed
                    if row.verdict not in ("ok", "declined"):
                        print(line(words, row), flush=True)
    for (metric, verdict), number in sorted(verdicts.items()):
        print(f"{metric:30} {verdict:10} {number:6}")
    print(f"{count} drives, {silent} silent wrong numbers")
    return 1 if silent else 0


def judge_drive(job: Job) -> list[tuple[str, Row]]:
    """The judged numbers of one drive in all conditions, each with the words that name the drive."""
    drawn = draw(job.number, job.seed)
    file = job.folder / f"{drawn.name}.toml"
    file.write_text(drawn.text, encoding="utf-8")
    return [(drawn.words, row) for case in _cases(job, file, drawn.name) for row in judge(case)]


def _truth(job: Job, file: Path, starts: dict[str, int]) -> dict[str, Any]:
    where = [word for region, block in starts.items() for word in (f"--{region}", str(block))]
    done = subprocess.run(
        [str(job.simtool), "truth", str(file), "--json", *where],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _cases(job: Job, file: Path, name: str) -> Iterator[Case]:
    for words, noise, writes, strictness in CONDITIONS:
        output = job.folder / f"{name}-{words.replace(' ', '-')}.json"
        if not output.is_file():
            _measure(job, file, noise, writes, output)
        document = document_of(output)
        entry = entry_of(document, "skippy")
        if "samples" not in entry:
            continue
        facts = _facts(document)
        expected = expected_of(_truth(job, file, starts_of(entry)), strictness, entry)
        yield Case(name, words, strictness, expected, partial(skippy.KIND.extract, entry, facts))


def _measure(job: Job, file: Path, noise: str, writes: str, output: Path) -> None:
    options = ["--only", "skippy", "--writes", writes]
    if writes != "none":
        options.append(f"--confirm={file.stem[-4:]}")
    device = f"sim:{file},noise={noise},seed={job.seed * 1000 + job.number}"
    Probe(job.probe, job.folder).run(device, output, *options)


def _facts(document: dict[str, Any]) -> Facts:
    device = document["device"]
    return Facts(
        device["block_bytes"],
        device["capacity_bytes"],
        simulated=True,
        write_cache=document["conditions"]["write_cache_during"],
    )


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
