"""`python -m tools.release build | sign | reproducible`: what the Makefile calls."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.release import build, manifest
from tools.release.build import EXECUTABLE, BuildError
from tools.release.native import DOWNLOADS, natives

HELP = {
    f"{EXECUTABLE}.1": ("man",),
    f"{EXECUTABLE}.bash": ("completions", "bash"),
    f"_{EXECUTABLE}": ("completions", "zsh"),
    f"{EXECUTABLE}.fish": ("completions", "fish"),
}
"""What a binary prints of itself, by the name of the file it goes into."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        done: bool = options.action(options)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if done else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    actions = parser.add_subparsers(required=True)
    one = actions.add_parser("build", help="build the probe and list what is offered")
    one.add_argument(
        "--target", action="append", default=[], help="a target; all that can be built here otherwise"
    )
    one.add_argument("--out", type=Path, default=DOWNLOADS, help="where the files go")
    one.set_defaults(action=_build)
    two = actions.add_parser("sign", help="sign the manifest with the operator's key")
    two.add_argument(
        "--key", type=Path, default=None, help="an ed25519 key in PEM; else $DISKATLAS_RELEASE_KEY"
    )
    two.add_argument("--out", type=Path, default=DOWNLOADS, help="where the files lie")
    two.set_defaults(action=_sign)
    three = actions.add_parser("reproducible", help="build twice in different folders and compare")
    three.add_argument(
        "--target", action="append", default=[], help="a target; all that can be built here otherwise"
    )
    three.set_defaults(action=_reproducible)
    return parser


def _targets(asked: list[str]) -> list[str]:
    if asked:
        for target in asked:
            if what := build.missing(target):
                raise BuildError(f"to build for {target}, this machine lacks {what}")
        return asked
    targets, lacking = build.default_targets()
    for what in lacking:
        print(f"Probe: left out for want of {what}", flush=True)
    return targets


def _build(options: argparse.Namespace) -> bool:
    compiled: dict[str, Path] = {}
    for target in _targets(options.target):
        print(f"Probe: building for {target}", flush=True)
        compiled[target] = build.compile_probe(target)
    # All at once, and nothing of an earlier build beside it: the manifest states one commit for all of them.
    for old in manifest.binaries(options.out):
        if old.name.removeprefix(f"{EXECUTABLE}-") not in compiled:
            old.unlink()
    for target, binary in compiled.items():
        build.install(binary, options.out / f"{EXECUTABLE}-{target}")
    _write_help(options.out)
    content = manifest.write(options.out, stated_commit=os.environ.get("DISKATLAS_COMMIT", ""))
    print(f"Probe: {len(content['files'])} files listed in {manifest.MANIFEST}, not signed", flush=True)
    return True


def _write_help(folder: Path) -> None:
    """Let a binary that runs here print the manual page and the completions."""
    native = natives(folder, os.uname().machine)
    if not native:
        return
    for name, words in HELP.items():
        done = subprocess.run([native[0], *words], capture_output=True, check=False)
        if done.returncode:
            raise BuildError(f"{native[0].name} {' '.join(words)} failed: {done.stderr.decode()}")
        (folder / name).write_bytes(done.stdout)


def _sign(options: argparse.Namespace) -> bool:
    from tools.release import sign

    named = options.key or os.environ.get(sign.KEY_VARIABLE)
    if not named:
        raise BuildError(
            f"no key is named: set {sign.KEY_VARIABLE} to a file with an ed25519 key in PEM, "
            f"made with `{sign.MAKE_ONE}`"
        )
    print(f"Probe: {manifest.MANIFEST} signed by {sign.sign(options.out, sign.load(Path(named)))}")
    return True


def _reproducible(options: argparse.Namespace) -> bool:
    from tools.release.reproducible import compare

    return compare(_targets(options.target))


if __name__ == "__main__":
    sys.exit(main())
