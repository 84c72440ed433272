"""The signed run documents of the sample archive: whole ones, which the archive itself would take in."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from typing import Any

from server.core.envelope import PAYLOAD_TYPE, pre_authentication_encoding
from tools.sample_archive.identity import (
    VENDORS,
    firmware_of,
    number_of,
    signing_key,
    unit_digest,
    vendor_of,
    week_of,
)
from tools.sample_archive.plan import Plan
from tools.sample_archive.samples import ARCHETYPES, BLOCK_BYTES

LICENSES = ("CC0-1.0", "CC0-1.0", "CC0-1.0", "CC-BY-4.0")
_KERNELS = ("5.10.0", "5.15.0", "6.1.0", "6.6.0")
_PROBE = {"version": "0.1.0", "target": "x86_64-unknown-linux-musl", "commit": None}
_ENVELOPE = (
    '{"payloadType":"%s","payload":"%s","signatures":[{"keyid":"%s","sig":"%s","public_key":"ed25519:%s"}]}'
)


def license_of(run: int) -> str:
    """Return the licence that a run's contributor chose."""
    return LICENSES[run % len(LICENSES)]


def summary_of_run(plan: Plan, run: int, run_id: str, moment: datetime) -> dict[str, Any]:
    """Return a run's document without its benchmarks."""
    unit = int(plan.run_unit[run])
    simulated = bool(plan.model_simulated[plan.unit_model[unit]])
    return {
        "schema": "run/v1",
        "run_id": run_id,
        "created_at": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "provenance": "simulated" if simulated else "probe",
        "license": license_of(run),
        "probe": _PROBE,
        "host": {
            "cpu": "Sample CPU",
            "kernel": _KERNELS[unit % 4],
            "memory_bytes": 8 * 2**30,
            "controller": None,
            "scheduler": "none",
        },
        "device": _device(plan, unit, simulated=simulated),
        "conditions": {
            "writes": "none",
            "write_cache_before": False,
            "write_cache_during": unit % 10 == 0,
            "look_ahead_before": True,
            "look_ahead_during": True,
            "foreign_requests": run % 3,
            "load_average_1min": 0.12,
            "temperature_before_celsius": 28 + run % 9,
            "temperature_after_celsius": 30 + run % 9,
            "interrupted": False,
        },
    }


def _device(plan: Plan, unit: int, *, simulated: bool) -> dict[str, Any]:
    model = int(plan.unit_model[unit])
    drive, batch = ARCHETYPES[int(plan.model_archetype[model])], int(plan.unit_batch[unit])
    made = None
    if batch >= 0:
        year, week = week_of(plan, model, batch)
        made = {"year": year, "week": week, "source": "log_page_0x0e"}
    return {
        "unit_digest": unit_digest(plan, unit),
        "vendor": VENDORS[vendor_of(model)],
        "model": number_of(plan, model),
        "firmware": firmware_of(model, int(plan.unit_firmware[unit])),
        "capacity_bytes": drive.blocks * BLOCK_BYTES,
        "logical_block_bytes": BLOCK_BYTES,
        "physical_block_bytes": BLOCK_BYTES,
        "block_bytes": BLOCK_BYTES,
        "block_bytes_source": "physical",
        "rotational": {
            "value": True,
            "source": "simulated" if simulated else "kernel",
            "kernel_says": None if simulated else True,
        },
        "rotation_rate_rpm": drive.rpm,
        "form_factor": drive.form_factor,
        "interface": "simulated" if simulated else drive.interface,
        "link_speed_bits_per_s": None if simulated else 6_000_000_000,
        "write_cache": {"current": False, "changeable": True, "default": True, "saved": None},
        "manufacture": made,
        "batch_label": None,
        "temperature_celsius": 29,
    }


def envelope_bytes(summary: str, parts: list[str], *, seed: int, key: int) -> bytes:
    """Return the signed envelope around a document whose pieces are JSON."""
    payload = f'{summary[:-1]},"benchmarks":[{",".join(parts)}]}}'.encode()
    private, public, keyid = signing_key(seed, key)
    signature = private.sign(pre_authentication_encoding(PAYLOAD_TYPE, payload))
    text = _ENVELOPE % (
        PAYLOAD_TYPE,
        base64.b64encode(payload).decode(),
        keyid,
        base64.b64encode(signature).decode(),
        base64.b64encode(public).decode(),
    )
    return text.encode()


def compact(value: Any) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
