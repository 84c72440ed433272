"""Signed notes with an ed25519 key (C2SP signed-note), and checkpoints in them (C2SP tlog-checkpoint)."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ED25519 = b"\x01"
"""The byte by which notes tell this kind of signature from others."""
_HEAD = "\u2014 "


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: whose it is, how many leaves it has, and the root over them."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Return what is signed: three lines."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def key_id(name: str, public_key: bytes) -> bytes:
    """Return the four bytes by which a signature names its key."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:4]


def verifier_key(name: str, public_key: bytes) -> str:
    """Return the key as one line, `name+id+key`: what tools that verify notes are given."""
    packed = base64.b64encode(_ED25519 + public_key).decode()
    return f"{name}+{key_id(name, public_key).hex()}+{packed}"


def checkpoint_sign(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> str:
    """Return the checkpoint as a signed note; the key bears the origin's name."""
    text = checkpoint.text()
    named = key_id(checkpoint.origin, key.public_key().public_bytes_raw())
    signature = base64.b64encode(named + key.sign(text.encode())).decode()
    return f"{text}\n{_HEAD}{checkpoint.origin} {signature}\n"
