"""Whether a run document is what its schemas and its own words say. Raises problems, decides nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from operator import add
from pathlib import Path
from typing import Any

import jsonschema_rs

from server.benchmarks.registry import kinds_by_slug
from server.core import schema as core_schema
from server.core.problems import ErrorItem, problem
from server.core.text import counted

LICENSES = ("CC0-1.0", "CC-BY-4.0")
_MAX_ERRORS = 20
_MAX_MESSAGE = 240


def document_validate(document: Any, *, now: datetime, tolerance: timedelta) -> None:
    """Check a run document; raises Problem with every place that is wrong, up to twenty."""
    schema_check(_run_validator(), document, prefix="", what="run/v1")
    _check_consent(document["license"])
    for position, part in enumerate(document["benchmarks"]):
        kind_check(part, f"/benchmarks/{position}")
    errors = inconsistencies(document)
    if errors:
        first = errors[0]
        raise problem(
            "implausible-document",
            f"The document contradicts itself in {counted(len(errors), 'place')}; the first: {first.path}: "
            f"{first.message} "
            "Keep the file and report it together with the probe's version.",
            *errors[:_MAX_ERRORS],
        )
    _check_date(document["created_at"], now, tolerance)


def _check_consent(license: str | None) -> None:
    if license is None:
        raise problem(
            "no-licence",
            "The document states no licence, and an archive publishes only what its contributor gave away. "
            "Nothing of it was kept. Choose one: "
            "`diskatlas submit FILE --server URL --license CC0-1.0` (or CC-BY-4.0).",
            ErrorItem("/license", "must be CC0-1.0 or CC-BY-4.0"),
        )


def kind_check(part: dict[str, Any], path: str) -> None:
    """Check an entry of `benchmarks` against the schema of its kind; raises Problem."""
    kind = kinds_by_slug().get(part["kind"])
    if kind is None:
        known = ", ".join(kinds_by_slug())
        raise problem(
            "unknown-kind",
            f"The kind {part['kind']!r} is not known here; known are {known}. The archive may be "
            f"older than the probe: "
            "keep the file and submit it once the archive knows the kind.",
            ErrorItem(f"{path}/kind", f"must be one of {known}"),
        )
    if "skipped" in part:
        return
    validator = _kind_validator(kind.folder, part["version"])
    if validator is None:
        raise problem(
            "unknown-kind",
            f"Version {part['version']} of the kind {kind.slug!r} is not known here. Keep the file "
            f"and submit it once "
            "the archive knows the version.",
            ErrorItem(f"{path}/version", "is not a known version"),
        )
    schema_check(validator, part, prefix=path, what=f"{kind.slug}/v{part['version']}")


_REMEDY = (
    "`diskatlas verify FILE` shows the same offline; keep the file and report it if the probe wrote it so."
)


def schema_check(validator: Any, instance: Any, *, prefix: str, what: str, remedy: str = _REMEDY) -> None:
    """Check what came against a schema; raises Problem with every place that is wrong, up to twenty."""
    errors: list[ErrorItem] = []
    for error in validator.iter_errors(instance):
        errors.append(ErrorItem(prefix + _pointer(error.instance_path), _shorten(error.message)))
        if len(errors) == _MAX_ERRORS:
            break
    if errors:
        first = errors[0]
        raise problem(
            "schema-violation",
            f"The document breaks the schema {what} at {first.path or 'the top'}: {first.message}. {remedy}",
            *errors,
        )


def _check_date(text: str, now: datetime, tolerance: timedelta) -> None:
    path = "/created_at"
    try:
        created_at = datetime.fromisoformat(text)
    except ValueError:
        raise problem(
            "schema-violation", f"{text} is not a date of the calendar.", ErrorItem(path, "no such date")
        ) from None
    if created_at > now + tolerance:
        raise problem(
            "future-date",
            f"The run is dated {text}, which is later than the archive's clock "
            f"({now:%Y-%m-%dT%H:%M:%SZ}) by more than "
            f"{tolerance}. Set the machine's clock and measure again.",
            ErrorItem(path, f"lies more than {tolerance} ahead"),
        )


@cache
def _run_validator() -> Any:
    return _validator(Path(core_schema.__file__).parent / "run-v1.json")


@cache
def command_validator(action: str) -> Any:
    """Return what holds a signed command against the schema of its action."""
    schema = json.loads((Path(core_schema.__file__).parent / "command-v1.json").read_text())
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/$defs/{action}", "$defs": schema["$defs"]})


@cache
def _kind_validator(folder: Path, version: int) -> Any | None:
    path = folder / "schema" / f"v{version}.json"
    return _validator(path) if path.is_file() else None


def _validator(path: Path) -> Any:
    return jsonschema_rs.Draft202012Validator(json.loads(path.read_text()))


def _pointer(path: list[str | int]) -> str:
    """Return a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _shorten(message: str) -> str:
    """Return a message that fits a page: some quote the whole value."""
    if len(message) <= _MAX_MESSAGE:
        return message
    return f"{message[:100]} … {message[-100:]}"


# ---- Whether a document that fits its schema also agrees with itself.
#
# The rules go by field names that mean the same in every kind: lists beside each other in one object of
# `samples` are columns and equally long, and the names below are absolute block addresses.

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


def _address_errors(value: int | list[int], path: str, blocks: int) -> Iterator[ErrorItem]:
    addresses = value if isinstance(value, list) else [value]
    if not addresses or (min(addresses) >= 0 and max(addresses) < blocks):
        return
    index = next(n for n, address in enumerate(addresses) if not 0 <= address < blocks)
    where = f"{path}/{index}" if isinstance(value, list) else path
    yield ErrorItem(where, f"is block {addresses[index]}; the device has the blocks 0 to {blocks - 1}.")


def _equally_long(columns: dict[str, list[int]], *names: str) -> bool:
    return set(names) <= columns.keys() and len({len(columns[name]) for name in names}) == 1


def _extent_errors(columns: dict[str, list[int]], path: str, blocks: int) -> Iterator[ErrorItem]:
    ends = list(map(add, columns["offset_blocks"], columns["length_blocks"]))
    if ends and max(ends) > blocks:
        index = next(n for n, end in enumerate(ends) if end > blocks)
        yield ErrorItem(f"{path}/length_blocks/{index}", f"reaches to block {ends[index]} of {blocks}.")
