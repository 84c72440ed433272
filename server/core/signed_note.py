"""Signed notes with an ed25519 key (C2SP signed-note), and checkpoints in them (C2SP tlog-checkpoint)."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_ED25519 = b"\x01"
"""The byte by which notes tell this kind of signature from others."""
_HEAD = "\u2014 "


class BadNote(Exception):
    """The note is malformed, or not signed by the key; its words say which."""


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


def checkpoint_open(note: str, *, origin: str, public_key: bytes) -> Checkpoint:
    """Return the checkpoint of a note that the key signed; raises BadNote."""
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not signatures.endswith("\n"):
        raise BadNote("The note has no signatures: text, an empty line and a signature are needed.")
    text += "\n"
    _check_signed(text, signatures.splitlines(), origin, public_key)
    return _checkpoint_of(text, origin)


def _check_signed(text: str, lines: list[str], origin: str, public_key: bytes) -> None:
    named = key_id(origin, public_key)
    for line in lines:
        name, _space, encoded = line.removeprefix(_HEAD).partition(" ")
        try:
            packed = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            raise BadNote(f"The signature of {name!r} is not base64.") from None
        if name != origin or packed[:4] != named:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(packed[4:], text.encode())
        except InvalidSignature:
            raise BadNote(f"The signature of {origin!r} does not fit the note.") from None
        return
    raise BadNote(f"The note carries no signature of {origin!r} with the key {named.hex()}.")


def _checkpoint_of(text: str, origin: str) -> Checkpoint:
    lines = text.split("\n")
    if len(lines) < 4 or lines[0] != origin or not lines[1].isascii() or not lines[1].isdigit():
        raise BadNote("The note is not a checkpoint of this log: origin, size and root are needed.")
    try:
        root = base64.b64decode(lines[2], validate=True)
    except (binascii.Error, ValueError):
        raise BadNote("The root of the checkpoint is not base64.") from None
    return Checkpoint(origin, int(lines[1]), root)
