"""Run documents and envelopes for tests, from formulas simple enough to check by hand. Sample data, no
drive's."""

from __future__ import annotations

import base64
import hashlib
import json
from copy import deepcopy
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.core.envelope import PAYLOAD_TYPE, pre_authentication_encoding
from server.core.ids import uuid7

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
CAPACITY_BLOCKS = 4_000_000
ROTATION_NS = 8_333_333
TRACK_BLOCKS = 100


def skippy_part(*, rotation_ns: int = ROTATION_NS, steps: int = 150) -> dict[str, Any]:
    """Return a SKIPPY part: a sawtooth of one turn's height on a drive of 100 blocks per track, without
    noise."""
    step_blocks = list(range(steps))
    block_ns = rotation_ns // TRACK_BLOCKS
    media_ns = 2_000_000
    latency_ns = []
    for step in step_blocks:
        wait_ns = (step + 1) * block_ns % rotation_ns
        while wait_ns < media_ns:
            wait_ns += rotation_ns
        latency_ns.append(wait_ns)
    offsets, position = [], 0
    for step in step_blocks:
        position += step + 1
        offsets.append(position)
    series = {
        "variant": "write",
        "region": "outer",
        "pattern": "increasing",
        "repeat": 0,
        "start_block": 0,
        "step_blocks": step_blocks,
        "offset_blocks": offsets,
        "latency_ns": latency_ns,
    }
    params = {"block_bytes": 512, "rotation_estimate_ns": rotation_ns, "repeats": 1}
    return _part("skippy", params, [series], sum(latency_ns))


def zoned_part(*, regions: int = 32) -> dict[str, Any]:
    """Return a ZONED part: bandwidth falls in two steps from the outer to the inner edge."""
    length = 2048
    offsets = [n * (CAPACITY_BLOCKS - length) // (regions - 1) for n in range(regions)]
    elapsed = [10_000_000 if n < regions // 2 else 15_000_000 for n in range(regions)]
    lengths = [length] * regions
    series = {"repeat": 0, "offset_blocks": offsets, "length_blocks": lengths, "elapsed_ns": elapsed}
    params = {"block_bytes": 512, "mode": "sampled", "transfer_blocks": 128}
    return _part("zoned", params, [series], sum(elapsed))


def _part(kind: str, params: dict[str, Any], series: list[dict[str, Any]], elapsed_ns: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "version": 1,
        "params": params,
        "samples": {"series": series},
        "elapsed_ns": elapsed_ns,
        "interference": {"foreign_requests": 0, "involuntary_context_switches": 0},
        "errors": [],
    }


def document(*parts: dict[str, Any], provenance: str = "probe", **device: Any) -> dict[str, Any]:
    """Return a valid run document with a new identity; keyword arguments replace fields of `device`."""
    simulated = provenance == "simulated"
    return {
        "schema": "run/v1",
        "run_id": str(uuid7()),
        "created_at": "2026-01-02T03:04:05Z",
        "provenance": provenance,
        "license": "CC0-1.0",
        "probe": {"version": "0.1.0", "target": "x86_64-unknown-linux-musl", "commit": None},
        "host": {"cpu": None, "kernel": None, "memory_bytes": None, "controller": None, "scheduler": None},
        "device": {
            "unit_digest": "ab" * 32,
            "vendor": "ACME",
            "model": "SAMPLE-1",
            "firmware": "1.0",
            "capacity_bytes": CAPACITY_BLOCKS * 512,
            "logical_block_bytes": 512,
            "physical_block_bytes": 512,
            "block_bytes": 512,
            "block_bytes_source": "physical",
            "rotational": {
                "value": True,
                "source": "simulated" if simulated else "kernel",
                "kernel_says": None,
            },
            "rotation_rate_rpm": 7200,
            "form_factor": None,
            "interface": "simulated" if simulated else "scsi",
            "link_speed_bits_per_s": None,
            "write_cache": {"current": False, "changeable": None, "default": None, "saved": None},
            "manufacture": None,
            "batch_label": None,
            "temperature_celsius": None,
            **device,
        },
        "conditions": {
            "writes": "preserve",
            "write_cache_before": False,
            "write_cache_during": False,
            "look_ahead_before": None,
            "look_ahead_during": None,
            "foreign_requests": 0,
            "load_average_1min": None,
            "temperature_before_celsius": None,
            "temperature_after_celsius": None,
            "interrupted": False,
        },
        "benchmarks": deepcopy(list(parts)) or [skippy_part(), zoned_part()],
    }


def envelope(
    payload: dict[str, Any] | bytes,
    key: Ed25519PrivateKey = KEY,
    *,
    with_key: bool = True,
    payload_type: str = PAYLOAD_TYPE,
) -> bytes:
    """Return the signed envelope's bytes."""
    raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    public = key.public_key().public_bytes_raw()
    signature = {
        "keyid": hashlib.sha256(public).hexdigest(),
        "sig": base64.b64encode(key.sign(pre_authentication_encoding(payload_type, raw))).decode(),
    }
    if with_key:
        signature["public_key"] = "ed25519:" + base64.b64encode(public).decode()
    return json.dumps(
        {"payloadType": payload_type, "payload": base64.b64encode(raw).decode(), "signatures": [signature]}
    ).encode()


def keyid(key: Ed25519PrivateKey = KEY) -> str:
    """Return a key's name."""
    return hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()
