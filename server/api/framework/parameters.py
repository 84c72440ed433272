"""Reading a request's parameters: each known, given once and not empty, or a problem that says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from uuid import UUID

from django.utils.dateparse import parse_datetime
from rest_framework.request import Request

from server.core.problems import ErrorItem, Problem, problem
from server.core.text import did_you_mean

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
    name = errors[0].path[1:]
    first = f"The parameter {name!r} {errors[0].message}."
    near = "" if name in known else did_you_mean(name, known)
    raise problem("bad-parameter", f"{first}{near} Known here: {listed}.", *errors)


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


def _unknown(name: str, fact: str, word: str, allowed: Collection[str]) -> Problem:
    """Return the problem of a word that is none of those allowed, with the nearest."""
    message = f"{fact}{did_you_mean(word, allowed)} Choose of: {_listed(allowed)}."
    return problem("unknown-name", f"The parameter {name!r} {message}", ErrorItem(f"?{name}", message))


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
        raise _unknown(name, f"has no {strange[0][:60]!r}.", strange[0], allowed)
    return names


def choice_read(request: Request, name: str, allowed: Collection[str], usual: str) -> str:
    """Return one of the allowed words; raises Problem."""
    text = request.query_params.get(name, usual)
    if text not in allowed:
        raise _unknown(name, f"can't be {text[:60]!r}.", text, allowed)
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


# ---- Of the log and the releases: a date does for an instant, and what is wrong is a bad request.

LARGEST = 2**48


def number_or_none(request: Request, name: str, *, most: int = LARGEST) -> int | None:
    """Return a whole number from 0 to `most`, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) > most:
        raise _bad(name, f"{name} is {text[:40]!r}, not a whole number from 0 to {most}. Write digits only.")
    return int(text)


def number_needed(request: Request, name: str) -> int:
    """Return a whole number that has to be given; raises Problem."""
    number = number_or_none(request, name)
    if number is None:
        raise _bad(name, f"{name} is missing: it is a whole number from 0. Give it.")
    return number


def instant_or_none(request: Request, name: str) -> datetime | None:
    """Return an instant (RFC 3339; a date means its midnight in UTC), or None; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        # A plus sign that was not escaped arrives as a space; a date alone is its midnight.
        instant = parse_datetime(text.replace(" ", "+"))
        if instant is not None:
            # PostgreSQL refuses offsets of 16 hours and more.
            return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except ValueError:
        pass
    except OverflowError:
        raise _bad(name, f"{name} is {text[:40]!r}, beyond the calendar. Write an instant in UTC.") from None
    example = "2026-01-31 or 2026-01-31T12:00:00Z"
    raise _bad(name, f"{name} is {text[:40]!r}, not an instant. Write {example}.")


def identity_or_none(request: Request, name: str) -> UUID | None:
    """Return a UUID, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError:
        raise _bad(name, f"{name} is {text[:40]!r}, not a UUID. Copy it from the run's page.") from None


def digest_or_none(request: Request, name: str) -> str | None:
    """Return a SHA-256 in lower-case hex, or None where it was not given; raises Problem."""
    text = request.query_params.get(name)
    if text is not None and (len(text) != 64 or set(text) - set("0123456789abcdef")):
        raise _bad(name, f"{name} is not 64 lower-case hex digits, as `sha256sum` prints them.")
    return text


def _bad(name: str, words: str) -> Problem:
    """Return the problem of a parameter."""
    return problem("bad-request", words, ErrorItem("", f"parameter {name}"))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
