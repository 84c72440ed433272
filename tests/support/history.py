"""Which version of the archive was released before this one, as far as the history of this clone tells."""

from __future__ import annotations

import subprocess
from contextlib import suppress

from tools.embedded.binaries import PROJECT

FIRST = "61acbac9"
"""The first version whose migrations were only added to since: it stands for a release until there is one."""


def git(*arguments: str) -> bytes:
    """Return what git answers; raises CalledProcessError and FileNotFoundError."""
    return subprocess.run(["git", *arguments], cwd=PROJECT, capture_output=True, check=True).stdout


def release_before() -> str | None:
    """Return the commit of the release before this one; None where the history lacks it."""
    with suppress(subprocess.CalledProcessError, FileNotFoundError):
        if tag := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^").decode().strip():
            return tag
    with suppress(subprocess.CalledProcessError, FileNotFoundError):
        git("cat-file", "-e", f"{FIRST}^{{tree}}")
        return FIRST
    return None
