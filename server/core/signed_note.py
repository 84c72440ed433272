"""Signed notes with an ed25519 key (C2SP signed-note), checkpoints in them (C2SP tlog-checkpoint), and what
witnesses add to those (C2SP tlog-cosignature, its ed25519 form)."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from server.core.text import printable

_ED25519 = b"\x01"
"""The byte by which notes tell this kind of signature from others."""
_COSIGNATURE = b"\x04"
"""The same of a cosignature with its time."""
_HEAD = "\u2014 "
_LONGEST_NAME = 200


class NoteError(Exception):
    """A note is not what it has to be; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: whose it is, how many leaves it has, and the root over them."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Return what is signed: three lines."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def key_id(name: str, public_key: bytes, kind: bytes = _ED25519) -> bytes:
    """Return the four bytes by which a signature names its key."""
    return hashlib.sha256(name.encode() + b"\n" + kind + public_key).digest()[:4]


def verifier_key(name: str, public_key: bytes, *, cosigner: bool = False) -> str:
    """Return the key as one line, `name+id+key`: what tools that verify notes, or cosignatures, are given."""
    kind = _COSIGNATURE if cosigner else _ED25519
    packed = base64.b64encode(kind + public_key).decode()
    return f"{name}+{key_id(name, public_key, kind).hex()}+{packed}"


def verifier_key_open(line: str, *, cosigner: bool = False) -> tuple[str, bytes]:
    """Return name and raw key of a verifier key; raises NoteError where it is none of that kind."""
    kind = _COSIGNATURE if cosigner else _ED25519
    name, _plus, rest = line.strip().partition("+")
    named, _plus, packed = rest.partition("+")
    raw = _unpacked(packed)
    if not name or raw[:1] != kind or len(raw) != 33 or key_id(name, raw[1:], kind).hex() != named:
        raise NoteError(f"{line[:200]!r} is not a verifier key: expected name+id+base64.")
    return name, raw[1:]


def checkpoint_sign(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> str:
    """Return the checkpoint as a signed note; the key bears the origin's name."""
    text = checkpoint.text()
    named = key_id(checkpoint.origin, key.public_key().public_bytes_raw())
    signature = base64.b64encode(named + key.sign(text.encode())).decode()
    return f"{text}\n{_HEAD}{checkpoint.origin} {signature}\n"


def checkpoint_open(note: str, verifier: str) -> Checkpoint:
    """Return the head that a note states and the key of that line signed; raises NoteError."""
    name, public = verifier_key_open(verifier)
    text, signature = _signed(note, name, key_id(name, public))
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, text.encode())
    except (InvalidSignature, ValueError) as error:
        raise NoteError(f"The signature of {name} is wrong.") from error
    return _stated(text, name)


def checkpoint_cosign(note: str, *, name: str, key: Ed25519PrivateKey, at_s: int) -> str:
    """Return a note with a witness's line added: that `name` saw this head, consistent with all that it saw
    of the log before, at a POSIX time. Whoever calls has checked that."""
    text, lines = _parts(note)
    signed = at_s.to_bytes(8, "big") + key.sign(_cosigned(text, at_s))
    named = key_id(name, key.public_key().public_bytes_raw(), _COSIGNATURE)
    return f"{text}\n{lines}{_HEAD}{name} {base64.b64encode(named + signed).decode()}\n"


def cosignature_open(note: str, verifier: str) -> int:
    """Return the POSIX time at which the witness of that line cosigned a note; raises NoteError where it did
    not, or not this one."""
    name, public = verifier_key_open(verifier, cosigner=True)
    text, signed = _signed(note, name, key_id(name, public, _COSIGNATURE))
    at_s = int.from_bytes(signed[:8], "big")
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signed[8:], _cosigned(text, at_s))
    except (InvalidSignature, ValueError) as error:
        raise NoteError(f"The cosignature of {name} is wrong.") from error
    return at_s


def _cosigned(text: str, at_s: int) -> bytes:
    return f"cosignature/v1\ntime {at_s}\n{text}".encode()


def _parts(note: str) -> tuple[str, str]:
    """Return text and signature lines of a note, each with the line feed at its end."""
    text, there, lines = note.rpartition("\n\n")
    if not there or not lines.endswith("\n") or "\t" in note or "\r" in note or printable(note) != note:
        raise NoteError("The head is not a signed note.")
    return f"{text}\n", lines


def _signed(note: str, name: str, named: bytes) -> tuple[str, bytes]:
    """Return a note's text, and the bytes of the signature by the key of that name and id."""
    text, lines = _parts(note)
    for line in lines.split("\n"):
        who, _space, packed = line.removeprefix(_HEAD).rpartition(" ")
        if line.startswith(_HEAD) and who == name and (raw := _unpacked(packed))[:4] == named:
            return text, raw[4:]
    raise NoteError(f"The head is not signed by {name}.")


def _stated(text: str, name: str) -> Checkpoint:
    origin, size, root, *_extensions = [*text.split("\n"), "", "", ""]
    hashed = _unpacked(root)
    plain = size.isascii() and size.isdigit() and len(size) <= 18 and (size == "0" or size[0] != "0")
    if origin != name or len(origin) > _LONGEST_NAME or not plain or len(hashed) != 32:
        raise NoteError("The note is not a checkpoint: expected name, size and root, a line each.")
    return Checkpoint(origin, int(size), hashed)


def _unpacked(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
