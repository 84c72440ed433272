"""What templates need beyond Django's own tags."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote, urlencode

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from server.compare.keys import encoded as key_encoded
from server.core import numbers
from server.web import assets
from server.web.navigation import NAVIGATION, Place

register = template.Library()


@register.simple_tag
def built_assets() -> assets.Assets:
    """The files that the front end's build left."""
    return assets.built_assets()


@register.simple_tag
def navigation() -> tuple[Place, ...]:
    """The places of the site's navigation, in its order."""
    return NAVIGATION


@register.filter
def instant(value: datetime | None) -> SafeString:
    """A point in time as an ISO date and minute in UTC, to the second in its title."""
    if value is None:
        return SafeString("")
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        utc.strftime("%Y-%m-%d %H:%M:%S"),
        utc.strftime("%Y-%m-%d %H:%M"),
    )


@register.filter
def date(value: datetime | None) -> SafeString:
    """A day as an ISO date, with the time in its title."""
    if value is None:
        return SafeString("")
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        utc.strftime("%Y-%m-%dT%H:%M:%SZ"),
        utc.strftime("%Y-%m-%d %H:%M:%S"),
        utc.strftime("%Y-%m-%d"),
    )


@register.filter
def shown(value: numbers.Shown | None) -> SafeString:
    """A number with its unit apart and its full value in the title."""
    if value is None:
        return SafeString('<span class="none">&ndash;</span>')
    unit = format_html('\N{NO-BREAK SPACE}<span class="unit">{}</span>', value.unit) if value.unit else ""
    return format_html('<span title="{}">{}{}</span>', value.exact, value.value, unit)


@register.filter
def size(count: int | None) -> SafeString:
    """A capacity in decimal units."""
    return shown(numbers.show_bytes(count))


@register.filter
def rpm(value: float | None) -> SafeString:
    """A rated rotation rate without its unit, which stands in the column's head."""
    return shown(numbers.show(value, "1"))


@register.filter
def bandwidth(value: float | None) -> SafeString:
    """A bandwidth in MB/s with one decimal, without its unit, which stands in the column's head."""
    if value is None:
        return shown(None)
    return shown(numbers.Shown(numbers.write(value, 1), exact=f"{value!r} MB/s"))


@register.filter
def gigabits(bits_per_s: int) -> str:
    """A link's speed in Gbit/s."""
    return f"{bits_per_s / 1e9:g}"


@register.filter
def duration(nanoseconds: int | None) -> str:
    """A time as a person says it."""
    return numbers.show_duration(nanoseconds)


@register.filter
def grouped(count: int | None) -> str:
    """A count with its thousands apart."""
    return "" if count is None else numbers.show_count(count)


@register.filter
def yes_no(value: bool | None) -> str:
    """Yes, no, or that it is not known."""
    return "not known" if value is None else ("yes" if value else "no")


@register.filter
def on_off(value: bool | None) -> str:
    """On, off, or that it is not known."""
    return "not known" if value is None else ("on" if value else "off")


@register.filter
def letter(place: int) -> str:
    """The letter of a note: 1 is a, 26 is z, 27 is aa."""
    text = ""
    while place > 0:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


@register.filter
def encoded(part: str) -> str:
    """A batch or firmware revision as one part of an address."""
    return quote(key_encoded(part))


@register.filter
def words(value: str) -> str:
    """A slug as words: `surface_serpentine` becomes `surface serpentine`."""
    return value.replace("_", " ")


@register.simple_tag(takes_context=True)
def sort_query(
    context: template.Context, key: str, sort: str, descending: bool, number: bool | str | None = None
) -> str:
    """The address that sorts by a column: the other way round where it is sorted by already, and numbers with
    the largest first."""
    falls = not descending if sort == key else bool(number)
    return query(context, sort=f"-{key}" if falls else key, page=None)


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: object) -> str:
    """The present address' query with some parameters changed; None takes one away."""
    params = context["request"].GET.copy()
    for name, value in changes.items():
        if value is None or value == "":
            params.pop(name, None)
        else:
            params[name] = str(value)
    encoded = params.urlencode()
    return f"?{encoded}" if encoded else "?"


@register.simple_tag
def compare_url(keys: Iterable[str]) -> str:
    """The address of a comparison of these groups."""
    return f"/compare/?{urlencode([('d', key) for key in keys], safe='~:')}"
