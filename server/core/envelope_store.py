"""The storage of envelopes: content-addressed, compressed, never changed."""

from __future__ import annotations

import zstandard
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from server.core.envelope import sha256_hex


class EnvelopeLost(Exception):
    """The storage backend has no bytes, or other bytes, under an envelope's name."""


def _storage() -> Storage:
    return storages["envelopes"]


def envelope_name(digest: str) -> str:
    """Return the name under which the envelope with that SHA-256 is stored."""
    return f"{digest[:2]}/{digest[2:4]}/{digest}.json.zst"


def envelope_store(*, digest: str, content: bytes) -> str:
    """Store the envelope's bytes and return their name. Storing the same bytes again changes nothing."""
    name = envelope_name(digest)
    storage = _storage()
    if not storage.exists(name):
        storage.save(name, ContentFile(zstandard.ZstdCompressor(level=6).compress(content)))
    return name


def envelope_load(*, digest: str, name: str) -> bytes:
    """Return the envelope's bytes; raises EnvelopeLost where they are missing or are not those of the
    digest."""
    try:
        with _storage().open(name, "rb") as file:
            packed = file.read()
        content = zstandard.ZstdDecompressor().decompress(packed)
    except FileNotFoundError:
        raise EnvelopeLost(
            f"No envelope is stored under {name}. Restore it from a backup of the storage."
        ) from None
    except zstandard.ZstdError as error:
        raise EnvelopeLost(
            f"The stored envelope {name} is damaged ({error}). Restore it from a backup."
        ) from error
    if sha256_hex(content) != digest:
        raise EnvelopeLost(f"The stored envelope {name} does not have its digest. Restore it from a backup.")
    return content


def envelope_delete(*, name: str) -> None:
    """Remove an envelope's bytes; only those of rejected documents ever are."""
    _storage().delete(name)
