"""Reading a request's parameters: each known, given once and not empty, or a problem that says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from server.core.problems import ErrorItem, Problem, problem

LIMIT_USUAL = 50
LIMIT_MOST = 500


def parameters_check(request: Request, known: Collection[str], *, repeatable: Collection[str] = ()) -> None:
    """Raise Problem where a parameter is unknown, empty, given twice or holds a NUL."""
    errors = [
        ErrorItem(f"?{name[:80]}", trouble)
        for name, values in request.query_params.lists()
        if (trouble := _trouble(name, values, known, repeatable))
    ]
    if not errors:
        return
    listed = ", ".join(sorted(known)) if known else "none"
    first = f"The parameter {errors[0].path[1:]!r} {errors[0].message}."
    raise problem("bad-parameter", f"{first} Known here: {listed}.", *errors)


def _trouble(name: str, values: list[str], known: Collection[str], repeatable: Collection[str]) -> str:
    if name not in known:
        return "is not known at this address"
    if len(values) > 1 and name not in repeatable:
        return "is given more than once"
    if not all(value.strip() for value in values):
        return "is empty; leave it out instead"
    return "holds a NUL character" if any("\0" in value for value in values) else ""


def bad_parameter(name: str, message: str) -> Problem:
    """Return the problem of one parameter's value; `message` says fact, limit and remedy."""
    return problem("bad-parameter", f"The parameter {name!r} {message}", ErrorItem(f"?{name}", message))


def limit_read(request: Request, *, most: int | None = LIMIT_MOST) -> int | None:
    """Return the number of rows asked for, or None where none is given; raises Problem."""
    text = request.query_params.get("limit")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 12) or int(text) < 1:
        raise bad_parameter("limit", "is not a whole number above 0. Write for example limit=100.")
    if most is not None and int(text) > most:
        raise bad_parameter(
            "limit",
            f"is above {most}. Follow `next`, or take all rows as .csv or .ndjson, which have no limit.",
        )
    return int(text)


def names_read(request: Request, name: str, allowed: Collection[str]) -> frozenset[str]:
    """Return a comma-separated list of names, each of them allowed; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return frozenset()
    names = frozenset(part.strip() for part in text.split(","))
    if strange := sorted(names - frozenset(allowed)):
        raise bad_parameter(name, f"has no {strange[0][:60]!r}. Choose of: {_listed(allowed)}.")
    return names


def choice_read(request: Request, name: str, allowed: Collection[str], usual: str) -> str:
    """Return one of the allowed words; raises Problem."""
    text = request.query_params.get(name, usual)
    if text not in allowed:
        raise bad_parameter(name, f"can't be {text[:60]!r}. Choose of: {_listed(allowed)}.")
    return text


def since_read(request: Request) -> datetime | None:
    """Return the instant of `since`; raises Problem."""
    text = request.query_params.get("since")
    return None if text is None else instant_read("since", text)


def instant_read(name: str, text: str) -> datetime:
    """Return an instant with its time zone; raises Problem."""
    try:
        found = parse_datetime(text)
        if found is not None and found.tzinfo is not None:
            # In UTC, since PostgreSQL refuses offsets of 16 hours and more.
            return found.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise bad_parameter(
        name,
        "is not an instant with a time zone. Write for example 2026-03-14T09:26:53Z; "
        "in an address a + is written %2B.",
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
