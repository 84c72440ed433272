"""Names of the sample archive's models, units, batches and keys. Each name says that it is sample data."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.core.envelope import sha256_hex
from tools.sample_archive.plan import Plan
from tools.sample_archive.samples import ARCHETYPES

VENDORS = tuple(
    f"Sample {name}"
    for name in (
        *("Aldra", "Borex", "Cindar", "Dovane", "Elvix", "Fardo", "Gantor", "Hexil", "Ingra", "Jorvik"),
        *("Kaldor", "Lumera", "Mandek", "Norvex", "Ostra", "Pelion", "Quarto", "Ravix", "Seldon", "Tarvo"),
    )
)
"""Nobody of these makes drives."""
NOTES = "Sample data by seed_archive: neither this model nor its numbers exist. Nobody measured anything."
BEGIN = datetime(2022, 10, 1, tzinfo=UTC)
SPAN = timedelta(days=4 * 365)
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


def vendor_of(model: int) -> int:
    """Return the place of a model's vendor: the first vendors have most models."""
    share = int.from_bytes(hashlib.sha256(b"vendor %d" % model).digest()[:4]) / 2**32
    return int(len(VENDORS) * share**2.5)


def number_of(plan: Plan, model: int) -> str:
    """Return a model's number, for example `SAL2000NM00417`."""
    drive = ARCHETYPES[int(plan.model_archetype[model])]
    letters = VENDORS[vendor_of(model)].split()[1][:2].upper()
    mid = _LETTERS[model % 23] + _LETTERS[model // 23 % 23]
    return f"S{letters}{drive.capacity_gb}{mid}{model:05d}"


def firmware_of(model: int, index: int) -> str:
    """Return a firmware revision of a model."""
    return f"S{_LETTERS[model % 23]}{index + 1:02d}"


def week_of(plan: Plan, model: int, index: int) -> tuple[int, int]:
    """Return year and ISO week of a model's batch, by its place."""
    weeks = (model * 7 + index * 3) % 500
    return 2010 + weeks // 50, weeks % 50 + 1


def unit_digest(plan: Plan, unit: int) -> str:
    """Return what stands for a unit's serial number."""
    return sha256_hex(b"sample unit %d of seed %d" % (unit, plan.sizes.seed))


@cache
def signing_key(seed: int, index: int) -> tuple[Ed25519PrivateKey, bytes, str]:
    """Return a key with its public half and keyid. Anybody can make the same: it vouches for nothing."""
    secret = hashlib.sha256(b"sample key %d of seed %d" % (index, seed)).digest()
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public = key.public_key().public_bytes_raw()
    return key, public, sha256_hex(public)


def key_of(plan: Plan, unit: int) -> int:
    """Return the place of the key that signs a unit's runs: one contributor has some fifty units."""
    return unit % keys_count(plan)


def keys_count(plan: Plan) -> int:
    """Return how many keys there are."""
    return max(1, len(plan.unit_model) // 50)


def moment_of(plan: Plan, run: int) -> datetime:
    """Return when a run began: evenly over four years, whole seconds."""
    return BEGIN + timedelta(seconds=round(SPAN.total_seconds() * run / plan.sizes.runs))


def time_ids(moments: list[datetime], rng: np.random.Generator) -> list[str]:
    """Return a UUIDv7 for each moment."""
    found = []
    for moment in moments:
        high, low = (int(value) for value in rng.integers(0, 2**62, 2))
        text = f"{int(moment.timestamp() * 1000):012x}7{high & 0xFFF:03x}{low | 2 << 62:016x}"
        found.append(f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}")
    return found
