"""What the two sides' folders and registries hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools.kinds import layout
from tools.kinds.layout import ROOT

PROBE_KINDS = ROOT / layout.PROBE_KINDS
ARCHIVE_KINDS = ROOT / layout.ARCHIVE_KINDS
SECTIONS = ("What it measures", "Why it matters", "How to read it", "Known traps")


def kind_folders(folder: Path) -> set[str]:
    """Slugs of the folders that hold a kind, named by a registry or not; parts of a module are none."""
    return {
        entry.name
        for entry in folder.iterdir()
        if entry.is_dir() and any((entry / name).is_file() for name in ("extract.py", "mod.rs"))
    }


def unregistered(folder: Path, registered: Iterable[str]) -> list[str]:
    """What is wrong between a side's folders and its registry, a sentence each."""
    there, named = kind_folders(folder), set(registered)
    forgotten = [f"{folder.name}/{slug} has no line in the registry" for slug in sorted(there - named)]
    return forgotten + [f"the registry names {slug}, which has no folder" for slug in sorted(named - there)]


def missing_files(folder: Path, slug: str, versions: Iterable[int]) -> list[str]:
    """Files that a kind of the archive must have and has not."""
    needed = [f"schema/v{version}.json" for version in versions] + ["about.md", "extract.py", "chart.py"]
    return [f"{slug}/{name}" for name in needed if not (folder / slug / name).is_file()]


def missing_sections(about: str) -> list[str]:
    """Headings that `about.md` must have and has not."""
    headings = {line.lstrip("#").strip().lower() for line in about.splitlines() if line.startswith("#")}
    return [section for section in SECTIONS if section.lower() not in headings]
