"""The emulated disks, and what the emulator itself says of them while the machine runs."""

from __future__ import annotations

import hashlib
import json
import random
import socket
from pathlib import Path
from typing import Any

DISK_BYTES = 64 << 20
DISKS = ("ata", "scsi", "nvme", "usb", "uas")
KEPT = "kept"
"""A disk for files, which outlive the machine."""

DEVICES = (
    "ich9-ahci,id=ahci",
    "ide-hd,bus=ahci.0,drive=ata,model=SAMPLE ATA DISK WITH A LONG NAME,serial=SATA0001,ver=1.2,"
    "rotation_rate=7200,wwn=0x5000c50000000001",
    "virtio-scsi-pci,id=scsi",
    "scsi-hd,bus=scsi.0,scsi-id=0,drive=scsi,vendor=SAMPLE,product=SCSI DISK,serial=SCSI0001,ver=3.4,"
    "rotation_rate=15000,wwn=0x5000c50000000002",
    f"scsi-hd,bus=scsi.0,scsi-id=1,drive={KEPT},vendor=SAMPLE,product=KEPT FILES,serial=KEPT0001",
    "nvme,drive=nvme,serial=NVME0001",
    "qemu-xhci,id=xhci",
    "usb-storage,bus=xhci.0,drive=usb,serial=USB0001",
    "usb-uas,bus=xhci.0,id=uas",
    "scsi-hd,bus=uas.0,drive=uas,vendor=SAMPLE,product=UAS DISK,serial=UAS0001,rotation_rate=5400",
)
"""All names and numbers are made up."""


def image(folder: Path, name: str) -> Path:
    return folder / f"{name}.img"


def make_disks(folder: Path) -> dict[str, str]:
    """Make one disk of each kind, full of bytes that are no file system; return their digests."""
    for name in DISKS:
        image(folder, name).write_bytes(random.Random(name).randbytes(DISK_BYTES))
    with image(folder, KEPT).open("wb") as kept:
        kept.truncate(DISK_BYTES)
    return digests(folder)


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each disk's content."""
    return {name: hashlib.sha256(image(folder, name).read_bytes()).hexdigest() for name in DISKS}


def arguments(folder: Path) -> list[str]:
    """Return QEMU's arguments for the disks that lie in a folder."""
    words: list[str] = []
    for name in (*DISKS, KEPT):
        words += ["-drive", f"file={image(folder, name)},format=raw,if=none,id={name},cache=writeback"]
    for device in DEVICES:
        words += ["-device", device]
    return words


class Witness:
    """Asks the emulator how a disk's write cache stands: nothing inside the machine has a part in the answer.

    QEMU keeps the state of a disk's cache in the drive behind it; the QEMU Machine Protocol tells it.
    """

    def __init__(self, place: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._connection.connect(str(place))
        self._lines = self._connection.makefile("r", encoding="utf-8")
        self._lines.readline()
        self._ask("qmp_capabilities")

    def write_caches(self) -> dict[str, bool]:
        """Return whether the write cache of each disk is on."""
        drives = self._ask("query-block")
        return {drive["device"]: drive["inserted"]["cache"]["writeback"] for drive in drives}

    def _ask(self, command: str) -> Any:
        self._connection.sendall(json.dumps({"execute": command}).encode() + b"\n")
        for line in self._lines:
            answer = json.loads(line)
            # What it says unasked is in between.
            if "event" not in answer:
                return answer["return"]
        raise ConnectionError("the emulator ended before it answered")

    def close(self) -> None:
        self._lines.close()
        self._connection.close()
