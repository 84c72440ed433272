"""Shows that two builds of one commit give the same bytes: two clones in different folders and homes.

Takes as long as two whole builds for each target, so it is a target of its own and no part of the tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.release.build import ROOT, BuildError, compile_probe, output_of

PLACES = ("a", "another folder/with a longer name")
"""Below a folder that nobody chose: of different length, and one with a space."""


def home_at(folder: Path) -> Path:
    """Make a cargo home elsewhere that shares what was downloaded already."""
    original = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    folder.mkdir(parents=True)
    for name in ("config.toml", "credentials.toml"):
        if (original / name).is_file():
            shutil.copyfile(original / name, folder / name)
    (original / "registry").mkdir(parents=True, exist_ok=True)
    (folder / "registry").symlink_to(original / "registry")
    return folder


def environment(home: Path, number: int) -> dict[str, str]:
    """An environment that differs in what must not matter."""
    ignored = ("CARGO_TARGET_DIR", "DISKATLAS_COMMIT")
    kept = {name: value for name, value in os.environ.items() if name not in ignored}
    return kept | {
        "CARGO_HOME": str(home),
        "TZ": ("UTC", "Asia/Tokyo")[number],
        "LC_ALL": ("C", "C.UTF-8")[number],
    }


def _clone(commit: str, folder: Path) -> None:
    """Clone this repository at one commit: between two long builds a branch may move on."""
    commands = (
        ["git", "clone", "--quiet", "--no-local", "--no-checkout", str(ROOT), str(folder)],
        ["git", "-C", str(folder), "checkout", "--quiet", "--detach", commit],
    )
    for command in commands:
        if subprocess.run(command, check=False).returncode:
            raise BuildError(f"git could not clone this repository at {commit}")


def compare(targets: Sequence[str]) -> bool:
    """Build each target twice, print sizes and digests, and say whether they agree."""
    head = output_of("git", "rev-parse", "HEAD", cwd=ROOT)
    print(f"Two builds of commit {head}")
    same = True
    with tempfile.TemporaryDirectory(prefix="diskatlas-reproducible-") as scratch:
        built: dict[str, list[Path]] = {target: [] for target in targets}
        for number, place in enumerate(PLACES):
            clone = Path(scratch) / place
            _clone(head, clone)
            environ = environment(home_at(Path(scratch) / f"home-{number * 1000}"), number)
            for target in targets:
                started = time.monotonic()
                built[target].append(compile_probe(target, root=clone, environ=environ))
                print(f"  {target}, build {number + 1}: {time.monotonic() - started:.0f} s", flush=True)
        for target, paths in built.items():
            digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]
            sizes = [path.stat().st_size for path in paths]
            for digest, size in zip(digests, sizes, strict=True):
                print(f"{digest}  {size} bytes  {target}")
            same &= len(set(digests)) == 1
    print("The same bytes." if same else "NOT the same bytes.")
    return same
