"""What the repository's own rules find, and what they leave alone."""

from __future__ import annotations

import subprocess

import pytest

from tools.repository_rules import (
    FILE_BUDGET_LINES,
    LINE_WIDTH,
    ROOT,
    check_budget,
    check_cache,
    check_text,
    check_width,
)


@pytest.mark.parametrize("parts", [("pypi", "org"), ("registry", "npmjs", "org"), ("static", "crates", "io")])
def test_a_registry_host_is_found_in_any_file(parts: tuple[str, ...]) -> None:
    host = ".".join(parts)
    findings = list(check_text("docs/user/install.md", f"first line\nsee https://{host}/simple\n"))
    assert [finding.line for finding in findings] == [2]
    assert "registry" in findings[0].message


def test_the_identity_of_cargos_index_is_no_address() -> None:
    line = 'source = "registry+https://github.com/rust-lang/' + "crates" + '.io-index"'
    assert not list(check_text("client/probe/Cargo.lock", line))


@pytest.mark.parametrize("folder", ["root", "work", "opt/wheels"])
def test_a_path_of_one_machine_is_found(folder: str) -> None:
    findings = list(check_text("Makefile", f"OUT := /{folder}/diskatlas"))
    assert len(findings) == 1


@pytest.mark.parametrize(
    "text", ["server/work/x", "the web/worker pair", "$HOME/work", "/worker/", "/work-in"]
)
def test_relative_paths_and_words_are_no_machine_paths(text: str) -> None:
    assert not list(check_text("README.md", text))


def test_lock_files_hold_no_address() -> None:
    assert list(check_text("frontend/package-lock.json", '  "resolved": "x.tgz",'))
    assert list(check_text("requirements/base.txt", "--index-url https://example.org/simple"))
    assert not list(check_text("frontend/package-lock.json", '"funding": "https://example.org/sponsor"'))


def test_a_source_file_over_the_budget_is_named_with_its_length() -> None:
    text = "x = 1\n" * (FILE_BUDGET_LINES + 1)
    (finding,) = check_budget("server/core/long.py", text)
    assert str(FILE_BUDGET_LINES + 1) in finding.message
    assert not list(check_budget("docs/long.md", text))
    assert not list(check_budget("server/core/fits.py", "x = 1\n" * FILE_BUDGET_LINES))


@pytest.mark.parametrize("path", ["README.md", "docker/entrypoint.sh", "docker/compose.yaml", "Makefile"])
def test_a_line_that_must_be_scrolled_sideways_is_named(path: str) -> None:
    fits = "word " * (LINE_WIDTH // 5 - 1) + "word."
    (finding,) = check_width(path, f"{fits}\n{fits} w\n")
    assert finding.line == 2
    assert str(LINE_WIDTH) in finding.message


@pytest.mark.parametrize(
    "text", ["| " + "cell | " * 30, "  | " + "cell | " * 30, "- <https://a.example/" + "x" * 120]
)
def test_rows_of_tables_and_addresses_may_be_longer(text: str) -> None:
    assert not list(check_width("README.md", text))


def test_what_a_formatter_holds_or_a_tool_writes_has_no_second_rule() -> None:
    for path in ("server/core/long.py", "docs/reference/openapi.yaml"):
        assert not list(check_width(path, "word " * 40))


@pytest.mark.parametrize("path", ["server/.mypy_cache/cache.0.db", "a/__pycache__/b.pyc", ".ruff_cache/x"])
def test_a_tracked_cache_is_found_at_every_depth(path: str) -> None:
    assert len(list(check_cache(path))) == 1
    assert not list(check_cache("server/core/cache.py"))


@pytest.mark.parametrize("folder", ["", "server/", "client/probe/"])
@pytest.mark.parametrize("name", [".mypy_cache", ".ruff_cache", "__pycache__", "node_modules", "target"])
def test_git_ignores_what_tools_make_at_every_depth(folder: str, name: str) -> None:
    asked = subprocess.run(["git", "check-ignore", "--quiet", "--no-index", f"{folder}{name}/x"], cwd=ROOT)
    assert asked.returncode == 0
