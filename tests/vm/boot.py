"""Boots the machine once, and gives what it printed and what the emulator said meanwhile."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.vm.hardware import Witness, arguments
from tests.vm.machine import MARK, MODULES, QEMU, WITNESS, Parts, initramfs

TIMEOUT_S = 900
"""Far more than it takes: a machine that hangs must fail its test and not the whole run."""

MACHINE = ("-M", "q35,accel=tcg", "-cpu", "max", "-m", "512", "-nographic", "-no-reboot", "-nodefaults")


@dataclass(slots=True)
class Record:
    """What was printed behind each mark, and how the write caches stood at each question."""

    parts: dict[str, str] = field(default_factory=dict)
    write_caches: dict[str, dict[str, bool]] = field(default_factory=dict)

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
            watchdog = threading.Timer(TIMEOUT_S, machine.kill)
            watchdog.start()
            try:
                record = _listen(machine, socket)
            finally:
                watchdog.cancel()
                machine.kill()
    if "end" not in record.parts:
        raise RuntimeError(f"the machine did not get to its end; it printed: {record.parts}")
    return record


def _listen(machine: subprocess.Popen[str], socket: Path) -> Record:
    assert machine.stdout is not None and machine.stdin is not None
    record = Record()
    name, witness = "before", None
    for line in machine.stdout:
        text = line.replace("\r", "")
        if not text.startswith(MARK):
            record.parts[name] = record.parts.get(name, "") + text
            continue
        name = text.removeprefix(MARK).strip()
        record.parts[name] = ""
        if name.startswith(WITNESS):
            witness = witness or Witness(socket)
            record.write_caches[name.removeprefix(WITNESS)] = witness.write_caches()
            machine.stdin.write("\n")
            machine.stdin.flush()
    if witness is not None:
        witness.close()
    return record
