"""Secrets and signatures of webhooks as Standard Webhooks has them (its specification, section on the
signature scheme): HMAC-SHA256 over `id.timestamp.body`, in base64 behind `v1,`."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from uuid import UUID

PREFIX = "whsec_"
_SECRET_BYTES = 32
"""The specification asks for 24 to 64."""


def secret_new() -> str:
    """Return a new secret: `whsec_` and the base64 of random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def message_id(delivery_id: UUID) -> str:
    """Return a message's id, by which a receiver knows a repeated one."""
    return f"msg_{delivery_id.hex}"


def signature(*, secret: str, message: str, timestamp_s: int, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    signed = f"{message}.{timestamp_s}.".encode() + body
    mac = hmac.new(base64.b64decode(secret.removeprefix(PREFIX)), signed, hashlib.sha256)
    return f"v1,{base64.b64encode(mac.digest()).decode()}"


def headers(*, secret: str, message: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    """Return the three headers that a signed message carries."""
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": signature(secret=secret, message=message, timestamp_s=timestamp_s, body=body),
    }
