"""Run documents out of stored envelopes, and how many samples one holds."""

from __future__ import annotations

from typing import Any, Protocol

import orjson

from server.benchmarks.contract import Facts
from server.benchmarks.registry import kinds_by_slug
from server.core.envelope import Envelope, envelope_parse
from server.core.envelope_store import envelope_load
from server.core.text import printable_tree


class StoredEnvelope(Protocol):
    """What a submission says of where its envelope lies."""

    digest: str
    storage_name: str


# ---- How many samples a run document holds.

TIME_COLUMNS = ("latency_ns", "elapsed_ns")


def timings_count(samples: Any) -> int:
    """Return how many timings a kind's samples hold: the entries of all columns `latency_ns` and
    `elapsed_ns`.

    That is one for each request, or stretch of requests, that was timed and kept; it names no kind, since
    these columns mean the same in every one.
    """
    if isinstance(samples, list):
        holds_more = bool(samples) and isinstance(samples[0], dict | list)
        return sum(map(timings_count, samples)) if holds_more else 0
    if not isinstance(samples, dict):
        return 0
    own = sum(len(samples[name]) for name in TIME_COLUMNS if isinstance(samples.get(name), list))
    return own + sum(timings_count(value) for name, value in samples.items() if name not in TIME_COLUMNS)


def envelope_of(submission: StoredEnvelope) -> Envelope:
    """Return the stored envelope; raises EnvelopeLost."""
    content = envelope_load(digest=submission.digest, name=submission.storage_name)
    return envelope_parse(orjson.loads(content))


def document_load(submission: StoredEnvelope) -> dict[str, Any]:
    """Return the run document of a submission whose document was found valid; raises EnvelopeLost."""
    return document_in(envelope_of(submission))


def document_in(envelope: Envelope) -> dict[str, Any]:
    """Return the run document in a stored envelope."""
    document: dict[str, Any] = orjson.loads(envelope.payload)
    return document


def facts_of(document: dict[str, Any], part: dict[str, Any]) -> Facts:
    """Return what extraction of one benchmark may use of the device."""
    device = document["device"]
    rate = device.get("rotation_rate_rpm")
    return Facts(
        block_bytes=device["block_bytes"],
        capacity_bytes=device["capacity_bytes"],
        rated_rpm=float(rate) if rate else None,
        simulated=document["provenance"] == "simulated",
        imported=document["provenance"] == "imported",
        write_cache=_write_cache(document, part),
        head_spread=_head_spread(document, part),
        arms=len(device.get("access_ranges", ())) or 1,
        shingled="shingled" in device,
    )


def _head_spread(document: dict[str, Any], part: dict[str, Any]) -> float:
    """Return by what share heads differ, as the kind of the run says that tells; 0 where none does."""
    kind = kinds_by_slug().get(part["kind"])
    if kind is None or not kind.reads_stretches:
        return 0.0
    others = ((kinds_by_slug().get(one["kind"]), one) for one in document["benchmarks"] if "samples" in one)
    return max(
        (other.head_spread(one, document["device"]["block_bytes"]) for other, one in others
         if other is not None and other.head_spread is not None),
        default=0.0,
    )  # fmt: skip


def _write_cache(document: dict[str, Any], part: dict[str, Any]) -> bool | None:
    """Return the state of the write cache during one benchmark; the run's where that does not say."""
    caches = part.get("caches")
    state: bool | None = caches["write"] if caches else document["conditions"].get("write_cache_during")
    return state


def summary_of(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without samples, params and errors: what a run page says of the measurement.

    Its texts are `printable`: what is shown is what stands there. The envelope keeps every byte.
    """
    return {key: printable_tree(value) for key, value in document.items() if key != "benchmarks"}
