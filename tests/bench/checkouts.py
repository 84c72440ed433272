"""Commits and folders of the project that are measured in turns with the present one."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.embedded.binaries import PROJECT


@dataclass(frozen=True, slots=True)
class Checkout:
    """A commit or a folder, and what its rows in the table are called."""

    name: str
    folder: Path


PRESENT = Checkout("present", PROJECT)


def checkout_of(base: str, folder: Path) -> Checkout:
    """Return the checkout in a folder, or one of a commit that is made below `folder`."""
    if Path(base).is_dir():
        return Checkout(Path(base).name, Path(base).resolve())
    git = ["git", "-C", str(PROJECT)]
    commit = subprocess.run(
        [*git, "rev-parse", base], capture_output=True, text=True, check=True
    ).stdout.strip()
    place = folder / "checkouts" / commit[:12]
    if not place.exists():
        subprocess.run([*git, "worktree", "prune"], check=True)
        subprocess.run([*git, "worktree", "add", "--detach", str(place), commit], check=True)
    return Checkout(commit[:7], place)
