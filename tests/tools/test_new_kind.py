"""`make kind` in a copy of the tree: the new kind passes the contract, and a run of it walks to its pages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.kinds.layout import ARCHIVE_REGISTRY, PROBE_REGISTRY, ROOT
from tools.kinds.new import UnusableName, check, filled, register, write_folders
from tools.repository_rules import tracked_files

SLUG = "idle_latency"
COPY = ROOT / ".build" / "new-kind"
"""Always the same folder: what cargo compiles in it replaces what it compiled the last time."""
CONTRACT = (
    "tests/contract/test_registries.py",
    "tests/contract/test_golden.py",
    "tests/contract/test_disturbed_mask.py",
    "tests/server/benchmarks/test_kinds_walked.py",
    f"server/benchmarks/{SLUG}",
)
WHOLE = (
    "tests/contract/test_kind_names.py",
    "tests/server/api/test_openapi.py",
    "tests/tools/test_kind_docs.py",
    "server/benchmarks/test_registry.py",
)


def call(*arguments: str, **environment: str) -> str:
    """Run a command in the copy, which must succeed, and return what it says."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("DISKATLAS", "PYTEST"))
    }
    done = subprocess.run(
        arguments, cwd=COPY, env=inherited | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def python(*arguments: str, **environment: str) -> str:
    """Run a module of the copy."""
    return call(sys.executable, "-m", *arguments, **environment)


@pytest.fixture(scope="module")
def copy() -> Path:
    """A copy of the tree in which `make kind` was called."""
    shutil.rmtree(COPY, ignore_errors=True)
    for name in tracked_files():
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    python("tools.kinds.new", SLUG)
    call("git", "init", "--quiet")
    call("git", "add", "--all")
    python("tools.kinds.docs")
    key = "written-once-and-forgotten-0123456789abcdef"
    schema = ("spectacular", "--fail-on-warn", "--file", "docs/reference/openapi.yaml")
    python("tools.services", "run", "--", sys.executable, "manage.py", *schema, SECRET_KEY=key)
    return COPY


@pytest.mark.timeout(600)
def test_a_new_kind_passes_the_contract_and_its_run_walks_to_the_pages(copy: Path) -> None:
    said = python("pytest", "-q", "-p", "no:cacheprovider", "-k", SLUG, *CONTRACT)
    assert " passed" in said and "failed" not in said
    python("pytest", "-q", "-p", "no:cacheprovider", *WHOLE)


def test_what_is_written_is_in_the_projects_style_and_the_kind_is_protected(copy: Path) -> None:
    python("ruff", "check", "server/benchmarks")
    python("ruff", "format", "--check", "server/benchmarks")
    call(str(Path(sys.executable).parent / "lint-imports"), "--no-cache")


def test_a_new_kind_is_named_in_its_folders_the_registries_and_what_is_written_from_them(copy: Path) -> None:
    names = call("git", "grep", "--files-with-matches", "--word-regexp", SLUG).split()
    outside = {name for name in names if f"/{SLUG}/" not in name} - set(tracked_files_that_name_it())
    pages = ("user/probe", "reference/intervals", "reference/metrics", "reference/run-document")
    written = {f"docs/{page}.md" for page in pages}
    assert outside == {str(PROBE_REGISTRY), str(ARCHIVE_REGISTRY), "docs/reference/openapi.yaml", *written}


def tracked_files_that_name_it() -> list[str]:
    """Files that named it before: this test, and examples."""
    done = subprocess.run(
        ["git", "grep", "--files-with-matches", "--untracked", "--word-regexp", SLUG],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.timeout(900)
def test_the_probe_compiles_with_a_new_kind(copy: Path) -> None:
    target = ROOT / "client/probe/target"
    if shutil.which("cargo") is None or not (target / "debug").is_dir():
        pytest.skip("the probe's dependencies are not compiled: call `make simtool`")
    manifest = ("--manifest-path", "client/probe/Cargo.toml")
    call("cargo", "fmt", "--check", *manifest)
    options = ("--quiet", "--locked", "--offline", "--all-features", "--tests", "--target-dir", str(target))
    call("cargo", "check", *options, *manifest)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is no name"),
        ("Idle", "is no name"),
        ("idle__latency", "is no name"),
        ("../idle", "is no name"),
        ("x" * 33, "is no name"),
        ("match", "Python or Rust"),
        ("lambda", "Python or Rust"),
        ("zoned", "there already"),
        ("contract", "there already"),
        ("chain", "there already"),
    ],
)
def test_a_name_that_no_kind_can_have_is_refused_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(UnusableName, match=why):
        check(name, ROOT)


def test_a_kind_is_written_and_registered_as_the_last_of_all(tmp_path: Path) -> None:
    for registry in (PROBE_REGISTRY, ARCHIVE_REGISTRY):
        (tmp_path / registry).parent.mkdir(parents=True)
        shutil.copy(ROOT / registry, tmp_path / registry)
    files = write_folders("two_words", tmp_path)
    register("two_words", tmp_path)
    assert all((tmp_path / file).is_file() and file.suffix != ".in" for file in files)
    assert not any("@" in (tmp_path / file).read_text(encoding="utf-8") for file in files)
    probe = (tmp_path / PROBE_REGISTRY).read_text(encoding="utf-8")
    assert "mod two_words;\n" in probe and "    &two_words::TwoWords,\n];" in probe
    assert "    two_words.KIND,\n)" in (tmp_path / ARCHIVE_REGISTRY).read_text(encoding="utf-8")


def test_the_templates_words_are_the_kinds() -> None:
    assert filled("@slug@ @Struct@ @TITLE@", "idle_latency") == "idle_latency IdleLatency IDLE LATENCY"
