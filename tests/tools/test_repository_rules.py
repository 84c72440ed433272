"""What the repository's own rules find, and what they leave alone."""

from __future__ import annotations

import pytest

from tools.repository_rules import FILE_BUDGET_LINES, check_budget, check_text


@pytest.mark.parametrize("parts", [("pypi", "org"), ("registry", "npmjs", "org"), ("static", "crates", "io")])
def test_a_registry_host_is_found_in_any_file(parts: tuple[str, ...]) -> None:
    host = ".".join(parts)
    findings = list(check_text("docs/user/install.md", f"first line\nsee https://{host}/simple\n"))
    assert [finding.line for finding in findings] == [2]
    assert "registry" in findings[0].message


def test_the_identity_of_cargos_index_is_no_address() -> None:
    line = 'source = "registry+https://github.com/rust-lang/' + "crates" + '.io-index"'
    assert not list(check_text("client/Cargo.lock", line))


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
