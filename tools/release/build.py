"""Compiles the probe so that the same source gives the same bytes in any folder and for any account.

What could differ is taken away: paths of the source, of cargo's downloads and of Rust's own source are
replaced by fixed names (for the C parts `client/probe/static-cc` does that), flags from outside are ignored,
and nothing asks for the time. What remains is the source, the commit it states, and the compilers' versions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATIC_TARGETS = ("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl")
EXECUTABLE = "diskatlas"
SEPARATOR = "\x1f"
"""Between the flags in `CARGO_ENCODED_RUSTFLAGS`, so that a path may hold a space."""


class BuildError(Exception):
    """A binary can't be built here; the message says what to do."""


def output_of(*words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """Return what a command prints; raise `BuildError` where it fails."""
    try:
        done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise BuildError(f"{words[0]} is not installed") from None
    if done.returncode:
        raise BuildError(f"`{' '.join(words)}` failed: {done.stderr.strip()}")
    return done.stdout.strip()


def rustc_version() -> dict[str, str]:
    """Return what `rustc -vV` says, by its keys (`release`, `host`, `commit-hash`)."""
    lines = output_of("rustc", "-vV").splitlines()
    pairs = (line.partition(": ") for line in lines[1:])
    return {key: value for key, _, value in pairs}


def missing(target: str, root: Path = ROOT) -> str:
    """Say what this machine lacks to build for a target; empty where it lacks nothing."""
    sysroot = Path(output_of("rustc", "--print", "sysroot"))
    if not (sysroot / "lib" / "rustlib" / target / "lib").is_dir():
        return f"Rust's part for {target} (rustup target add {target})"
    if target not in STATIC_TARGETS:
        return ""
    compiler = subprocess.run(
        [root / "client/probe/static-cc", "--version"],
        env=os.environ | {"TARGET": target},
        capture_output=True,
        check=False,
    )
    return "" if compiler.returncode == 0 else f"a C compiler for {target} (on Debian: {_package(target)})"


def _package(target: str) -> str:
    machine = target.partition("-")[0]
    return "gcc" if machine == os.uname().machine else f"gcc-{machine.replace('_', '-')}-linux-gnu"


def default_targets(root: Path = ROOT) -> tuple[list[str], list[str]]:
    """Return the targets that can be built here, else the host's own, and what the others lack."""
    lacks = {target: missing(target, root) for target in STATIC_TARGETS}
    targets = [target for target, what in lacks.items() if not what]
    return targets or [rustc_version()["host"]], [what for what in lacks.values() if what]


def remapped(root: Path, environ: Mapping[str, str]) -> list[tuple[Path, str]]:
    """Return which folder is called what inside the binary; where several fit, the last counts."""
    home = Path(environ.get("CARGO_HOME") or Path.home() / ".cargo")
    # The folder of a registry carries a hash of its address, which differs where a mirror is used.
    registries = sorted((home / "registry" / "src").glob("*"))
    sysroot = Path(output_of("rustc", "--print", "sysroot"))
    output = Path(environ.get("CARGO_TARGET_DIR") or root / "client/probe/target").absolute()
    return [
        (home, "/cargo"),
        *((registry, "/crates") for registry in registries),
        # What Rust's own libraries call it; a machine with `rust-src` would show its copy instead.
        (sysroot / "lib/rustlib/src/rust", f"/rustc/{rustc_version()['commit-hash']}"),
        (root, "/diskatlas"),
        (output, "/diskatlas/client/probe/target"),
    ]


def environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that cargo builds in."""
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in remapped(root, environ)]
    own = {"CARGO_ENCODED_RUSTFLAGS": SEPARATOR.join(flags), "CARGO_INCREMENTAL": "0"}
    ignored = ("RUSTFLAGS", "CFLAGS", "CARGO_BUILD_RUSTFLAGS")
    kept = {name: value for name, value in environ.items() if not name.startswith(ignored)}
    return kept | own


def compile_probe(
    target: str,
    *,
    root: Path = ROOT,
    environ: Mapping[str, str] = os.environ,
    binary: str = EXECUTABLE,
    features: str = "",
) -> Path:
    """Compile the probe, or another binary of its crate, for `target`; return where cargo put it."""
    manifest = str(root / "client/probe/Cargo.toml")
    cargo = environ.get("CARGO") or "cargo"
    # Fetched first: what is remapped must be there.
    output_of(
        cargo, "fetch", "--quiet", "--locked", "--manifest-path", manifest, "--target", target, cwd=root
    )
    words = [cargo, "build", "--quiet", "--locked", "--release", "--bin", binary, "--features", features]
    words += ["--manifest-path", manifest, "--target", target]
    # From the root, where `.cargo/config.toml` says which compiler and linker a static build uses.
    done = subprocess.run(words, cwd=root, env=environment(root, environ), check=False)
    if done.returncode:
        raise BuildError(f"the probe for {target} was not built; cargo says why above")
    output = Path(environ.get("CARGO_TARGET_DIR") or root / "client/probe/target")
    return output / target / "release" / binary


def install(source: Path, place: Path) -> Path:
    """Put a program in place in one step: whoever downloads or runs the old one meanwhile keeps it whole."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(place.name + ".new")
    shutil.copyfile(source, new)
    new.chmod(0o755)
    return new.replace(place)
