"""Signed runs to upload: what the probe measures of simulated drives, claimed to be of disks.

No two have the same samples, which a check would hold: each quick or standard run is measured on a seed of
its own, and small ones are some measured runs with the noise of a machine added, anew for each.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from server.core.envelope import sha256_hex
from tests.support import forging
from tests.support.documents import KEY, envelope
from tools.release.native import built_probe
from tools.sample_archive.documents import summary_of_run
from tools.sample_archive.plan import Sizes, plan_make
from tools.sample_archive.samples import ARCHETYPES, FORMULAS, MOST_LEVEL

Document = dict[str, Any]
DRIVES = ("samsung-hd103sj", "ibm-ultrastar-xp", "modern-20tb", "quantum-fireball", "seagate-hawk")
SMALL = ("zoned", "bandwidth", "positional", "access")
"""Kinds of the quick suite that together give about 60 numbers."""
SEEDED = ("zoned", "positional", "access")
SUITES = {"small": "quick", "quick": "quick", "standard": "standard"}
NOISE_NS = 2000.0
SEEDS_OF_SMALL = 8
MODELS_PER_DRIVE = 4


@dataclass(frozen=True, slots=True)
class Upload:
    """A request's body, and how large the envelope in it is."""

    body: bytes
    """The envelope packed by zstd, as the probe sends it."""
    size_bytes: int


def pool_make(kind: str, count: int) -> list[Upload]:
    """Return `count` runs of the kind, spread over models that no archive knows yet."""
    drives = DRIVES[:2] if kind == "standard" else DRIVES
    per_drive = SEEDS_OF_SMALL if kind == "small" else -(-count // len(drives))
    first = 1 if kind == "small" else secrets.randbelow(10**9)
    wanted = [(drive, first + seed, kind) for seed in range(per_drive) for drive in drives]
    with ThreadPool(os.cpu_count()) as threads:
        bases = threads.starmap(_measured, wanted[:count])
    tag, random = secrets.token_hex(3), np.random.default_rng()
    made = []
    for number in range(count):
        base = bases[number % len(bases)]
        # No maker numbers drives like this: each stays a model of its own.
        model = f"SAMPLE-{tag}-{number % len(drives)}-{number // len(drives) % MODELS_PER_DRIVE}"
        made.append(_upload(base, random if kind == "small" else None, model=model))
    return made


def pool_of_largest(runs: int, count: int) -> list[Upload]:
    """Return `count` runs of the model that has most of them in a sample archive of `runs` runs."""
    random, made = np.random.default_rng(), []
    for level in random.integers(-MOST_LEVEL, MOST_LEVEL, count):
        base = _base_of_largest(runs, int(level))
        made.append(_upload(base, random, model=base["device"]["model"]))
    return made


@cache
def _measured(drive: str, seed: int, kind: str) -> Document:
    probe = built_probe()
    if probe is None:
        raise SystemExit("bench-ingest: there is no probe. Build it: make probe")
    only = ["--only", ",".join(SMALL)] if kind == "small" else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        command = [str(probe), "run", f"sim:{drive},seed={seed}", "--suite", SUITES[kind], *only]
        subprocess.run(
            [*command, "--license", "CC0-1.0", "-o", str(file)],
            env={"HOME": folder, "DISKATLAS_KEY": f"{folder}/key"},
            check=True,
            capture_output=True,
        )
        document = json.loads(base64.b64decode(json.loads(file.read_bytes())["payload"]))
    return forging.claimed_real(document)


@cache
def _base_of_largest(runs: int, level: int) -> Document:
    """Return a run of the largest model, of a unit as fast as the level says."""
    plan = plan_make(Sizes(max(runs // 100, 1), max(runs // 10, 1), runs, seed=1))
    model = int(np.argmax(plan.model_runs))
    run = int(np.argmax(plan.unit_model[plan.run_unit] == model))
    drive = ARCHETYPES[int(plan.model_archetype[model])]
    document = summary_of_run(plan, run, "", datetime.now(UTC))
    document["benchmarks"] = [FORMULAS[kind](drive, level) for kind in SEEDED]
    return document


def _upload(base: Document, noise: np.random.Generator | None, *, model: str) -> Upload:
    unit = sha256_hex(secrets.token_bytes(16))
    document = forging.renewed(base, model=model, unit_digest=unit)
    if noise is not None:
        document = forging.noisy(document, NOISE_NS, noise)
    document["created_at"] = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    content = envelope(json.dumps(document, separators=(",", ":")).encode(), KEY)
    return Upload(zstandard.ZstdCompressor(level=3).compress(content), len(content))


def size_words(uploads: Sequence[Upload]) -> str:
    """Return the smallest and the largest envelope in words."""
    low, high = min(one.size_bytes for one in uploads), max(one.size_bytes for one in uploads)
    return f"{low / 1e3:,.0f} to {high / 1e3:,.0f} kB"
