"""Who vouches for the binaries on offer: the manifest that `make probe` writes and the operator may sign."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from server.web.downloads import Download

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
