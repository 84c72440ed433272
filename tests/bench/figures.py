"""Figures of the probe alone: the gap between two requests, memory, and the size of the binary."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench import bars
from tests.bench.peers import call
from tests.support.probe import document_of, entry_of

MEMORY_SAMPLES = 1_000_000
MEMORY_DRIVE = Path(__file__).parents[2] / "client/probe/src/sim/drives/modern-20tb.toml"
DENSER = 5
"""Tracks with so many times the blocks let a run of the most repeats hold a million samples."""
DIGEST_BYTES = 60 << 20
"""A little less than the unit digest takes."""
SKIPPY_S = 60
"""SKIPPY is interrupted after so long, and its document holds what it measured until then."""
OUTLIER_NS = 20_000


def gaps(simtool: Path, device: Path, count: int) -> Iterator[str]:
    """The time from the end of a request to the start of the next, and what made the long ones long."""
    words: list[str | Path] = [simtool, "bench", device, "--pattern", "random-read", "--size", "4096"]
    words += ["--region", str(1 << 28), "--count", str(count)]
    nice = shutil.which("nice")
    ways: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {"as started": ((), ())}
    ways |= {"nice -20": ((nice, "-n", "-20"), ())} if nice else {}
    ways |= {"as in a run": ((), ("--as-run",))}
    yield "  gap between two requests, random read, 4 KiB"
    for name, (before, options) in ways.items():
        said = json.loads(call(*words, *options, before=before).stdout)
        gap = said["gap_ns"]
        yield (
            f"      {name}: median {gap['median']} ns{bars.GAP_NS.of(gap['median'])}, "
            f"p99 {gap['p99']} ns, p99.9 {gap['p99_9']} ns, most {gap['max'] / 1e3:.0f} us; "
            f"pushed aside {said['involuntary_switches']} times"
        )
    found = json.loads(call(*words, "--as-run", "--outliers-over", str(OUTLIER_NS)).stdout)
    yield (
        f"      of {found['gaps']:,} gaps over {OUTLIER_NS // 1000} us, as in a run: "
        f"{found['pushed_aside']} where the probe was pushed aside, "
        f"{found['page_faults']} with a page fault, "
        f"{found['neither']} with neither (an interrupt, or the hypervisor)"
    )


def skippy(probe: Path, device: Path, scratch: Path, seconds: float = SKIPPY_S) -> str:
    """The same gap in SKIPPY with writes, from the times that its document holds."""
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
    words += ["--repeats", "1", "--confirm", device.name, "--license", "CC0-1.0", "-o", str(output)]
    environment = os.environ | {"DISKATLAS_KEY": str(scratch / "key"), "NO_COLOR": "1"}
    child = subprocess.Popen(
        words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        _, said = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
    if not output.exists():
        lines = [line for line in said.splitlines() if line.strip()]
        return f"  SKIPPY gave nothing: {lines[-1] if lines else f'exit code {child.returncode}'}"
    entry = entry_of(document_of(output), "skippy")
    found = sorted(_gaps(entry))
    if not found:
        return f"  SKIPPY gave no gap in {seconds:.0f} s: {entry.get('skipped', 'no start times')}"
    at = [found[(len(found) - 1) * share // 1000] for share in (500, 990, 999, 1000)]
    over = sum(gap > OUTLIER_NS for gap in found)
    aside = entry["interference"]["involuntary_context_switches"]
    return (
        f"  gap between two requests in SKIPPY: median {at[0]} ns{bars.GAP_NS.of(at[0])}, p99 {at[1]} ns, "
        f"p99.9 {at[2]} ns, most {at[3] / 1e3:.0f} us; "
        f"{over} of {len(found):,} over {OUTLIER_NS // 1000} us; the probe was pushed aside {aside} times"
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


def memory(probe: Path, scratch: Path) -> str:
    """The most resident memory of a run of a million samples, after the unit digest."""
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
        return f"  memory: not measured, exit code {child.returncode}"
    samples = sum(
        len(series["latency_ns"])
        for entry in document_of(output)["benchmarks"]
        for series in entry.get("samples", {}).get("series", [])
    )
    bar = "  [too few samples for the bar]"
    if samples >= MEMORY_SAMPLES:
        bar = bars.MEMORY_MIB.of(most / (1 << 20))
    return f"  memory: {most / (1 << 20):.1f} MiB with {samples:,} samples{bar}"


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


def binary_size(probe: Path) -> str:
    """The stripped static binary as it is offered for download."""
    mebibytes = probe.stat().st_size / (1 << 20)
    return f"  binary: {mebibytes:.2f} MiB{bars.SIZE_MIB.of(mebibytes)}"
