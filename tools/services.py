"""The embedded services: private PostgreSQL and Redis instances below `.data/`.

    python3 -m tools.services start | stop | status | env
    python3 -m tools.services run -- COMMAND ...      # throw-away instances for as long as the command runs

`start` prints DATABASE_URL and REDIS_URL as shell assignments. DISKATLAS_SERVICES=system|wheels picks the
programs.
Needs nothing but Python's standard library.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if __package__ in {None, ""}:  # called as a file: `python3 tools/services.py`
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.embedded.account import ServicesError, account_choose, folder_remove, private_folder
from tools.embedded.binaries import PROJECT, binaries_find, binaries_for
from tools.embedded.postgres import Postgres
from tools.embedded.redis import Redis

DATA = Path(os.environ.get("DATA_DIR", str(PROJECT / ".data")))


class Services:
    """Both servers in one private folder."""

    def __init__(self, folder: Path, *, durable: bool = True, source: str | None = None) -> None:
        self._wanted = folder
        self._account = account_choose()
        found = binaries_find(source)
        folder.parent.mkdir(parents=True, exist_ok=True)
        self._folder = private_folder(folder, self._account)
        binaries = binaries_for(self._account, found, self._folder)
        self.source = binaries.source
        self.postgres = Postgres(self._folder, binaries, self._account, durable=durable)
        self.redis = Redis(self._folder, binaries, self._account, durable=durable)

    def start(self) -> dict[str, str]:
        """Start what does not run yet; return the environment variables that point at it."""
        with self._lock():
            try:
                self.postgres.start()
                self.redis.start()
            except BaseException:
                self.redis.stop()
                self.postgres.stop()
                raise
        return self.environment()

    def stop(self) -> bool:
        """Stop both servers; return whether any ran."""
        with self._lock():
            return any([self.redis.stop(), self.postgres.stop()])

    def running(self) -> bool:
        """Return whether both servers run."""
        return self.postgres.pid() is not None and self.redis.pid() is not None

    def environment(self) -> dict[str, str]:
        """Return DATABASE_URL and REDIS_URL of the running servers."""
        return {"DATABASE_URL": self.postgres.url(), "REDIS_URL": self.redis.url()}

    def remove(self) -> None:
        """Remove the folder with all data in it; the servers must be stopped."""
        folder_remove(self._wanted)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Two starts at once would both make the data folder."""
        with self._wanted.with_name(self._wanted.name + ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def project_services() -> Services:
    """Return the project's own lasting instances."""
    return Services(DATA / "services")


@contextmanager
def throw_away(source: str | None = None) -> Iterator[Services]:
    """Give running instances without durability, removed at the end."""
    parent = Path(tempfile.mkdtemp(prefix="diskatlas-test-"))
    parent.chmod(0o711)
    services: Services | None = None
    try:
        services = Services(parent / "services", durable=False, source=source)
        services.start()
        yield services
    finally:
        if services is not None:
            services.stop()
            services.remove()
        _remove_parent(parent)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="services", description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["start", "stop", "status", "env", "run"])
    parser.add_argument("command", nargs=argparse.REMAINDER, help="after `run --`")
    options = parser.parse_args(arguments)
    try:
        return _run(options.command) if options.action == "run" else _act(options.action)
    except ServicesError as error:
        print(f"services: {error}", file=sys.stderr)
        return 1


def _act(action: str) -> int:
    services = project_services()
    if action == "start":
        services.start()
    if action == "stop":
        print("stopped" if services.stop() else "nothing ran", file=sys.stderr)
        return 0
    if not services.running():
        print("not running; start with `python3 -m tools.services start`", file=sys.stderr)
        return 1
    if action == "status":
        print(
            f"running from {services.source}: postgres {services.postgres.pid()}, redis "
            f"{services.redis.pid()}"
        )
        return 0
    for name, value in services.environment().items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def _run(command: list[str]) -> int:
    command = command[1:] if command[:1] == ["--"] else command
    if not command:
        print("services: run needs a command: `run -- pytest`", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with throw_away() as services:
        child = subprocess.Popen(command, env={**os.environ, **services.environment()})
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue  # the terminal sent it to the command as well; its answer is the result
            except SystemExit:
                child.terminate()
                child.wait()
                raise


def _remove_parent(parent: Path) -> None:
    for leftover in parent.glob("*"):
        leftover.unlink(missing_ok=True)
    parent.rmdir()


if __name__ == "__main__":
    sys.exit(main())
