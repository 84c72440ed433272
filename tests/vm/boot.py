"""Boots the machine once, and gives what it printed and what the emulator said meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.vm.hardware import Witness, arguments
from tests.vm.machine import MARK, MODULES, QEMU, WITNESS, Parts, initramfs

SILENT_S = 300
"""A machine that prints nothing for so long is taken to hang."""

TIMEOUT_S = 1500
"""Far more than a boot takes on a busy machine: one that goes on and on must fail its test, not the run."""

MACHINE = ("-M", "q35,accel=tcg", "-cpu", "max", "-m", "512", "-nographic", "-no-reboot", "-nodefaults")


@dataclass(slots=True)
class Record:
    """What was printed behind each mark, and how the write caches stood at each question."""

    parts: dict[str, str] = field(default_factory=dict)
    write_caches: dict[str, dict[str, bool]] = field(default_factory=dict)
    begun_s: dict[str, float] = field(default_factory=dict)
    """When each part began, counted from the machine's start."""

    def parsed(self, name: str) -> Any:
        """Return the JSON of a part; lines around it are the kernel's."""
        text = self.parts[name]
        start = min((text.find(mark) for mark in "[{" if mark in text), default=0)
        with contextlib.suppress(json.JSONDecodeError):
            return json.JSONDecoder().raw_decode(text[start:])[0]
        raise AssertionError(f"{name} is no JSON: {text[:2000]}")


def boot(parts: Parts, disks: Path, commands: str, modules: Sequence[str] = MODULES) -> Record:
    """Boot with the disks of that folder, run the commands, switch off.

    The order of the modules is that in which the kernel meets its disks, and gives them names.
    """
    with tempfile.TemporaryDirectory(prefix="diskatlas-vm-") as scratch:
        socket = Path(scratch) / "qmp"
        command = [QEMU, *MACHINE, "-serial", "stdio", "-qmp", f"unix:{socket},server=on,wait=off"]
        command += [
            "-kernel",
            str(parts.kernel),
            "-initrd",
            str(initramfs(parts, Path(scratch), commands, modules)),
        ]
        command += ["-append", "console=ttyS0 quiet panic=-1 loglevel=1", *arguments(disks)]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | {"TMPDIR": scratch},
        ) as machine:
            watch = _Watch(machine)
            try:
                record = _listen(machine, socket, watch)
            finally:
                watch.end()
                machine.kill()
    if "end" not in record.parts:
        raise MachineStalledError(_last_words(record, watch.reason))
    return record


class MachineStalledError(RuntimeError):
    """A machine was ended, or ended itself, before it had done all of its commands."""


def _last_words(record: Record, reason: str) -> str:
    """Say where the machine stood: the times of its parts, and the end of what it printed last."""
    name = next(reversed(record.parts), "nothing")
    times = ", ".join(f"{part} {begun:.0f} s" for part, begun in list(record.begun_s.items())[-6:])
    return f"{reason} in {name!r} ({times}); it printed last: {record.parts.get(name, '')[-3000:]}"


class _Watch:
    """Ends a machine that is silent for `SILENT_S`, or goes on for `TIMEOUT_S`."""

    def __init__(self, machine: subprocess.Popen[str]) -> None:
        self.began = self.heard_at = time.monotonic()
        self.reason = "the machine ended"
        self._machine, self._over = machine, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(1.0):
            now = time.monotonic()
            if now - self.heard_at > SILENT_S:
                self.reason = f"the machine was silent for {SILENT_S} s"
            elif now - self.began > TIMEOUT_S:
                self.reason = f"the machine had not ended after {TIMEOUT_S} s"
            else:
                continue
            self._machine.kill()
            return


def _listen(machine: subprocess.Popen[str], socket: Path, watch: _Watch) -> Record:
    assert machine.stdout is not None and machine.stdin is not None
    record = Record()
    name, witness = "before", None
    for line in machine.stdout:
        watch.heard_at = time.monotonic()
        text = line.replace("\r", "")
        if not text.startswith(MARK):
            record.parts[name] = record.parts.get(name, "") + text
            continue
        name = text.removeprefix(MARK).strip()
        record.parts[name] = ""
        record.begun_s[name] = watch.heard_at - watch.began
        if name.startswith(WITNESS):
            witness = witness or Witness(socket)
            record.write_caches[name.removeprefix(WITNESS)] = witness.write_caches()
            machine.stdin.write("\n")
            machine.stdin.flush()
    if witness is not None:
        witness.close()
    return record
