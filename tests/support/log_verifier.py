"""What a reader of the publication log does: opens signed checkpoints, and checks proofs (RFC 9162).

The archive only writes these. Readers have `diskatlas verify --log`, or any library of their language.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from server.core.merkle import EMPTY_ROOT, node_hash
from server.core.signed_note import Checkpoint, key_id

HEAD = "\u2014 "


class BadNote(Exception):
    """The note is malformed, or not signed by the key; its words say which."""


def inclusion_holds(index: int, size: int, hashed: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether the path leads from the leaf's hash to the root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last = index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            hashed = node_hash(sibling, hashed)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            hashed = node_hash(hashed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and hashed == root


def consistency_holds(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Return whether the proof leads to both roots (RFC 9162, 2.1.4.2)."""
    if first == 0:
        return not proof and first_root == EMPTY_ROOT
    if first == second:
        return not proof and first_root == second_root
    if first > second or not proof:
        return False
    path = list(proof) if first & (first - 1) else [first_root, *proof]
    node, last = first - 1, second - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


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
        name, _space, encoded = line.removeprefix(HEAD).partition(" ")
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
