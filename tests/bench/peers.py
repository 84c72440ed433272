"""Runs one program over a device and reads from its own words how fast it was."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MIB = 1 << 20
TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked of a device: `count` requests of `size` bytes within its first `region` bytes."""

    pattern: str
    """`sequential`, `random-read` or `random-write`."""
    size: int
    count: int
    region: int
    places: tuple[int, ...] = ()
    """Where each request goes, in requests from the start; chosen by each program where it is empty."""
    depth: int = 1
    processes: int = 1

    @property
    def crowded(self) -> bool:
        """Whether several requests are under way at once."""
        return self.depth > 1 or self.processes > 1


@dataclass(frozen=True, slots=True)
class Speed:
    """What a program did: bytes and requests per second, and processor time per request where it tells."""

    bytes_per_s: float
    requests_per_s: float
    cpu_ns: float | None = None
    details: dict[str, Any] | None = None


class PeerError(Exception):
    """A program failed, as a sentence."""


def alike(load: Load) -> tuple[str, ...]:
    """The command that starts each program, where this machine has it.

    With one request at a time, the lowest real-time priority, as the probe gives itself in a run, on the last
    processor. A crowd gets the highest ordinary priority on all of them: so many real-time threads would
    leave no processor to the threads of the kernel that answer them.
    """
    chrt, nice, taskset = (shutil.which(name) for name in ("chrt", "nice", "taskset"))
    before: tuple[str, ...] = (nice, "-n", "-20") if nice else ()
    if load.crowded:
        return before
    before += (taskset, "--cpu-list", str(max(os.sched_getaffinity(0)))) if taskset else ()
    return before + ((chrt, "--fifo", "1") if chrt else ())


def call(
    *words: str | Path, before: tuple[str, ...] = (), cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end in the C locale; `before` is what starts it."""
    if shutil.which(str(words[0])) is None:
        raise FileNotFoundError(words[0])
    done = subprocess.run(
        [*before, *map(str, words)],
        env=os.environ | {"LC_ALL": "C"},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()
        raise PeerError(f"{Path(words[0]).name}: {last[-1] if last else done.returncode}")
    return done


def probe(simtool: Path, device: Path, load: Load, scratch: Path) -> Speed:
    """The probe's own way to a device, without the kinds around it.

    Processor time is that of the whole process while it made the requests.
    """
    words: list[str | Path] = [simtool, "bench", device, "--pattern", load.pattern]
    words += ["--size", str(load.size), "--count", str(load.count), "--region", str(load.region)]
    if load.processes > 1:
        words += ["--workers", str(load.processes)]
    elif load.depth > 1:
        words += ["--depth", str(load.depth)]
    if load.places:
        path = scratch / "places"
        path.write_text("".join(f"{place}\n" for place in load.places[: load.count]))
        words += ["--places", path]
    said = json.loads(call(*words, before=alike(load)).stdout)
    seconds = said["elapsed_ns"] / 1e9
    requests = said["requests"]
    return Speed(said["bytes"] / seconds, requests / seconds, said["cpu_ns"] / requests, said)


def dd(device: Path, load: Load) -> Speed:
    """GNU dd, reading from the start."""
    words = (f"if={device}", "of=/dev/null", f"bs={load.size}", f"count={load.count}", "iflag=direct")
    done = call("dd", *words, before=alike(load))
    found = re.search(r"(\d+) bytes .* copied, ([\d.e-]+) s", done.stderr)
    if found is None:
        raise PeerError("dd: says no rate")
    rate = int(found[1]) / float(found[2])
    return Speed(rate, rate / load.size)


def hdparm(device: Path, load: Load) -> Speed:
    """Direct sequential reads in requests of two MiB, hdparm's own choice, three seconds or to the end."""
    done = call("hdparm", "-t", "--direct", device, before=alike(load))
    found = re.search(r"([\d.]+) MB in +([\d.]+) seconds", done.stdout)
    if found is None:
        raise PeerError("hdparm: says no rate")
    rate = float(found[1]) * MIB / float(found[2])
    return Speed(rate, rate / (2 * MIB))


def fio(device: Path, load: Load, engine: str, scratch: Path) -> Speed:
    """Flexible I/O tester with one of its engines: direct, no map of places, the time of each request taken.

    Processor time is that of its jobs' threads while they ran, in its own whole milliseconds.
    """
    rw = {"sequential": "read", "random-read": "randread", "random-write": "randwrite"}[load.pattern]
    each = load.count // load.processes
    words = ["fio", "--name=peer", f"--filename={device}", f"--ioengine={engine}", "--direct=1", f"--rw={rw}"]
    words += [f"--bs={load.size}", f"--iodepth={load.depth}", f"--numjobs={load.processes}", "--thread"]
    words += ["--output-format=json", "--group_reporting", "--invalidate=0", f"--size={load.region}"]
    if load.places:
        log = scratch / "iolog"
        places = load.places[: load.count]
        lines = [f"{device} read {place * load.size} {load.size}" for place in places]
        log.write_text("\n".join(["fio version 2 iolog", f"{device} add", f"{device} open", *lines]) + "\n")
        words += [f"--read_iolog={log}", "--replay_no_stall=1"]
    else:
        words += [f"--io_size={each * load.size}", "--norandommap=1", "--randrepeat=1"]
    text = call(*words, before=alike(load), cwd=scratch).stdout
    job = json.loads(text[text.index("{") :])["jobs"][0]
    side = job["write" if load.pattern == "random-write" else "read"]
    seconds = side["runtime"] / 1e3
    # The shares are those of all jobs over the time of all jobs.
    cpu_ns = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e6 / side["total_ios"]
    return Speed(side["io_bytes"] / seconds, side["total_ios"] / seconds, cpu_ns)
