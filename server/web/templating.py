"""What all pages and mails are rendered with: Jinja2, through Django's backend for it (decision 0182).

Templates stand in each app's folder `jinja2/`. Escaping is always on, and a name that was not handed over is
an error: a number that is missing by mistake must not look like none. Django's own templates remain for
Django's own pages, the administration's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from allauth.socialaccount.adapter import get_adapter
from django.conf import settings
from django.contrib.messages import get_messages
from django.forms import BaseForm
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from django.utils.safestring import SafeString
from jinja2 import Environment, StrictUndefined

from server.accounts.second_factor import second_factor_due
from server.web import cells
from server.web.assets import built_assets


class NavItem(NamedTuple):
    """One entry of the navigation."""

    section: str
    """What a page hands to `page(section=...)` to be shown as the present place."""
    title: str
    address: str


NAVIGATION = (
    NavItem("drives", "Drives", "/drives/"),
    NavItem("compare", "Compare", "/compare/"),
    NavItem("explore", "Explore", "/explore/"),
    NavItem("claims", "Claims", "/claims/"),
    NavItem("methods", "Methods", "/methods/"),
    NavItem("contribute", "Contribute", "/contribute/"),
    NavItem("datasets", "Datasets", "/datasets/"),
    NavItem("about", "About", "/about/"),
)


def environment(**options: Any) -> Environment:
    """Return the environment that Django's Jinja2 backend renders with."""
    made = Environment(
        **{**options, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    )
    made.filters.update(cells.FILTERS)
    made.globals.update(
        built_assets=built_assets,
        canonical=lambda request: f"{settings.SITE_URL}{escape_uri_path(request.path)}",
        compare_url=compare_url,
        form_fields=form_fields,
        messages_of=get_messages,
        navigation=NAVIGATION,
        query_with=query_with,
        second_factor_due=second_factor_due,
        sign_in_providers=sign_in_providers,
        sign_up_open=lambda: settings.SIGN_UP,
        site_url=lambda: settings.SITE_URL,
        sort_query=sort_query,
        static=static,
        url=url,
        zip=zip,
    )
    return made


def sign_in_providers(request: HttpRequest) -> list[Any]:
    """Return the sites by whose accounts people may sign in."""
    return list(get_adapter().list_providers(request)) if settings.SOCIALACCOUNT_PROVIDERS else []


def form_fields(form: BaseForm) -> SafeString:
    """Return a form's fields as paragraphs, their labels without a colon, as in all other forms here."""
    form.label_suffix = ""
    return form.as_p()


def url(name: str, *parts: object) -> str:
    """Return the address of a view."""
    return reverse(name, args=parts)


def compare_url(keys: Iterable[str]) -> str:
    """Return the address of a comparison of these groups."""
    return f"/compare/?{urlencode([('d', key) for key in keys], safe='~:')}"


def query_with(request: HttpRequest, **changes: object) -> str:
    """Return the present address' query with some parameters changed; None takes one away."""
    params = request.GET.copy()
    for name, value in changes.items():
        if value is None or value == "":
            params.pop(name, None)
        else:
            params[name] = str(value)
    encoded = params.urlencode()
    return f"?{encoded}" if encoded else "?"


def sort_query(request: HttpRequest, key: str, sort: str, descending: bool, number: bool) -> str:
    """Return the query that sorts by a column: the other way round where it is sorted by already, and numbers
    with the largest first."""
    falls = not descending if sort == key else number
    return query_with(request, sort=f"-{key}" if falls else key, page=None)
