"""Every number of the archive as a column that the list of drive models can have."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.core.cache import LISTS
from server.core.numbers import unit_text
from server.core.scopes import scope_text
from server.search.columns import column_of, columns_known
from server.search.drive_list import PARAMETERS, DriveQuery, drive_query_of
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.rows import metric_url
from server.web.views.drive_list import list_url

_NUMBERED = re.compile(r"([^\d]*)(\d+(?:\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class Choice:
    """A number that the list can be given as a column, in one scope."""

    scope: str
    url: str
    """The list with that column, sorted by it."""
    chosen: bool


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """A metric in each scope of which there are numbers."""

    title: str
    unit: str
    method: str
    choices: tuple[Choice, ...]


@require_safe
@cache_page(known=PARAMETERS)
def drive_columns(request: HttpRequest) -> HttpResponse:
    """Show every number that the archive holds as a column that the list can have."""
    shows(LISTS)
    query = drive_query_of(request.GET)
    scopes: dict[str, list[str]] = {}
    for name, scope in columns_known():
        scopes.setdefault(name, []).append(scope)
    kinds: dict[str, list[ChoiceGroup]] = {}
    for key, metric in metrics_by_key().items():
        if key in scopes:
            choices = tuple(
                _choice(query, f"{key}|{scope}", scope) for scope in sorted(scopes[key], key=_by_size)
            )
            group = ChoiceGroup(metric.title, unit_text(metric.unit), metric_url(key), choices)
            kinds.setdefault(key.partition(".")[0], []).append(group)
    titles = kinds_by_slug()
    context = {
        "query": query,
        "kinds": [(titles[slug].title, groups) for slug, groups in kinds.items()],
        "list_url": list_url(query),
    }
    return page(request, "web/drive_columns.html", context, section="drives")


def _by_size(scope: str) -> list[tuple[str, float]]:
    """Return what scopes are sorted by: numbers in them by their size."""
    return [(words, float(number or 0)) for words, number in _NUMBERED.findall(scope)]


def _choice(query: DriveQuery, key: str, scope: str) -> Choice:
    column = column_of(key)
    assert column is not None  # only registered metrics are asked for
    shown = (*query.columns, *(() if column.key in query.columns else (column.key,)))
    changed = replace(query, columns=shown, sort=column.key, descending=True)
    return Choice(scope_text(scope) or "whole drive", list_url(changed), column.key in query.columns)
