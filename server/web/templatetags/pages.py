"""What templates need beyond Django's own tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast
from urllib.parse import urlencode

from django import template
from django.utils.safestring import SafeString

from server.core import numbers
from server.web import assets
from server.web.cells import FILTERS
from server.web.hot import hot as hot_render
from server.web.navigation import NAVIGATION, NavItem

register = template.Library()
for _name, _filter in FILTERS.items():
    register.filter(_name, _filter)


@register.simple_tag(takes_context=True)
def hot(context: template.Context, name: str, **more: Any) -> SafeString:
    """A part with many cells, from a Jinja2 template (`server/web/hot.py`), with all that is known here."""
    known = cast(dict[str, Any], context.flatten())
    return SafeString(hot_render(name, {**known, **more}))


@register.simple_tag
def built_assets() -> assets.Assets:
    """The files that the front end's build left."""
    return assets.built_assets()


@register.simple_tag
def navigation() -> tuple[NavItem, ...]:
    """The places of the site's navigation, in its order."""
    return NAVIGATION


@register.filter
def gigabits(bits_per_s: int) -> str:
    """A link's speed in Gbit/s."""
    return f"{bits_per_s / 1e9:g}"


_ROTATION_SOURCES = {"test": "probe's test", "user": "contributor", "simulated": "simulated drive"}


@register.filter
def rotation_source(slug: str) -> str:
    """Who says that a device rotates, after "says the"."""
    return _ROTATION_SOURCES.get(slug, slug)


@register.filter
def duration(nanoseconds: int | None) -> str:
    """A time as a person says it."""
    return numbers.show_duration(nanoseconds)


@register.filter
def yes_no(value: bool | None) -> str:
    """Yes, no, or that it is not known."""
    return "not known" if value is None else ("yes" if value else "no")


@register.filter
def on_off(value: bool | None) -> str:
    """On, off, or that it is not known."""
    return "not known" if value is None else ("on" if value else "off")


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
