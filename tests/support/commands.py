"""Signed commands for tests, as the probe makes them."""

from __future__ import annotations

import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

from server.core.envelope import COMMAND_TYPE
from server.plausibility.nonces import nonce_issue
from tests.support.documents import KEY, envelope, keyid

ARCHIVE = "http://testserver"


def statement(action: str, **fields: Any) -> dict[str, Any]:
    """Return a command under a fresh nonce; fields take the place of its own."""
    usual = {"schema": "command/v1", "action": action, "archive": ARCHIVE, "nonce": nonce_issue().nonce}
    return {**usual, **fields}


def sealed(command: dict[str, Any], key: Ed25519PrivateKey = KEY) -> bytes:
    """Return the signed envelope."""
    return envelope(command, key, payload_type=COMMAND_TYPE)


def rotation(new: Ed25519PrivateKey, old: Ed25519PrivateKey = KEY, **agreed: Any) -> dict[str, Any]:
    """Return a command by which one key follows another; keyword arguments change what the new one signs."""
    command = statement("rotate")
    inner = {**command, "action": "succeed", "keyid": keyid(old), **agreed}
    return {**command, "successor": json.loads(sealed(inner, new))}


def ask(
    client: Client, action: str, *, key: Ed25519PrivateKey = KEY, body: bytes | None = None, **fields: Any
) -> tuple[int, dict[str, Any]]:
    """Send a command and return the status and the answer."""
    raw = sealed(statement(action, **fields), key) if body is None else body
    response = client.post(f"/api/v1/keys/me/{action}/", data=raw, content_type="application/json")
    return response.status_code, json.loads(response.content)
