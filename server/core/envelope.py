"""The DSSE envelope (Dead Simple Signing Envelope, protocol v1) around a run document or a command."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from server.core.problems import ErrorItem, problem

PAYLOAD_TYPE = "application/vnd.diskatlas.run+json"
COMMAND_TYPE = "application/vnd.diskatlas.command+json"
"""What the holder of a key asks for. The type is signed, so that neither is ever taken for the other."""
ALGORITHM = "ed25519"
_KEY_BYTES = 32
_MEMBERS = frozenset({"payloadType", "payload", "signatures"})
_SIGNATURE_MEMBERS = frozenset({"keyid", "sig", "public_key"})
MAX_FRAME_BYTES = 4096
"""What an envelope may take beside its payload: its members take 400 bytes, and space is not signed."""
_SMALL_ORDER_Y = frozenset(
    {
        *(y % 2**255 for y in (0, 1, 2**255 - 20, 2**255 - 19, 2**255 - 18)),
        int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16),
        int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16),
    }
)
"""The y of every encoding of a point whose order divides 8 (RFC 8032, sections 5.1.2 and 5.1.7). Such a key
fits signatures of messages that nobody signed."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """A well-formed envelope; its signature is not yet checked."""

    payload: bytes
    keyid: str
    signature: bytes
    public_key: bytes | None
    """The raw key sent along, 32 bytes; its SHA-256 is `keyid`."""
    payload_type: str = PAYLOAD_TYPE


def sha256_hex(content: bytes) -> str:
    """Return the lower-case hex SHA-256."""
    return hashlib.sha256(content).hexdigest()


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """Return the bytes that are signed (DSSE protocol v1, PAE)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def envelope_parse(data: Any, payload_type: str = PAYLOAD_TYPE) -> Envelope:
    """Check the form of an envelope around that type; raises Problem with the place that is wrong."""
    if not isinstance(data, dict) or not {"payloadType", "payload", "signatures"} <= data.keys():
        raise _not_an_envelope("", "Not a DSSE envelope: payloadType, payload and signatures are needed.")
    _check_members(data, _MEMBERS, "")
    _check_payload_type(data["payloadType"], payload_type)
    payload = _decode(data["payload"], "/payload")
    signatures = data["signatures"]
    if not isinstance(signatures, list) or len(signatures) != 1 or not isinstance(signatures[0], dict):
        raise _not_an_envelope("/signatures", "An envelope carries exactly one signature. Sign with one key.")
    entry = signatures[0]
    _check_members(entry, _SIGNATURE_MEMBERS, "/signatures/0")
    keyid = entry.get("keyid")
    if not isinstance(keyid, str) or len(keyid) != 64 or set(keyid) - set("0123456789abcdef"):
        raise _not_an_envelope(
            "/signatures/0/keyid", "keyid must be the lower-case hex SHA-256 of the public key."
        )
    signature = _decode(entry.get("sig"), "/signatures/0/sig")
    return Envelope(payload, keyid, signature, _public_key(entry.get("public_key"), keyid), payload_type)


def signature_check(envelope: Envelope, public_key: bytes) -> None:
    """Check the signature over the payload with the raw public key; raises Problem where it does not fit."""
    if int.from_bytes(public_key, "little") % 2**255 in _SMALL_ORDER_Y:
        raise problem(
            "bad-signature",
            "The public key is a point of small order, whose signatures prove nothing. Make a key with "
            "`diskatlas key new` and measure again.",
            ErrorItem("/signatures/0/public_key", "is a point of small order"),
        )
    message = pre_authentication_encoding(envelope.payload_type, envelope.payload)
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(envelope.signature, message)
    except InvalidSignature:
        raise problem(
            "bad-signature",
            "The signature does not fit the payload: the bytes were changed after signing, or "
            "another key signed "
            "them. Send the file as the probe wrote it.",
            ErrorItem("/signatures/0/sig", "does not verify"),
        ) from None


def frame_check(envelope: Envelope, size_bytes: int) -> None:
    """Raise Problem for an envelope padded with what its key did not sign."""
    frame = size_bytes - 4 * -(-len(envelope.payload) // 3)
    if frame > MAX_FRAME_BYTES:
        raise _not_an_envelope(
            "",
            f"The envelope has {frame} bytes beside its payload; the limit is {MAX_FRAME_BYTES}. Send the "
            "file as the probe wrote it.",
        )


def _check_members(data: dict[str, Any], known: frozenset[str], path: str) -> None:
    if unknown := sorted(data.keys() - known):
        name = unknown[0][:60]
        raise _not_an_envelope(
            f"{path}/{name}",
            f"The member {name!r} is not signed and not known; known are {', '.join(sorted(known))}. Send "
            "the file as the probe wrote it.",
        )


def _check_payload_type(value: Any, known: str) -> None:
    if value != known:
        raise problem(
            "unknown-payload-type",
            f"The payload type is {str(value)[:100]!r}; {known} is read here.",
            ErrorItem("/payloadType", f"must be {known}"),
        )


def _public_key(value: Any, keyid: str) -> bytes | None:
    path = "/signatures/0/public_key"
    if value is None:
        return None
    algorithm, colon, encoded = value.partition(":") if isinstance(value, str) else ("", "", "")
    if not colon:
        raise _not_an_envelope(path, "public_key must be the algorithm, a colon and the key in base64.")
    if algorithm != ALGORITHM:
        raise problem(
            "unknown-key-algorithm",
            f"The key's algorithm is {algorithm[:40]!r}; this archive knows {ALGORITHM} only. Sign "
            f"with such a key.",
            ErrorItem(path, f"must begin with {ALGORITHM}:"),
        )
    key = _decode(encoded, path)
    if len(key) != _KEY_BYTES:
        raise _not_an_envelope(
            path, f"An {ALGORITHM} public key has {_KEY_BYTES} bytes; this one has {len(key)}."
        )
    if sha256_hex(key) != keyid:
        raise problem(
            "bad-signature",
            "keyid is not the SHA-256 of the public key sent along. Send the file as the probe wrote it.",
            ErrorItem("/signatures/0/keyid", "does not belong to public_key"),
        )
    return key


def _decode(value: Any, path: str) -> bytes:
    if not isinstance(value, str):
        raise _not_an_envelope(path, "must be a string of base64.")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise problem(
            "bad-base64",
            f"{path} is not base64 ({error}). Use the standard alphabet with padding.",
            ErrorItem(path, "is not standard base64 with padding"),
        ) from None


def _not_an_envelope(path: str, message: str) -> Exception:
    return problem("not-an-envelope", f"{message} (at {path or 'the top'})", ErrorItem(path, message))
