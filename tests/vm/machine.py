"""A machine of Debian's kernel, a shell and the static probe, with emulated disks, booted in QEMU.

The kernel comes from Debian's package (unpacked, not installed), the shell from busybox-static.
Software emulation is enough: it boots in seconds without KVM.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".build" / "vm"
"""Where the kernel package is unpacked, once."""

QEMU = "qemu-system-x86_64"
BOOT_TIMEOUT_S = 300
"""Far more than the seconds it takes: a machine that hangs must fail its test and not the whole run."""

MODULES = ("sd_mod", "sg", "ahci", "virtio_pci", "virtio_scsi", "nvme", "xhci_pci", "uas", "usb_storage")
MARK = "=== "
"""Before the name of each part of what the machine prints."""

DISK_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Parts:
    """What a machine is made of."""

    kernel: Path
    modules: Path
    busybox: Path
    probe: Path


def why_not(probe: Path | None) -> str | None:
    """Return why no machine can be booted here, or None."""
    for program, package in ((QEMU, "qemu-system-x86"), ("busybox", "busybox-static"), ("cpio", "cpio")):
        if shutil.which(program) is None:
            return f"no {program} here: apt-get install {package}"
    if probe is None:
        return "the probe is not built: make probe"
    # A dynamic program names its loader in the file.
    if b"/ld-linux" in probe.read_bytes():
        return f"{probe.name} is not static; rustup target add x86_64-unknown-linux-musl, then make probe"
    return (
        None
        if _kernel() or _fetch_kernel()
        else "no Debian kernel package: it is fetched with apt-get download"
    )


def parts(probe: Path) -> Parts:
    """Return the parts; `why_not` was asked before."""
    found = _kernel()
    busybox = shutil.which("busybox")
    if found is None or busybox is None:
        raise FileNotFoundError("no kernel or no busybox; ask why_not() first")
    kernel, modules = found
    return Parts(kernel=kernel, modules=modules, busybox=Path(busybox), probe=probe)


def _kernel() -> tuple[Path, Path] | None:
    for kernel in sorted(KERNELS.glob("boot/vmlinuz-*")):
        modules = sorted(KERNELS.glob(f"**/lib/modules/{kernel.name.removeprefix('vmlinuz-')}"))
        if modules:
            return kernel, modules[0]
    return None


def _fetch_kernel() -> bool:
    """Unpack the kernel that `linux-image-amd64` depends on; nothing is installed."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return False
    KERNELS.mkdir(parents=True, exist_ok=True)
    listing = subprocess.run(
        ["apt-cache", "depends", "linux-image-amd64"], capture_output=True, text=True, check=False
    )
    named = re.search(r"Depends: (linux-image-\S+)", listing.stdout)
    if named is None:
        return False
    subprocess.run(["apt-get", "download", "-qq", named[1]], cwd=KERNELS, capture_output=True, check=False)
    for package in KERNELS.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package.name, "."], cwd=KERNELS, capture_output=True, check=False)
        package.unlink()
    return _kernel() is not None


def module_files(folder: Path) -> list[Path]:
    """Return MODULES and all they need, each after what it needs, by what the modules say of themselves."""
    files = {path.name.split(".ko")[0].replace("-", "_"): path for path in folder.rglob("*.ko*")}
    ordered: list[Path] = []

    def add(name: str) -> None:
        path = files.get(name)
        # What is not there is built into this kernel.
        if path is None or path in ordered:
            return
        needs = re.search(rb"\0depends=([^\0]*)\0", b"\0" + _plain(path))
        for needed in needs[1].decode().split(",") if needs else ():
            add(needed.replace("-", "_"))
        ordered.append(path)

    # Checksums that the block layer asks for by name, so that no module depends on them in writing.
    for name in ("crc32c_generic", "crct10dif_generic", "crc64_rocksoft_generic", *MODULES):
        add(name)
    return ordered


def _plain(path: Path) -> bytes:
    if path.suffix == ".xz":
        return subprocess.run(["xz", "-dc", str(path)], capture_output=True, check=True).stdout
    return path.read_bytes()


