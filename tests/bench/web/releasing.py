"""What a dataset release of a sample archive costs: time, processor time and memory of all its processes."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.bench.web.archive import Archive
from tests.bench.web.machine import day_words
from tools.embedded.binaries import PROJECT

BAR_RUNS, BAR_MINUTES, BAR_GIB = 1_000_000, 30.0, 1.0
_NAME = "bench-release"
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class ReleaseFigures:
    """One release."""

    runs: int
    """Measured runs in it: simulated ones are left out."""
    envelopes: int
    """Of them, runs whose samples are in it."""
    wall_s: float
    own_cpu_s: float
    database_cpu_s: float
    """Of the database's processes that worked for it."""
    peak_mib: float
    """Of all processes together, the database's shared buffers aside, which are its own whoever asks."""
    size_mib: float


def release_measure(archive: Archive) -> ReleaseFigures:
    """Make a release of Parquet files of a running archive, none of them taken over from one before."""
    archive.manage("publication_log", "--fill")
    for table in ("datasets_releasefile", "datasets_releasepart", "datasets_release"):
        archive.ask(f"WITH gone AS (DELETE FROM {table} RETURNING 1) SELECT count(*) FROM gone")
    watch = _Watch(archive)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "manage.py", "release_dataset", "--formats", "parquet"]
    child = subprocess.Popen(command, cwd=PROJECT, env={**archive.environment, "PGAPPNAME": _NAME})
    watch.begin(child.pid)
    status = child.wait()
    wall_s = time.monotonic() - began
    watch.end()
    if status:
        raise RuntimeError(f"release_dataset ended with {status}; what it said stands above.")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ReleaseFigures(
        runs=_number(archive, "SELECT (rows->>'runs')::int FROM datasets_release"),
        envelopes=_number(
            archive,
            "SELECT (rows->>'runs')::int - lost FROM datasets_release, "
            "(SELECT coalesce(sum(jsonb_array_length(missing)), 0) AS lost FROM datasets_releasepart) AS a",
        ),
        wall_s=wall_s,
        own_cpu_s=used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        database_cpu_s=watch.database_cpu_s,
        peak_mib=watch.peak_kib / 1024,
        size_mib=_number(archive, "SELECT sum(size_bytes)::bigint FROM datasets_releasefile") / 2**20,
    )


def release_table(figures: list[ReleaseFigures]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| runs | with samples | minutes | release | database | for a run | peak memory | size | bar |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for one in figures:
        cpu_s = one.own_cpu_s + one.database_cpu_s
        lines.append(
            f"| {one.runs:,} | {one.envelopes:,} | {one.wall_s / 60:.1f} | {one.own_cpu_s:.0f} s of processor"
            f" | {one.database_cpu_s:.0f} s | {1000 * cpu_s / max(one.runs, 1):.2f} ms"
            f" | {one.peak_mib:.0f} MiB | {one.size_mib:.0f} MiB | {_bar(one)} |"
        )
    if len(figures) > 1:
        first, last = figures[0], figures[-1]
        lines.append(
            f"| growth: {last.runs / first.runs:.0f} | | {last.wall_s / first.wall_s:.0f} | | | |"
            f" {last.peak_mib / first.peak_mib:.1f} | {last.size_mib / first.size_mib:.0f} | |"
        )
    return "\n".join(lines)


def release_document(figures: list[ReleaseFigures], note: str) -> str:
    """Return the whole page of the reference."""
    return (
        "# What a dataset release costs\n\n"
        "Written by `python -m tests.bench.web release` on sample archives (`manage.py seed_archive`): one "
        "release of Parquet files, nothing of it taken over from a release before. Memory is the greatest "
        "sum over the release's own processes and the database's that work for it (PSS each second; shared "
        "buffers aside). "
        f"The bar is {BAR_MINUTES:.0f} minutes and {BAR_GIB:.0f} GiB at {BAR_RUNS:,} runs.\n\n"
        f"{day_words()} {note}\n\n{release_table(figures)}\n"
    )


def _bar(one: ReleaseFigures) -> str:
    # A hundredth of a sample archive's models are simulated ones.
    if one.runs < 0.9 * BAR_RUNS:
        return ""
    held = one.wall_s <= 60 * BAR_MINUTES and one.peak_mib <= 1024 * BAR_GIB
    return "held" if held else "missed"


def _number(archive: Archive, query: str) -> int:
    return int(str(archive.ask(query)[0][0]))


class _Watch:
    """Looks each second at what the release's processes use."""

    def __init__(self, archive: Archive) -> None:
        self.peak_kib = 0
        self._archive = archive
        self._cpu_s: dict[int, float] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._child = 0

    @property
    def database_cpu_s(self) -> float:
        return sum(self._cpu_s.values())

    def begin(self, child: int) -> None:
        self._child = child
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = %s"
        while not self._over.wait(1.0):
            database = [int(str(pid)) for (pid,) in self._archive.ask(query, _NAME)]
            for pid in database:
                self._cpu_s[pid] = max(self._cpu_s.get(pid, 0.0), _cpu_s(pid))
            self.peak_kib = max(
                self.peak_kib, sum(_held_kib(pid) for pid in (*_family(self._child), *database))
            )


def _family(pid: int) -> list[int]:
    """Return a process and all below it."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in below for one in _family(int(child)))]


def _cpu_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _held_kib(pid: int) -> int:
    """Return the process' share of memory that is no shared segment."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon:", "Pss_File:")))
