"""Whether a document that fits its schema also agrees with itself.

The rules go by field names that mean the same in every kind: lists beside each other in one object of
`samples` are
columns and equally long, and the names below are absolute block addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from server.core.problems import ErrorItem

ADDRESS_FIELDS = frozenset({"start_block", "offset_blocks", "from_blocks", "to_blocks"})
"""Absolute block addresses, as a number or a column."""

WRITING = frozenset({"write", "mixed"})
"""Variants of a series that write."""


def inconsistencies(document: dict[str, Any]) -> list[ErrorItem]:
    """Return every contradiction found, in the document's order."""
    device = document["device"]
    blocks = device["capacity_bytes"] // device["block_bytes"]
    errors = [*_provenance_errors(document), *_device_errors(device)]
    errors += _kind_errors(document["benchmarks"])
    for position, part in enumerate(document["benchmarks"]):
        if "skipped" in part:
            continue
        path = f"/benchmarks/{position}"
        block_bytes = part["params"].get("block_bytes", device["block_bytes"])
        if block_bytes != device["block_bytes"]:
            message = f"is {block_bytes}, but /device/block_bytes is {device['block_bytes']}."
            errors.append(ErrorItem(f"{path}/params/block_bytes", message))
        errors += _sample_errors(part["samples"], f"{path}/samples", blocks)
        if document["conditions"]["writes"] == "none":
            errors += _write_errors(part["samples"], f"{path}/samples")
        for number, failure in enumerate(part["errors"]):
            if failure["offset_bytes"] >= device["capacity_bytes"]:
                errors.append(
                    ErrorItem(f"{path}/errors/{number}/offset_bytes", "lies beyond the device's end.")
                )
    return errors


def _provenance_errors(document: dict[str, Any]) -> Iterator[ErrorItem]:
    """An import names its source, and nothing else does."""
    imported, named = document["provenance"] == "imported", "imported" in document
    if imported and not named:
        yield ErrorItem("/imported", "is missing; an imported run names what it was read from.")
    if named and not imported:
        yield ErrorItem("/imported", f"stands in a run whose /provenance is {document['provenance']}.")


def _device_errors(device: dict[str, Any]) -> Iterator[ErrorItem]:
    named = device[f"{device['block_bytes_source']}_block_bytes"]
    if device["block_bytes"] != named:
        message = (
            f"is {device['block_bytes']}, but the {device['block_bytes_source']} block has {named} bytes."
        )
        yield ErrorItem("/device/block_bytes", message)
    if device["capacity_bytes"] < device["block_bytes"]:
        yield ErrorItem("/device/capacity_bytes", "is less than one block.")


def _kind_errors(parts: list[dict[str, Any]]) -> list[ErrorItem]:
    errors: list[ErrorItem] = []
    seen: set[str] = set()
    for position, part in enumerate(parts):
        if part["kind"] in seen:
            message = f"{part['kind']!r} stands twice; a run holds each kind once."
            errors.append(ErrorItem(f"/benchmarks/{position}/kind", message))
        seen.add(part["kind"])
    if all("skipped" in part for part in parts):
        errors.append(ErrorItem("/benchmarks", "holds no measurement: every kind was skipped."))
    return errors


def _sample_errors(node: Any, path: str, blocks: int) -> Iterator[ErrorItem]:
    if isinstance(node, list):
        for number, child in enumerate(node):
            if isinstance(child, dict | list):
                yield from _sample_errors(child, f"{path}/{number}", blocks)
        return
    if not isinstance(node, dict):
        return
    columns = {key: value for key, value in node.items() if _is_column(value)}
    yield from _length_errors(columns, path)
    for key in ADDRESS_FIELDS & node.keys():
        yield from _address_errors(node[key], f"{path}/{key}", blocks)
    if _equally_long(columns, "offset_blocks", "length_blocks"):
        yield from _extent_errors(columns, path, blocks)
    for key, value in node.items():
        if key not in columns:
            yield from _sample_errors(value, f"{path}/{key}", blocks)


def _write_errors(samples: dict[str, Any], path: str) -> Iterator[ErrorItem]:
    """Name the series that wrote in a run that says it wrote nothing."""
    for number, series in enumerate(samples.get("series", ())):
        if (variant := series.get("variant")) in WRITING:
            message = f"is {variant}, but /conditions/writes is none."
            yield ErrorItem(f"{path}/series/{number}/variant", message)


def _is_column(value: Any) -> bool:
    return isinstance(value, list) and not (value and isinstance(value[0], dict | list))


def _length_errors(columns: dict[str, list[int]], path: str) -> Iterator[ErrorItem]:
    """Name the columns that differ in length from the first one."""
    names = iter(columns)
    first = next(names, None)
    if first is None:
        return
    for name in names:
        if len(columns[name]) != len(columns[first]):
            message = (
                f"has {len(columns[name])} entries, but {first} beside it has {len(columns[first])}; "
                "columns of one series are equally long."
            )
            yield ErrorItem(f"{path}/{name}", message)


def _address_errors(value: Any, path: str, blocks: int) -> Iterator[ErrorItem]:
    addresses = np.atleast_1d(np.asarray(value, dtype=np.int64))
    wrong = np.flatnonzero((addresses < 0) | (addresses >= blocks))
    if wrong.size:
        index = int(wrong[0])
        where = f"{path}/{index}" if isinstance(value, list) else path
        yield ErrorItem(
            where, f"is block {int(addresses[index])}; the device has the blocks 0 to {blocks - 1}."
        )


def _equally_long(columns: dict[str, list[int]], *names: str) -> bool:
    return set(names) <= columns.keys() and len({len(columns[name]) for name in names}) == 1


def _extent_errors(columns: dict[str, list[int]], path: str, blocks: int) -> Iterator[ErrorItem]:
    ends = np.asarray(columns["offset_blocks"], dtype=np.int64) + np.asarray(
        columns["length_blocks"], dtype=np.int64
    )
    wrong = np.flatnonzero(ends > blocks)
    if wrong.size:
        index = int(wrong[0])
        yield ErrorItem(f"{path}/length_blocks/{index}", f"reaches to block {int(ends[index])} of {blocks}.")
