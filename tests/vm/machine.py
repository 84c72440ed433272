"""A machine of Debian's kernel, a shell and the static probe, with emulated disks, booted in QEMU.

The kernel comes from Debian's package (unpacked, not installed), the shell from busybox-static.
Software emulation is enough: it boots in seconds without KVM.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / ".build" / "vm"
"""Where the kernel package is unpacked, once."""

QEMU = "qemu-system-x86_64"
MODULES = (
    "sd_mod",
    "sg",
    "ahci",
    "virtio_pci",
    "virtio_scsi",
    "nvme",
    "xhci_pci",
    "uas",
    "usb_storage",
    "ext4",
)
MARK = "=== "
"""Before the name of each part of what the machine prints."""

WITNESS = "witness "
"""Before the name of a part in which the machine waits until the emulator was asked how its disks stand."""

INIT = f"""\
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin HOME=/home
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys
echo 'root:x:0:0::/home:/bin/sh' > /etc/passwd
echo 'nobody:x:65534:65534::/tmp:/bin/sh' >> /etc/passwd
part() {{ echo "{MARK}$1"; }}
witness() {{ echo "{MARK}{WITNESS}$1"; read -r _; }}
"""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a machine is made of."""

    kernel: Path
    modules: Path
    busybox: Path
    probe: Path
    development: Path | None = None
    """The probe as it is built for tests, which can be told to panic. It is dynamic."""


def why_not(probe: Path | None) -> str | None:
    """Return why no machine can be booted here, or None."""
    if os.uname().machine != "x86_64":
        return "the machine is an x86_64, and so has to be the probe that is built here"
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


def parts(probe: Path, development: Path | None = None) -> Parts:
    """Return the parts; `why_not` was asked before."""
    found = _kernel()
    busybox = shutil.which("busybox")
    if found is None or busybox is None:
        raise FileNotFoundError("no kernel or no busybox; ask why_not() first")
    kernel, modules = found
    return Parts(kernel=kernel, modules=modules, busybox=Path(busybox), probe=probe, development=development)


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


def module_files(folder: Path, modules: Sequence[str] = MODULES) -> list[Path]:
    """Return modules and all they need, each after what it needs, by what the modules say of themselves."""
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
    for name in ("crc32c_generic", "crct10dif_generic", "crc64_rocksoft_generic", *modules):
        add(name)
    return ordered


def libraries(program: Path) -> list[Path]:
    """Return what a dynamic program needs of this system: its loader and libraries."""
    said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    return [Path(word) for word in said.split() if word.startswith("/")]


def _plain(path: Path) -> bytes:
    if path.suffix == ".xz":
        return subprocess.run(["xz", "-dc", str(path)], capture_output=True, check=True).stdout
    return path.read_bytes()


def initramfs(parts: Parts, folder: Path, commands: str, modules: Sequence[str] = MODULES) -> Path:
    """Build the root file system: busybox, the modules, the probe, and an init that runs the commands."""
    root = folder / "root"
    for name in ("bin", "dev", "etc", "home", "kept", "modules", "proc", "run", "sys", "tmp"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    for name, program in (("busybox", parts.busybox), ("diskatlas", parts.probe)):
        shutil.copy(program, root / "bin" / name)
    if parts.development is not None:
        shutil.copy(parts.development, root / "bin" / "diskatlas-development")
        for library in libraries(parts.development):
            place = root / library.relative_to("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, place)
    lines = [INIT]
    for module in module_files(parts.modules, modules):
        name = module.name.removesuffix(".xz")
        (root / "modules" / name).write_bytes(_plain(module))
        lines.append(f"insmod /modules/{name} || echo no {name}")
    lines += ["exec </dev/ttyS0 >/dev/ttyS0 2>&1", "stty -echo", "echo", commands]
    lines += ["part end", "poweroff -f"]
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
