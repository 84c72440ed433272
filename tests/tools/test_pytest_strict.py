"""With `--strict-skips` a skip is a failure that carries its reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPS = """
import pytest

def test_skips_itself():
    pytest.skip("no loop device here")

@pytest.mark.skip(reason="marked")
def test_is_skipped_by_a_mark():
    raise AssertionError

@pytest.mark.xfail(reason="known", strict=True)
def test_fails_as_expected():
    raise AssertionError
"""


def pytest_on(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_sample.py").write_text(source, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tools.pytest_strict",
        "-p",
        "no:django",
        *options,
        str(folder),
    ]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("options", [(), ("--strict-skips",)])
def test_a_skip_fails_only_under_strict(tmp_path: Path, options: tuple[str, ...]) -> None:
    done = pytest_on(tmp_path, SKIPS, *options)
    if options:
        assert done.returncode == 1
        assert "1 failed, 1 xfailed, 1 error" in done.stdout
        assert "no loop device here" in done.stdout
        assert "marked" in done.stdout
    else:
        assert done.returncode == 0
        assert "2 skipped, 1 xfailed" in done.stdout


def test_a_module_that_skips_itself_fails_under_strict(tmp_path: Path) -> None:
    source = 'import pytest\npytest.skip("no browser", allow_module_level=True)\n'
    assert pytest_on(tmp_path, source).returncode == 5
    done = pytest_on(tmp_path, source, "--strict-skips")
    assert done.returncode not in (0, 5)
    assert "no browser" in done.stdout
