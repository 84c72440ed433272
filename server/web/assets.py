"""Finds the files that Vite built, by its manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

BUILT = Path(__file__).parent / "static" / "built"
ENTRY = "src/main.ts"
PRELOADED_FONT = "ibm-plex-sans"


@dataclass(frozen=True, slots=True)
class Assets:
    """Names below `static/`; all empty until `npm run build` has run, and the pages then do without."""

    script: str = ""
    styles: tuple[str, ...] = ()
    fonts: tuple[str, ...] = ()


@lru_cache(maxsize=4)
def _read(manifest: Path, _modified_ns: int) -> Assets:
    entry = json.loads(manifest.read_text(encoding="utf-8"))[ENTRY]
    return Assets(
        script=f"built/{entry['file']}",
        styles=tuple(f"built/{name}" for name in entry.get("css", [])),
        fonts=tuple(f"built/{name}" for name in entry.get("assets", []) if PRELOADED_FONT in name),
    )


def drawing_fonts(folder: Path = BUILT) -> list[Path]:
    """Return the typeface's files for drawings that are made outside a browser."""
    return sorted((folder / "drawing").glob("*.ttf"))


def license_files(folder: Path = BUILT) -> list[tuple[str, str]]:
    """Return title and static name of the licence texts that the build laid beside fonts and scripts."""
    titles = {"ibm-plex-sans": "IBM Plex Sans", "ibm-plex-mono": "IBM Plex Mono", "scripts": "Scripts"}
    return [
        (titles.get(path.stem, path.stem), f"built/licenses/{path.name}")
        for path in sorted((folder / "licenses").glob("*.txt"))
    ]


def built_assets(folder: Path = BUILT) -> Assets:
    """Return the entry's files; a rebuild is noticed by the manifest's modification time."""
    manifest = folder / "manifest.json"
    try:
        modified_ns = manifest.stat().st_mtime_ns
    except FileNotFoundError:
        return Assets()
    return _read(manifest, modified_ns)
