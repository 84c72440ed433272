"""What a value is on a page: the filters of all templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from django.template.defaultfilters import capfirst, default_if_none, pluralize, yesno
from django.utils.safestring import SafeString
from markupsafe import escape

from server.benchmarks.registry import kind_name
from server.core import numbers
from server.measurements.group_keys import encoded as key_encoded
from server.web import columns

NO_NUMBER = SafeString('<span class="none">&ndash;</span>')


def instant(value: datetime | None) -> SafeString:
    """Return a point in time as an ISO date and minute in UTC, to the second in its title."""
    return _time(value, "%Y-%m-%d %H:%M")


def date(value: datetime | None) -> SafeString:
    """Return a day as an ISO date, with the time in its title."""
    return _time(value, "%Y-%m-%d")


def _time(value: datetime | None, form: str) -> SafeString:
    if value is None:
        return SafeString("")
    utc = value.astimezone(UTC)
    return SafeString(
        f'<time datetime="{utc:%Y-%m-%dT%H:%M:%SZ}" title="{utc:%Y-%m-%d %H:%M:%S} UTC">{utc:{form}}</time>'
    )


def shown(value: numbers.Shown | None, places: int = 0) -> SafeString:
    """Return a number with its unit apart and its full value in the title.

    `places` is how many digits behind the point its column has room for.
    """
    if value is None:
        return NO_NUMBER
    room = columns.pad(columns.places_of(value), places) if places else ""
    unit = f'\N{NO-BREAK SPACE}<span class="unit">{escape(value.unit)}</span>' if value.unit else ""
    return SafeString(f'<span title="{escape(value.exact)}">{escape(value.value)}{room}{unit}</span>')


def size(count: int | None) -> SafeString:
    """Return a capacity in decimal units."""
    return shown(numbers.show_bytes(count))


def rpm(value: float | None) -> SafeString:
    """Return a rated rotation rate without its unit, which stands in the column's head."""
    return shown(numbers.show(value, "1"))


def bandwidth(value: float | None) -> SafeString:
    """Return a bandwidth in MB/s with one decimal, without its unit, which stands in the column's head."""
    if value is None:
        return NO_NUMBER
    return shown(numbers.Shown(numbers.write(value, 1), exact=f"{value!r} MB/s"))


def grouped(count: int | None) -> str:
    """Return a count with its thousands apart."""
    return "" if count is None else numbers.show_count(count)


def letter(index: int) -> str:
    """Return the letter of a note: 1 is a, 26 is z, 27 is aa."""
    text = ""
    while index > 0:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


_INTERFACES = {
    "ata": "ATA",
    "scsi": "SCSI",
    "nvme": "NVMe",
    "usb": "USB",
    "loop": "loop device",
    "unknown": "not known",
}


def interface(slug: str) -> str:
    """Return a device's interface as it is written."""
    return _INTERFACES.get(slug, slug)


def coded(text: str) -> SafeString:
    """Return a sentence as HTML, with what stands between backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return SafeString(escape(text))
    return SafeString(
        "".join(
            f"<code>{escape(part)}</code>" if index % 2 else escape(part) for index, part in enumerate(parts)
        )
    )


def encoded(part: str) -> str:
    """Return a batch or firmware revision as one part of an address."""
    return quote(key_encoded(part))


def gigabits(bits_per_s: int) -> str:
    """Return a link's speed in Gbit/s."""
    return f"{bits_per_s / 1e9:g}"


_ROTATION_SOURCES = {"test": "probe's test", "user": "contributor", "simulated": "simulated drive"}


def rotation_source(slug: str) -> str:
    """Return who says that a device rotates, after "says the"."""
    return _ROTATION_SOURCES.get(slug, slug)


def yes_no(value: bool | None) -> str:
    """Return yes, no, or that it is not known."""
    return "not known" if value is None else ("yes" if value else "no")


def on_off(value: bool | None) -> str:
    """Return on, off, or that it is not known."""
    return "not known" if value is None else ("on" if value else "off")


def words(value: str) -> str:
    """Return a slug as words: `surface_serpentine` becomes `surface serpentine`."""
    return value.replace("_", " ")


_OF_CELLS: Mapping[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (
        *(instant, date, shown, size, rpm, bandwidth, grouped, letter, interface, coded, encoded),
        *(gigabits, rotation_source, yes_no, on_off, words),
    )
}
FILTERS: Mapping[str, Callable[..., Any]] = {
    **_OF_CELLS,
    **columns.FILTERS,
    "capfirst": capfirst,
    "default_if_none": default_if_none,
    "duration": numbers.show_duration,
    "kind_name": kind_name,
    "pluralize": pluralize,
    "yesno": yesno,
}
