"""Figures of the probe alone: the gap between two requests, memory, and the size of the binary."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.peers import call
from tests.support.probe import document_of, entry_of

GAP_BAR_NS = 1000
MEMORY_BAR_BYTES = 32 << 20
SIZE_BAR_BYTES = 6 << 20
MEMORY_SAMPLES = 1_000_000
MEMORY_DRIVE = Path(__file__).parents[2] / "client/src/sim/drives/modern-20tb.toml"
DENSER = 5
"""Tracks with so many times the blocks let a run of the most repeats hold a million samples."""
DIGEST_BYTES = 60 << 20
"""A little less than the unit digest takes."""


def verdict(value: float | None, bar: float, *, least: bool) -> str:
    """Say whether a figure keeps its bar."""
    if value is None:
        return ""
    kept = value >= bar if least else value <= bar
    words = "at least" if least else "at most"
    return f"  [{'kept' if kept else 'MISSED'}: {words} {bar:g}]"


def gaps(simtool: Path, device: Path, scale: int) -> None:
    """The time from the end of a request to the start of the next, with ever more priority."""
    print("  gap between two requests, random read, 4 KiB")
    nice, chrt = shutil.which("nice"), shutil.which("chrt")
    befores: dict[str, tuple[str, ...]] = {"as started": ()}
    befores |= {"nice -20, as the probe runs": (nice, "-n", "-20")} if nice else {}
    befores |= {"real-time priority": (chrt, "--fifo", "5")} if chrt else {}
    for name, before in befores.items():
        words: list[str | Path] = [
            *before,
            simtool,
            "bench",
            device,
            "--pattern",
            "random-read",
            "--size",
            "4096",
        ]
        said = json.loads(call(*words, "--count", str(200_000 // scale)).stdout)
        gap = said["gap_ns"]
        print(
            f"      {name}: median {gap['median']} ns{verdict(gap['median'], GAP_BAR_NS, least=False)}, "
            f"p99 {gap['p99']} ns, p99.9 {gap['p99_9']} ns, most {gap['max'] / 1e3:.0f} us; "
            f"pushed aside {said['involuntary_switches']} times, {said['page_faults']} page faults"
        )


def skippy(probe: Path, device: Path, scratch: Path) -> None:
    """The same gap in a whole run of SKIPPY with writes, from the times that its document holds."""
    output = scratch / "gap.json"
    words = [
        str(probe),
        "run",
        str(device),
        "--only",
        "skippy",
        "--writes",
        "preserve",
        "--rotational",
        "yes",
    ]
    words += ["--repeats", "1", "--confirm", device.name, "-o", str(output)]
    environment = os.environ | {"DISKATLAS_KEY": str(scratch / "key"), "NO_COLOR": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"      SKIPPY gave nothing: {done.stderr.strip().splitlines()[-1]}")
        return
    found = sorted(_gaps(entry_of(document_of(output), "skippy")))
    if not found:
        print("      SKIPPY's document holds no start times")
        return
    at = [found[(len(found) - 1) * share // 1000] for share in (500, 990, 1000)]
    print(
        f"  gap between two requests in SKIPPY: median {at[0]} ns{verdict(at[0], GAP_BAR_NS, least=False)}, "
        f"p99 {at[1]} ns, most {at[2] / 1e3:.0f} us, {len(found)} gaps"
    )


def _gaps(entry: dict[str, Any]) -> Iterator[int]:
    for series in entry.get("samples", {}).get("series", []):
        starts, took = series.get("start_ns", []), series["latency_ns"]
        steps = series["step_blocks"]
        for index in range(len(starts) - 1):
            # A step that is missing was not measured: other requests lie in between.
            if steps[index + 1] - steps[index] in (0, 1):
                yield starts[index + 1] - starts[index] - took[index]


def _dense_drive(scratch: Path) -> Path:
    """Write a drive file of the same size with fewer cylinders and longer tracks."""

    def denser(found: re.Match[str]) -> str:
        cylinders, sectors = int(found[1]) // DENSER, [int(one) * DENSER for one in found[2].split(",")]
        return f"cylinders = {cylinders}, sectors_per_track = {sectors}"

    text = MEMORY_DRIVE.read_text()
    text = re.sub(r"cylinders = (\d+), sectors_per_track = \[([^]]*)\]", denser, text)
    # What the division left over belongs to no zone.
    text = re.sub(r"capacity_bytes = \d+", "capacity_bytes = 19998998999040", text)
    knee = re.compile(r"knee_cylinders = (\d+)")
    text = knee.sub(lambda found: f"knee_cylinders = {int(found[1]) // DENSER}", text)
    path = scratch / "dense.toml"
    path.write_text(text)
    return path


def memory(probe: Path, scratch: Path) -> None:
    """Print the most resident memory of a run of a million samples, after the unit digest."""
    output = scratch / "memory.json"
    words = [
        str(probe),
        "run",
        f"sim:{_dense_drive(scratch)}",
        "--only",
        "skippy,seeker",
        "--repeats",
        "100",
        "-o",
        str(output),
    ]
    environment = os.environ | {"DISKATLAS_KEY": str(scratch / "key"), "NO_COLOR": "1"}
    child = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = _most_after_digest(child)
    if child.returncode or not most:
        print(f"  memory: not measured, exit code {child.returncode}")
        return
    samples = sum(
        len(series["latency_ns"])
        for entry in document_of(output)["benchmarks"]
        for series in entry.get("samples", {}).get("series", [])
    )
    bar = "  [too few samples for the bar]"
    if samples >= MEMORY_SAMPLES:
        bar = verdict(most / (1 << 20), MEMORY_BAR_BYTES / (1 << 20), least=False)
    print(f"  memory: {most / (1 << 20):.1f} MiB with {samples:,} samples{bar}")


def _most_after_digest(child: subprocess.Popen[bytes]) -> int:
    """Wait for the end; return the most resident bytes that the kernel saw after the digest."""
    before, most, reset = 0, 0, False
    while child.poll() is None:
        resident = _status(child.pid, "VmRSS")
        before = max(before, resident)
        if not reset and before > DIGEST_BYTES > 2 * resident:
            # proc(5): 5 sets the mark of the most resident memory back to what is resident now.
            Path(f"/proc/{child.pid}/clear_refs").write_text("5")
            reset = True
        most = max(most, _status(child.pid, "VmHWM")) if reset else 0
        time.sleep(0.003)
    return most


def _status(pid: int, name: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


def binary_size(probe: Path) -> None:
    """The stripped static binary as it is offered for download."""
    size = probe.stat().st_size
    bar = verdict(size / (1 << 20), SIZE_BAR_BYTES / (1 << 20), least=False)
    print(f"  binary: {size / (1 << 20):.2f} MiB{bar}")
