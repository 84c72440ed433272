"""`make help` names every command that there is."""

from __future__ import annotations

import re
import subprocess

from tools.repository_rules import ROOT


def test_help_lists_every_target_with_what_it_does() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE) for name in line.split()}
    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    listed = dict(re.findall(r"^ +make (\S+) +(\S.*)$", told, re.MULTILINE))
    assert set(listed) == targets
    assert all(listed.values())
