"""A run's evidence without a database: the document, what extraction takes from it, and what it says of
itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from server.benchmarks.contract import Facts, Quality
from server.benchmarks.registry import KINDS
from server.plausibility.evidence import Evidence, ModelFacts, Number, PeerUnit


def evidence_of(
    document: dict[str, Any],
    *,
    rated_rpm: float | None = None,
    peers: tuple[PeerUnit, ...] = (),
    numbers: tuple[Number, ...] | None = None,
) -> Evidence:
    """Return the evidence of a document; the model is known by the device's own capacity and rotation."""
    device = document["device"]
    model = ModelFacts(
        title=device["model"],
        curated=True,
        capacity_bytes=device["capacity_bytes"],
        rated_rpm=rated_rpm or device["rotation_rate_rpm"],
    )
    found = tuple(numbers_of(document)) if numbers is None else numbers
    return Evidence(document=document, numbers=found, model=model, peers=peers)


def numbers_of(document: dict[str, Any]) -> Iterator[Number]:
    """Return every number that extraction takes from a document."""
    kinds = {kind.slug: kind for kind in KINDS}
    for part in document["benchmarks"]:
        if "skipped" in part:
            continue
        kind = kinds[part["kind"]]
        metrics = {metric.key: metric for metric in kind.metrics}
        for entry in kind.extract(part, facts_of(document, part)).measurements:
            metric = metrics[entry.metric]
            if entry.value is not None and entry.quality is not Quality.NONE:
                yield Number(
                    entry.metric,
                    entry.scope,
                    entry.value,
                    entry.low,
                    entry.high,
                    entry.quality.value,
                    metric.unit,
                    metric.title,
                    metric.headline,
                )


def facts_of(document: dict[str, Any], part: dict[str, Any]) -> Facts:
    """Return what extraction may know, as the archive gives it."""
    device, caches = document["device"], part.get("caches")
    rate = device["rotation_rate_rpm"]
    return Facts(
        block_bytes=device["block_bytes"],
        capacity_bytes=device["capacity_bytes"],
        rated_rpm=float(rate) if rate else None,
        simulated=document["provenance"] == "simulated",
        write_cache=caches["write"] if caches else document["conditions"].get("write_cache_during"),
    )


def as_measured(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as if a real disk had been measured, so that the checks for real disks look at
    it too."""
    device = document["device"] | {"interface": "scsi"}
    device["rotational"] = device["rotational"] | {"source": "kernel"}
    return document | {"provenance": "probe", "device": device}
