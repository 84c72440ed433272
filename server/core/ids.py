"""Identifiers that sort by time (UUIDv7, RFC 9562 section 5.7)."""

from __future__ import annotations

import secrets
from uuid import UUID

from server.core import clock


def uuid7() -> UUID:
    """Return a new UUIDv7: 48 bits of Unix milliseconds, then random bits."""
    milliseconds = int(clock.now().timestamp() * 1000)
    value = (milliseconds & (1 << 48) - 1) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)
