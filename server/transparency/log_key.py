"""The key that signs heads of the publication log: from `LOG_KEY`, or from a file that is made once.

Which keys signed is kept in the database, so that a machine that lost its key file stops instead of signing
with a key that nobody knows.
"""

from __future__ import annotations

import base64
import binascii
import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from server.core import clock
from server.core.durable import secret_create
from server.transparency.models import LogKey

_SEED_BYTES = 32


def signing_key() -> Ed25519PrivateKey:
    """Return the key; raises ImproperlyConfigured where it is malformed or never signed here."""
    key = _read(settings.LOG_KEY, str(settings.LOG_KEY_FILE))
    public = key.public_key().public_bytes_raw()
    if not LogKey.objects.filter(public_key=public, origin=settings.LOG_ORIGIN).exists():
        if LogKey.objects.exists():
            raise ImproperlyConfigured(
                f"The log's key {public.hex()[:16]} of {settings.LOG_ORIGIN} never signed here; another did. "
                "Restore LOG_KEY (or the file LOG_KEY_FILE) and LOG_ORIGIN, or go over to this key with "
                "`manage.py log_key --adopt`: whoever remembers the old one will be told."
            )
        key_adopt()
    return key


def derived_key(purpose: bytes) -> Ed25519PrivateKey:
    """Return a key of the archive for another purpose, made from the log's: it stays while that one does, and
    what it signs is never taken for a head of the log."""
    seed = signing_key().private_bytes_raw()
    made = HKDF(algorithm=SHA256(), length=_SEED_BYTES, salt=None, info=purpose).derive(seed)
    return Ed25519PrivateKey.from_private_bytes(made)


def key_adopt() -> LogKey:
    """Let the present key sign from now on; the keys before it stay listed."""
    key = _read(settings.LOG_KEY, str(settings.LOG_KEY_FILE))
    found, _created = LogKey.objects.get_or_create(
        public_key=key.public_key().public_bytes_raw(),
        origin=settings.LOG_ORIGIN,
        defaults={"first_used_at": clock.now()},
    )
    return found


def keys_list() -> list[LogKey]:
    """Return the keys that signed heads, the first one first."""
    return list(LogKey.objects.all())


@lru_cache(maxsize=4)
def _read(given: str | None, file: str) -> Ed25519PrivateKey:
    source = "LOG_KEY" if given else f"The file {file}"
    text = given or _file_text(Path(file))
    try:
        seed = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if len(seed) != _SEED_BYTES:
        raise ImproperlyConfigured(
            f"{source} does not hold {_SEED_BYTES} bytes in base64. Make one with `manage.py log_key --new`."
        )
    return Ed25519PrivateKey.from_private_bytes(seed)


def seed_new() -> str:
    """Return a new key as `LOG_KEY` and its file hold it."""
    return base64.b64encode(os.urandom(_SEED_BYTES)).decode()


def _file_text(path: Path) -> str:
    """Return the file's text; make the file where it is missing. Of several makers at once one wins."""
    if not path.exists():
        with suppress(FileExistsError):
            secret_create(path, seed_new() + "\n")
    return path.read_text()
