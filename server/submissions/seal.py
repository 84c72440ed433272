"""The archive's own signature under what its page for importing read. It vouches for the bytes and for when
they came, not for a measurement."""

from __future__ import annotations

import base64
from typing import Any

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.core.envelope import ALGORITHM, PAYLOAD_TYPE, pre_authentication_encoding, sha256_hex
from server.core.problems import ErrorItem, problem
from server.transparency.log_key import derived_key


def sealed(document: dict[str, Any]) -> bytes:
    """Return the envelope around a document; the same one twice makes the same bytes."""
    key = _key()
    payload = orjson.dumps(document)
    public = key.public_key().public_bytes_raw()
    signature = {
        "keyid": sha256_hex(public),
        "sig": _base64(key.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))),
        "public_key": f"{ALGORITHM}:{_base64(public)}",
    }
    return orjson.dumps({"payloadType": PAYLOAD_TYPE, "payload": _base64(payload), "signatures": [signature]})


def in_browser(document: dict[str, Any]) -> bool:
    """Return whether a document says that an archive's page read its files."""
    return "in_browser" in document.get("imported", {})


def sealed_check(document: dict[str, Any], keyid: str) -> None:
    """Raise Problem where a run that another key signed says that this archive's page read its files."""
    if in_browser(document) and keyid != imports_keyid():
        raise problem(
            "implausible-document",
            "/imported/in_browser stands in what this archive's page for importing signed, and in nothing "
            "else. Import the files with the program and leave the member out.",
            ErrorItem("/imported/in_browser", "is the archive's own to say"),
        )


def imports_keyid() -> str:
    """Return the id of the key that seals imports."""
    return sha256_hex(_key().public_key().public_bytes_raw())


def _key() -> Ed25519PrivateKey:
    return derived_key(b"diskatlas file import")


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
