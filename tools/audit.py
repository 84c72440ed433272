"""Licences, sources and known holes of everything that is built in, by `deny.toml`, pip-audit and npm audit.

What `deny.toml` says of licences, bans and sources needs no more than a registry of crates and always
counts. Known holes stand in databases that not every machine reaches: where one can't be asked, that is said,
and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DENY = (ROOT / ".build/tools/bin/cargo-deny", "--manifest-path", ROOT / "client/probe/Cargo.toml")


class NotReached(Exception):
    """A database could not be asked; the words say which, and what it answered."""


def run(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False
    )


def crates() -> Iterator[str]:
    done = run(*DENY, "check", "bans", "licenses", "sources")
    if done.returncode:
        yield done.stderr


def crate_holes() -> Iterator[str]:
    fetched = run(*DENY, "fetch", "db")
    if fetched.returncode:
        raise NotReached(f"the RustSec database: {last_line(fetched.stderr)}")
    done = run(*DENY, "check", "--disable-fetch", "advisories")
    if done.returncode:
        yield done.stderr


def python_holes() -> Iterator[str]:
    locked = [word for name in ("base", "demo", "dev") for word in ("-r", f"requirements/{name}.txt")]
    done = run(
        Path(sys.executable).parent / "pip-audit", *locked, "--require-hashes", "--disable-pip", "-f", "json"
    )
    packages = parsed(done.stdout).get("dependencies")
    if packages is None:
        raise NotReached(f"the database of Python packages: {last_line(done.stderr)}")
    for package in packages:
        for hole in package.get("vulns", []):
            mended = ", ".join(hole["fix_versions"]) or "no version yet"
            yield f"{package['name']} {package['version']}: {hole['id']}, mended in {mended}"
    skipped = [package for package in packages if "skip_reason" in package]
    if skipped:
        reason = skipped[0]["skip_reason"]
        raise NotReached(f"the database of Python packages for {len(skipped)} of {len(packages)}: {reason}")


NODE_FOLDERS = ("frontend", "tests/integrations")


def node_holes() -> Iterator[str]:
    for name in NODE_FOLDERS:
        done = run("npm", "audit", "--json", folder=ROOT / name)
        report = parsed(done.stdout)
        if "vulnerabilities" not in report:
            answer = report.get("message") or last_line(done.stderr)
            raise NotReached(f"the database of Node packages: {answer}")
        for package, hole in report["vulnerabilities"].items():
            yield f"{name}: {package} {hole['range']}: {hole['severity']}"


def parsed(text: str) -> dict[str, Any]:
    """What a tool printed as JSON; nothing where it printed something else."""
    try:
        return dict(json.loads(text))
    except ValueError:
        return {}


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no answer"])[-1].strip()


def main() -> int:
    found = 0
    for check in (crates, crate_holes, python_holes, node_holes):
        name = check.__name__.replace("_", " ")
        try:
            for problem in check():
                found += 1
                print(f"{name}: {problem}", file=sys.stderr)
        except NotReached as database:
            print(f"{name}: skipped, as nobody could be asked: {database}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
