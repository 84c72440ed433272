"""One version stands in every place that states it."""

from __future__ import annotations

import re
import tomllib

from packaging.version import Version

from tools.release.manifest import version
from tools.repository_rules import ROOT


def test_probe_archive_and_changelog_state_one_version() -> None:
    stated = version()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert Version(project["version"]) == Version(stated)
    lock = tomllib.loads((ROOT / "client" / "probe" / "Cargo.lock").read_text(encoding="utf-8"))
    assert [one["version"] for one in lock["package"] if one["name"] == "diskatlas"] == [stated]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(\d[^]]*)\] - \d{4}-\d\d-\d\d$", changelog, re.MULTILINE)
    assert newest is not None and newest[1] == stated
