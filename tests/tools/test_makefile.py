"""`make help` names every command that there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tools.repository_rules import ROOT


def test_help_lists_every_target_with_what_it_does() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE) for name in line.split()}
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = dict(re.findall(r"^ +make (\S+) +(\S.*)$", told, re.MULTILINE))
    assert set(listed) == targets
    assert all(listed.values())


def test_every_program_that_make_calls_can_be_loaded_by_itself() -> None:
    named = set(re.findall(r"-m ((?:tools|tests)\.[\w.]+)", (ROOT / "Makefile").read_text(encoding="utf-8")))
    folders = {name for name in named if (ROOT / name.replace(".", "/")).is_dir()}
    modules = [f"{name}.__main__" if name in folders else name for name in sorted(named)]
    load = f"import importlib; [importlib.import_module(name) for name in {modules}]"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DJANGO")}
    done = subprocess.run(
        [sys.executable, "-c", load], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "tools.false_alarms" in modules and "tests.bench.web.__main__" in modules
