"""The list of what is offered: `manifest.json` for programs, `SHA256SUMS` for `sha256sum --check`.

The manifest says nothing of when and where it was made, so two builds of one commit give the same manifest.
Its signature is an ed25519 signature over the file's bytes, as RFC 8032 has it, in a file of 64 bytes beside
it: OpenSSL checks it too.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from tools.release.build import EXECUTABLE, ROOT, BuildError, output_of, rustc_version
from tools.release.elf import NotElfError, read_elf

SCHEMA = "diskatlas-manifest/v1"
MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"
PUBLIC_KEY = "release-key.pem"
CHECKSUMS = "SHA256SUMS"
EXTRAS = (f"{EXECUTABLE}.1", f"{EXECUTABLE}.bash", f"_{EXECUTABLE}", f"{EXECUTABLE}.fish")
"""The manual page and the completions, which every binary also prints."""


def version(root: Path = ROOT) -> str:
    """Return the probe's version as `client/probe/Cargo.toml` states it."""
    manifest = (root / "client/probe/Cargo.toml").read_text("utf-8")
    found = re.search(r'^version = "([^"]+)"$', manifest, re.MULTILINE)
    if found is None:
        raise BuildError("client/probe/Cargo.toml states no version")
    return found[1]


def commit(root: Path = ROOT, stated: str = "") -> tuple[str | None, str]:
    """Return the commit and whether the tree is `clean`, `changed` or, without a repository, `unknown`."""
    try:
        head = output_of("git", "rev-parse", "HEAD", cwd=root)
        changed = output_of("git", "status", "--porcelain", cwd=root)
    except BuildError:
        return stated or None, "unknown"
    return stated or head, "changed" if changed else "clean"


def entry(path: Path) -> dict[str, Any]:
    """Describe one file. `static` is what its headers say, and null for what is no program."""
    data = path.read_bytes()
    try:
        static: bool | None = read_elf(data).static
    except NotElfError:
        static = None
    target = path.name.removeprefix(f"{EXECUTABLE}-") if static is not None else None
    return {
        "name": path.name,
        "target": target,
        "static": static,
        "size_bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def binaries(folder: Path) -> list[Path]:
    """Return the probe's binaries in `folder`, by name."""
    return sorted(path for path in folder.glob(f"{EXECUTABLE}-*-*") if path.suffix != ".new")


def offered(folder: Path) -> list[Path]:
    """Return the files in `folder` that the manifest lists."""
    return binaries(folder) + [folder / name for name in EXTRAS if (folder / name).is_file()]


def write(folder: Path, *, root: Path = ROOT, stated_commit: str = "") -> dict[str, Any]:
    """Write the unsigned manifest and the checksums; a signature of an earlier build goes."""
    for name in (SIGNATURE, PUBLIC_KEY):
        (folder / name).unlink(missing_ok=True)
    head, tree = commit(root, stated_commit)
    rustc = rustc_version()
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "version": version(root),
        "commit": head,
        "tree": tree,
        "rustc": f"{rustc['release']} ({rustc['commit-hash']})",
        "public_key": None,
        "files": [entry(path) for path in offered(folder)],
    }
    (folder / MANIFEST).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    lines = [f"{item['sha256']}  {item['name']}\n" for item in content["files"]]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    return content
