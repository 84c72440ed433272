"""Who runs the embedded servers: PostgreSQL refuses root, so root hands them to an account without rights."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CANDIDATES = ("postgres", "nobody")


class ServicesError(Exception):
    """What keeps the embedded services from running, and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the servers; `switch` is whether processes change to it."""

    name: str
    uid: int
    gid: int
    switch: bool

    def process_options(self) -> dict[str, Any]:
        """Return the `subprocess` arguments that make a child run as the account."""
        if not self.switch:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def run(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command as the account with a clean environment; its output is text."""
        options.setdefault("env", server_environment())
        return subprocess.run(
            list(command),
            text=True,
            capture_output=True,
            check=False,
            cwd="/",
            **self.process_options(),
            **options,
        )

    def own(self, path: Path) -> None:
        """Give a file or folder to the account."""
        if self.switch:
            os.chown(path, self.uid, self.gid)

    def can_enter(self, folder: Path) -> bool:
        """Return whether the account can reach and write the folder, whatever its parents' rights are."""
        script = 'cd "$1" && : > .reached && rm .reached'
        return self.run(["/bin/sh", "-c", script, "sh", str(folder)]).returncode == 0

    def can_run(self, program: Path) -> bool:
        """Return whether the account can start the program, shared libraries included."""
        return self.run(["/bin/sh", "-c", '"$1" --version', "sh", str(program)]).returncode == 0


def server_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what the servers see of the environment: no PG* variable may redirect them."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "TZ": "UTC", **(extra or {})}


def account_choose() -> Account:
    """Return the present account, or, for root, the first unprivileged one that exists."""
    if os.geteuid() != 0:
        entry = pwd.getpwuid(os.geteuid())
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=False)
    wanted = os.environ.get("DISKATLAS_SERVICES_ACCOUNT")
    for name in (wanted,) if wanted else _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)
    tried = wanted or ", ".join(_CANDIDATES)
    raise ServicesError(
        f"PostgreSQL does not run as root, and no unprivileged account was found (looked for "
        f"{tried}). Make one "
        "with `useradd --system --no-create-home diskatlas` and set DISKATLAS_SERVICES_ACCOUNT=diskatlas."
    )


def private_folder(wanted: Path, account: Account) -> Path:
    """Make a folder of mode 0700 that the account owns and can reach, and return it.

    Where a parent shuts the account out (a project below /root), the folder is made under /var/tmp instead;
    the file `elsewhere` beside the wanted folder remembers where.
    """
    note = wanted.with_name(wanted.name + ".elsewhere")
    if note.exists():
        noted = Path(note.read_text().strip())
        if _is_private(noted, account):
            return noted
    wanted.mkdir(parents=True, exist_ok=True)
    account.own(wanted)
    wanted.chmod(0o700)
    if account.can_enter(wanted):
        return wanted
    elsewhere = Path(tempfile.mkdtemp(prefix="diskatlas-", dir="/var/tmp"))
    account.own(elsewhere)
    note.write_text(f"{elsewhere}\n")
    return elsewhere


def folder_remove(wanted: Path) -> None:
    """Remove a private folder, wherever it was made."""
    note = wanted.with_name(wanted.name + ".elsewhere")
    if note.exists():
        shutil.rmtree(note.read_text().strip(), ignore_errors=True)
        note.unlink()
    shutil.rmtree(wanted, ignore_errors=True)


def _is_private(folder: Path, account: Account) -> bool:
    """Return whether nobody else could have put the folder there."""
    try:
        info = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == account.uid and stat.S_IMODE(info.st_mode) == 0o700
