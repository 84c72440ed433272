"""The probe's binaries that the archive offers."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings

_NAME = re.compile(r"diskatlas-(?!simtool)[a-z0-9_]+(-[a-z0-9_.]+)+")
_NOT_BINARIES = {".sha256", ".json", ".txt", ".new"}
_RUNS_ANYWHERE = "-unknown-linux-musl"
_PROOFS = ("SHA256SUMS", "manifest.json", "manifest.json.sig", "release-key.pem")
_HELP = {
    "diskatlas.1": "manual page",
    "diskatlas.bash": "completions for bash",
    "_diskatlas": "completions for zsh",
    "diskatlas.fish": "completions for fish",
}


@dataclass(frozen=True, slots=True)
class Download:
    """A binary with what a person needs to check it."""

    name: str
    platform: str
    size_bytes: int
    sha256: str

    @property
    def url(self) -> str:
        """Its address on this site."""
        return f"/download/{self.name}"


@lru_cache(maxsize=32)
def _sha256(path: Path, _size: int, _modified_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download_path(name: str) -> Path | None:
    """Return the file of that name, or None; only binaries and the files that go with them are looked for."""
    path = Path(settings.DOWNLOADS_DIR) / name
    known = name in _PROOFS or name in _HELP or _NAME.fullmatch(name)
    return path if known and path.is_file() else None


def _platform(name: str) -> str:
    target = name.removeprefix("diskatlas-")
    machine = target.partition("-")[0]
    return f"Linux on {machine}, any distribution" if target.endswith(_RUNS_ANYWHERE) else target


def download_name(downloads: list[Download]) -> str:
    """Return what a shell takes for the right binary's name; `uname -m` chooses where there are several."""
    if len(downloads) > 1 and all(one.name.endswith(_RUNS_ANYWHERE) for one in downloads):
        return f"diskatlas-$(uname -m){_RUNS_ANYWHERE}"
    return downloads[0].name if downloads else ""


def help_list() -> list[tuple[str, str]]:
    """Return name and kind of the manual page and the completions that are here."""
    return [(name, kind) for name, kind in _HELP.items() if download_path(name) is not None]


def downloads_list() -> list[Download]:
    """Return the binaries in the downloads folder, by name; none where nothing was published."""
    folder = Path(settings.DOWNLOADS_DIR)
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.iterdir()):
        if not _NAME.fullmatch(path.name) or path.suffix in _NOT_BINARIES or not path.is_file():
            continue
        stat = path.stat()
        digest = _sha256(path, stat.st_size, stat.st_mtime_ns)
        found.append(Download(path.name, _platform(path.name), stat.st_size, digest))
    return found
