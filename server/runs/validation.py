"""Whether a run document is what its schemas and its own words say. Raises problems, decides nothing else."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from server.core import schema as core_schema
from server.core.problems import ErrorItem, problem
from server.core.text import counted
from server.runs.consistency import inconsistencies
from server.runs.kinds import kinds_by_slug

_MAX_ERRORS = 20
_MAX_MESSAGE = 240


def document_validate(document: Any, *, now: datetime, tolerance: timedelta) -> None:
    """Check a run document; raises Problem with every place that is wrong, up to twenty."""
    _check_schema(_run_validator(), document, prefix="", what="run/v1")
    _check_consent(document["license"])
    for position, part in enumerate(document["benchmarks"]):
        _check_kind(part, f"/benchmarks/{position}")
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


def _check_kind(part: dict[str, Any], path: str) -> None:
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
    _check_schema(validator, part, prefix=path, what=f"{kind.slug}/v{part['version']}")


def _check_schema(validator: Any, instance: Any, *, prefix: str, what: str) -> None:
    errors: list[ErrorItem] = []
    for error in validator.iter_errors(instance):
        errors.append(ErrorItem(prefix + _pointer(error.instance_path), _shorten(error.message)))
        if len(errors) == _MAX_ERRORS:
            break
    if errors:
        first = errors[0]
        raise problem(
            "schema-violation",
            f"The document breaks the schema {what} at {first.path or 'the top'}: {first.message}. "
            "`diskatlas verify FILE` shows the same offline; keep the file and report it if the "
            "probe wrote it so.",
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