def initramfs(parts: Parts, folder: Path, commands: str) -> Path:
    """Build the root file system: busybox, the modules, the probe, and an init that runs the commands."""
    root = folder / "root"
    for name in ("bin", "dev", "proc", "sys", "tmp", "modules", "home"):
        (root / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(parts.busybox, root / "bin" / "busybox")
    shutil.copy(parts.probe, root / "bin" / "diskatlas")
    lines = ["#!/bin/busybox sh", "/bin/busybox --install -s /bin", "export PATH=/bin HOME=/home"]
    lines += ["mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys"]
    for module in module_files(parts.modules):
        name = module.name.removesuffix(".xz")
        (root / "modules" / name).write_bytes(_plain(module))
        lines.append(f"insmod /modules/{name} || echo no {name}")
    lines += ["exec >/dev/ttyS0 2>&1", "echo", commands, f"echo '{MARK}end'", "poweroff -f"]
    init = root / "init"
    init.write_text("\n".join(lines) + "\n")
    init.chmod(0o755)
    names = subprocess.run(["find", ".", "-print0"], cwd=root, capture_output=True, check=True).stdout
    archive = subprocess.run(
        ["cpio", "--null", "--create", "--format=newc", "--quiet"],
        cwd=root,
        input=names,
        capture_output=True,
        check=True,
    ).stdout
    image = folder / "initramfs.gz"
    image.write_bytes(gzip.compress(archive, compresslevel=1))
    return image


def devices(folder: Path) -> list[str]:
    """Return QEMU's arguments for one disk of each kind. All names and numbers are made up."""
    arguments: list[str] = []
    for name in ("ata", "scsi", "nvme", "usb", "uas"):
        disk = folder / f"{name}.img"
        with disk.open("wb") as image:
            image.truncate(DISK_BYTES)
        arguments += ["-drive", f"file={disk},format=raw,if=none,id={name},cache=writeback"]
    for device in (
        "ich9-ahci,id=ahci",
        "ide-hd,bus=ahci.0,drive=ata,model=SAMPLE ATA DISK WITH A LONG NAME,serial=SATA0001,ver=1.2,"
        "rotation_rate=7200,wwn=0x5000c50000000001",
        "virtio-scsi-pci,id=scsi",
        "scsi-hd,bus=scsi.0,drive=scsi,vendor=SAMPLE,product=SCSI DISK,serial=SCSI0001,ver=3.4,"
        "rotation_rate=15000,wwn=0x5000c50000000002",
        "nvme,drive=nvme,serial=NVME0001",
        "qemu-xhci,id=xhci",
        "usb-storage,bus=xhci.0,drive=usb,serial=USB0001",
        "usb-uas,bus=xhci.0,id=uas",
        "scsi-hd,bus=uas.0,drive=uas,vendor=SAMPLE,product=UAS DISK,serial=UAS0001,rotation_rate=5400",
    ):
        arguments += ["-device", device]
    return arguments


def boot(parts: Parts, folder: Path, commands: str) -> dict[str, str]:
    """Boot once, run the commands, and return what was printed behind each mark."""
    image = initramfs(parts, folder, commands)
    command = [
        QEMU,
        "-M",
        "q35,accel=tcg",
        "-cpu",
        "max",
        "-m",
        "512",
        "-nographic",
        "-no-reboot",
        "-nodefaults",
    ]
    command += ["-serial", "stdio", "-kernel", str(parts.kernel), "-initrd", str(image)]
    command += ["-append", "console=ttyS0 quiet panic=-1 loglevel=1", *devices(folder)]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=BOOT_TIMEOUT_S,
        check=False,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    printed = dict(_parts_of(done.stdout))
    if "end" not in printed:
        raise RuntimeError(
            f"the machine did not get to its end; it printed: {(done.stdout + done.stderr)[-3000:]}"
        )
    return printed


def _parts_of(text: str) -> Iterator[tuple[str, str]]:
    for part in ("\n" + text.replace("\r", "")).split("\n" + MARK)[1:]:
        name, _, rest = part.partition("\n")
        yield name.strip(), rest


def parsed(printed: dict[str, str], name: str) -> Any:
    """Return the JSON of a part; lines around it are the kernel's."""
    text = printed[name]
    start = min((text.find(mark) for mark in "[{" if mark in text), default=0)
    with contextlib.suppress(json.JSONDecodeError):
        return json.JSONDecoder().raw_decode(text[start:])[0]
    raise AssertionError(f"{name} is no JSON: {text[:2000]}")
