"""The probe's binaries that the archive offers."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key
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


# ---- Who vouches for the binaries: the manifest that `make probe` writes and the operator may sign.

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"
PUBLIC_KEY = "release-key.pem"
_SCHEMA = "diskatlas-manifest/v1"
_ALGORITHM = "ed25519:"


@dataclass(frozen=True, slots=True)
class Release:
    """What the manifest says. `problem` is why the files must not be trusted, as a sentence, or empty."""

    version: str = ""
    commit: str = ""
    changed: bool = False
    """Whether the source held changes that the commit does not."""
    keyid: str = ""
    """SHA-256 of the key that signed; empty where nobody did."""
    problem: str = ""
    _digests: dict[str, str] = field(default_factory=dict)

    @property
    def signed(self) -> bool:
        return bool(self.keyid) and not self.problem


def release_read(folder: Path, downloads: Iterable[Download]) -> Release:
    """Read the manifest in `folder`, check its signature, and that it lists the files as they are.

    Without a manifest the files are offered as unsigned, by their digests alone.
    """
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError:
        return Release()
    try:
        release = _parse(data, folder)
    except (ValueError, KeyError, TypeError) as error:
        return Release(problem=f"The manifest can't be read ({type(error).__name__}).")
    for download in downloads:
        if release._digests.get(download.name) != download.sha256:
            return Release(problem=f"{download.name} is not the file that the manifest lists.")
    return release


def _parse(data: bytes, folder: Path) -> Release:
    content: dict[str, Any] = json.loads(data)
    if content["schema"] != _SCHEMA:
        raise ValueError("another schema")
    digests = {str(item["name"]): str(item["sha256"]) for item in content["files"]}
    version, commit = str(content["version"]), str(content["commit"] or "")
    changed = content["tree"] == "changed"
    if content["public_key"] is None:
        return Release(version, commit, changed, _digests=digests)
    keyid, problem = _check_signature(data, str(content["public_key"]), folder)
    return Release(version, commit, changed, keyid, problem, digests)


def _check_signature(data: bytes, public_key: str, folder: Path) -> tuple[str, str]:
    """Return the id of the key that the manifest names, and what is wrong with its signature."""
    raw = base64.b64decode(public_key.removeprefix(_ALGORITHM), validate=True)
    key = Ed25519PublicKey.from_public_bytes(raw)
    keyid = hashlib.sha256(raw).hexdigest()
    try:
        signature = (folder / SIGNATURE).read_bytes()
        pem = load_pem_public_key((folder / PUBLIC_KEY).read_bytes())
    except OSError as error:
        return keyid, f"{Path(error.filename).name} is missing: the manifest says that it is signed."
    try:
        key.verify(signature, data)
    except InvalidSignature:
        return keyid, "The signature does not fit the manifest."
    if pem != key:
        return keyid, f"{PUBLIC_KEY} holds another key than the one that the manifest names."
    return keyid, ""
