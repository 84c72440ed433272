"""Two to eight groups side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.views.decorators.http import require_safe

from server.benchmarks.registry import kinds_by_slug
from server.catalog.selectors import drive_models_similar
from server.comparison.candidates import candidates_find
from server.comparison.charts import comparison_charts
from server.comparison.overlays import overlays_get
from server.comparison.practical import MARGIN, MarginError, margin_read, opening
from server.comparison.selectors import (
    LEVEL,
    Comparison,
    LevelError,
    any_simulated,
    comparison_get,
    level_read,
)
from server.comparison.suggestions import suggestions
from server.comparison.wording import level_words
from server.core.cache import LISTS, model_tag
from server.measurements.group_keys import LETTERS
from server.measurements.groups import FEWEST, MOST, Group, groups_find
from server.web.comparing import (
    Selection,
    add_choices,
    curves_view,
    group_views,
    keys_explicit,
    kind_choices,
    level_choices,
    margin_choices,
    mixed_unasked,
    rival_choices,
    row_views,
    states_text,
    words_kept,
)
from server.web.figures import figure_with
from server.web.page import csv_response, page
from server.web.page_cache import cache_page, shows

QUERY_MAX = 200
_PARAMETERS = ("q", "d", "level", "kind", "margin")


@require_safe
@cache_page(known=_PARAMETERS)
def compare(request: HttpRequest) -> HttpResponse:
    """Show a comparison, or how to put one together; all of its state stands in the address."""
    query = request.GET.get("q", "").strip()[:QUERY_MAX]
    groups, selection, errors = _read(request)
    shows(*(model_tag(group.drive_model.pk) for group in groups))
    context: dict[str, Any] = {
        "comparison": None,
        "query": query,
        "found": add_choices(candidates_find(query), selection) if query else (),
        "selection": selection,
        "suggest_url": selection.url("/compare/suggest/"),
        "errors": errors,
        "full": len(groups) >= MOST,
        "most": MOST,
        "levels": level_choices(selection),
        "kinds": kind_choices(selection),
        "rivals": (),
        "unasked": None,
    }
    if query:
        shows(LISTS)
    if 0 < len(groups) < MOST:
        context["rivals"] = rival_choices(drive_models_similar(drive_model=groups[0].drive_model), selection)
    if mixed_unasked(groups):
        context["unasked"] = selection.url(keys=keys_explicit(groups))
        context["groups"] = group_views(groups, selection)
        context["suggestions"] = ()
    elif FEWEST <= len(groups) <= MOST:
        context |= _shown(_comparison(groups, selection), selection)
    else:
        shows(LISTS)
        context["groups"] = group_views(groups, selection)
        context["suggestions"] = suggestions()
    return page(request, "web/compare.html", context, section="compare", status=400 if errors else 200)


@require_safe
@cache_page(known=_PARAMETERS)
def compare_suggest(request: HttpRequest) -> JsonResponse:
    """Answer with what could be added to the comparison of this address, as search boxes take it."""
    query = request.GET.get("q", "").strip()[:QUERY_MAX]
    groups, selection, _errors = _read(request)
    shows(LISTS, *(model_tag(group.drive_model.pk) for group in groups))
    choices = add_choices(candidates_find(query), selection) if len(groups) < MOST else ()
    offered = [
        {"kind": "group", "label": one.text, "detail": one.detail, "url": one.url}
        for one in choices
        if not one.current
    ]
    response = JsonResponse({"query": query, "suggestions": offered})
    response.headers["Cache-Control"] = "public, max-age=60"
    return response


def _read(request: HttpRequest) -> tuple[tuple[Any, ...], Selection, list[str]]:
    """Return the groups that the address names, what it says, and what is wrong with it."""
    given = [key.strip() for key in request.GET.getlist("d") if key.strip()]
    groups, wrong = groups_find(given)
    errors = list(wrong)
    if len(groups) > MOST:
        errors.append(f"{len(groups)} groups were given. At most {MOST} are compared. Take some away.")
    try:
        level = level_read(request.GET.get("level", ""))
    except LevelError as error:
        level = LEVEL
        errors.append(str(error))
    try:
        margin = margin_read(request.GET.get("margin", ""))
    except MarginError as error:
        margin = MARGIN
        errors.append(str(error))
    kind = request.GET.get("kind", "")
    keys = tuple(group.key for group in groups)
    return groups, Selection(keys, level, kind if kind in kinds_by_slug() else "", margin), errors


def _comparison(groups: Sequence[Group], selection: Selection) -> Comparison:
    return comparison_get(groups=groups, level=selection.level, kind=selection.kind, margin=selection.margin)


def _shown(comparison: Comparison, selection: Selection) -> dict[str, Any]:
    table = comparison.table
    groups = group_views(comparison.groups, selection, comparison.numbers)
    # What stands below an exported picture: what each letter is.
    source = f"{'; '.join(f'{one.letter}: {one.group.title}' for one in groups)} · DiskAtlas"
    return {
        "comparison": comparison,
        "groups": groups,
        "opening": opening(comparison.table, LETTERS[: len(groups)]),
        "margins": margin_choices(selection),
        "tables": row_views(comparison),
        "curves": [curves_view(curves) for curves in comparison.curves],
        "differing": [
            (one.title, [states_text(states) for states in one.states]) for one in comparison.differing
        ],
        "figures": [
            figure_with(chart, name=f"compare-{chart.id}", source=source)
            for chart in (*overlays_get(comparison.groups), *comparison_charts(comparison))
        ],
        "simulated": any_simulated(comparison.groups),
        "words_kept": words_kept(groups),
        "level_words": level_words(table.level, table.tests) if table.tests else "",
        "csv_url": selection.url("/compare/comparison.csv"),
        "json_url": selection.url("/api/v1/comparisons/"),
    }


@require_safe
def comparison_csv(request: HttpRequest) -> HttpResponseBase:
    """Answer with a comparison as a file: one line for each number of each group."""
    groups, selection, errors = _read(request)
    if errors or not FEWEST <= len(groups) <= MOST:
        text = " ".join(errors) or f"A comparison takes {FEWEST} to {MOST} groups: d=KEY&d=KEY."
        return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")
    return csv_response("comparison.csv", _lines(_comparison(groups, selection)))


def _lines(comparison: Comparison) -> Iterator[Sequence[object]]:
    yield _COLUMNS
    for row in comparison.table.rows:
        for index, cell in enumerate(row.cells):
            group, bounds = comparison.groups[index], cell.interval
            yield [
                *(LETTERS[index], group.key, group.title, group.source.value, row.metric, row.scope),
                row.entry.unit if row.entry else "",
                *(cell.mean, bounds.low if bounds else None, bounds.high if bounds else None),
                *(bounds.level if bounds else None, cell.n, cell.runs),
                " ".join(comparison.groups[other].key for other in cell.better_than),
            ]


_COLUMNS = (
    *("letter", "group", "title", "provenance", "metric", "scope", "unit", "mean", "low", "high", "level"),
    *("n", "runs", "better_than"),
)
