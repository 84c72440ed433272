"""Relative links of the documentation lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.support.probe import Probe
from tools.repository_rules import ROOT, tracked_files

PAGES = [path for path in tracked_files() if path.endswith(".md")]
TOP = ("client", "docker", "docs", "frontend", "requirements", "server", "tests", "tools")
PATH = re.compile(rf"`((?:{'|'.join(TOP)})/[^`\s<>*{{}}]*)`")
PRESENT = [path for path in PAGES if path != "CHANGELOG.md" and not path.startswith("docs/decisions/")]
"""Pages that say how things are, and not how they were."""
BUILT = ("server/web/static/built/", "docker/.env")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def broken_links(page: Path) -> list[str]:
    """Targets of relative links that are not there."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    relative = [target for target in targets if not re.match(r"[a-z]+:|/", target)]
    return [target for target in relative if not (page.parent / target).exists()]


@pytest.mark.parametrize("path", PAGES)
def test_every_relative_link_of_a_page_leads_to_a_file(path: str) -> None:
    assert broken_links(ROOT / path) == []


@pytest.mark.parametrize("path", PRESENT)
def test_every_file_and_command_that_a_page_names_is_there(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    named = [name.partition("::")[0] for name in PATH.findall(text)]
    assert [name for name in named if not (ROOT / name).exists() and name not in BUILT] == []
    commands = {*get_commands(), *(file.stem for file in (ROOT / "tools").glob("**/commands/*.py"))}
    assert set(re.findall(r"manage\.py ([a-z_]+)", text)) <= commands
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    blocks = "".join(re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL))
    called = re.findall(r"`make ([a-z-]+)", text) + re.findall(r"^make ([a-z-]+)", blocks, re.MULTILINE)
    assert set(called) <= targets


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](gone.md) [b](page.md#part) [c](https://example.org/x) [d](#here) [e](/methods/)")
    assert broken_links(page) == ["gone.md"]


def test_the_guide_to_the_probe_names_every_command_and_no_other(probe: Probe) -> None:
    helped = probe.call("--help").stdout.partition("Commands:")[2].partition("Options:")[0]
    commands = set(re.findall(r"^  ([a-z]+)  ", helped, re.MULTILINE)) - {"help"}
    guide = (ROOT / "docs" / "user" / "probe.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^- `diskatlas ([a-z]+)", guide, re.MULTILINE)) == commands


def test_the_guide_to_the_probe_has_a_part_for_every_kind(probe: Probe) -> None:
    guide = (ROOT / "docs" / "user" / "probe.md").read_text(encoding="utf-8")
    kinds = set(probe.call("kinds").stdout.split())
    assert set(re.findall(r"^### `([a-z_]+)`", guide, re.MULTILINE)) == kinds


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
STATUS = re.compile(r"- \*\*Status\*\*: (accepted|superseded by \[(\d{4})\]\((\2-[\w-]+\.md)\))")


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.stem[:4])
def test_a_decision_stands_in_the_index_by_its_title_and_says_whether_it_holds(decision: Path) -> None:
    text = decision.read_text(encoding="utf-8")
    number = decision.stem[:4]
    title = text.partition("\n")[0].removeprefix(f"# {number}. ")
    status = STATUS.search(text)
    assert not title.startswith("#"), f"the first line must be '# {number}. Title'"
    assert status, "the status must be 'accepted' or 'superseded by' with a link"
    after = f" (superseded by {status[2]})" if status[2] else ""
    index = " ".join((decision.parent / "README.md").read_text(encoding="utf-8").split())
    assert index.count(f"- [{number}]({decision.name}) {title}{after}") == 1
