"""A figure as files: drawn by the server as SVG and PNG, and how it is cited."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

import orjson
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from server.catalog.models import DriveModel
from server.core.cache import model_tag, run_tag
from server.core.envelope_store import EnvelopeLost
from server.core.lifecycle import State
from server.drawing.chart_svg import WIDTH_PX, chart_svg
from server.drawing.platter import platter_svg, zones_of_chart
from server.drawing.png import png_of
from server.measurements.charts import run_chart
from server.measurements.model_charts import drive_chart
from server.measurements.models import Benchmark, Run
from server.submissions.selectors import submission_visible
from server.web.assets import drawing_fonts
from server.web.figures import Figure, figure_bibtex, figure_csl, figure_of
from server.web.page_cache import cache_page, shows
from server.web.views.charts import drive_figure
from server.web.views.withdrawn import absent

NARROW_PX = 390
"""Of a drawing for a phone, asked for by `size=narrow`."""
PLATTER = "platter"
"""The view by which a profile with zones is drawn as a platter."""
KEEP_S = 300
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""A drawing that is opened by itself has its colours in it, and nothing else."""
NARROW = "narrow"
PICTURE: dict[str, Callable[[str], bool]] = {"view": bool, "size": lambda text: text == NARROW}
"""What the address of a picture may say besides its place; a view that the chart has not is none."""
View = Callable[..., HttpResponseBase]


class FigureForm:
    """The ending of a figure's file in an address."""

    regex = r"svg|png|bib|csl\.json"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class DrawingForm(FigureForm):
    """The ending of a drawing that has no entry of a bibliography."""

    regex = "svg|png"


def conditional(view: View) -> View:
    """Give what a view answers an ETag of its bytes, and answer 304 to who has them."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if not isinstance(response, HttpResponse) or response.status_code != 200:
            return response
        response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        found = get_conditional_response(request, etag=response["ETag"], response=response)
        return found if found is not None else response

    return answer


@require_safe
@conditional
@cache_page(known=PICTURE)
def drive_figure_file(request: HttpRequest, form: str, **address: str) -> HttpResponse:
    """Answer with a chart of a drive model as a file."""
    model = DriveModel.objects.select_related("vendor").filter(slug=address["slug"]).first()
    one = drive_chart(**address) if model else None
    if model is None or one is None:
        raise Http404
    shows(model_tag(model.pk))
    return figure_file(request, drive_figure(model, address["provenance"], one), form)


@require_safe
@conditional
@cache_page(known=PICTURE)
def run_figure_file(request: HttpRequest, run_id: UUID, kind: str, chart_id: str, form: str) -> HttpResponse:
    """Answer with a chart of a run as a file."""
    run = Run.objects.select_related("drive_model__vendor", "submission__probe_key").filter(pk=run_id).first()
    try:
        chart = run_chart(run_id=run_id, kind=kind, chart_id=chart_id) if run else None
    except (Benchmark.DoesNotExist, EnvelopeLost):
        chart = None
    if run is None or chart is None or run.submission.state == State.WITHDRAWN:
        return absent(request, run_id)
    if not submission_visible(run.submission, request.user):
        raise Http404
    response = figure_file(request, figure_of(run, kind, chart), form)
    if run.submission.state == State.PUBLISHED:
        shows(run_tag(run_id), model_tag(run.drive_model_id))
    else:
        response["Cache-Control"] = "private, no-store"
    return response


def figure_file(request: HttpRequest, figure: Figure, form: str) -> HttpResponse:
    """Answer with a figure in one of its forms; 404 where a view of it is asked for that it has not."""
    view = request.GET.get("view", "")
    if view not in ("", PLATTER, *(one.key for one in figure.chart.views)):
        raise Http404
    if form == "bib":
        return file_response(
            figure_bibtex(figure).encode(), "application/x-bibtex; charset=utf-8", figure.name, form
        )
    if form == "csl.json":
        item = orjson.dumps([figure_csl(figure)], option=orjson.OPT_INDENT_2)
        return file_response(item, "application/vnd.citationstyles.csl+json", figure.name, form)
    width_px = NARROW_PX if request.GET.get("size") == NARROW else WIDTH_PX
    zones = zones_of_chart(figure.chart) if view == PLATTER else ()
    if zones:
        foot = (figure.source, " · ".join(one for one in (figure.address, figure.licence) if one))
        svg = platter_svg(zones, title="The platter by bandwidth", foot=foot)
    else:
        svg = chart_svg(figure.chart, view=view, credit=figure.credit, width_px=width_px)
    if form == "png":
        return file_response(png_of(svg, drawing_fonts()), "image/png", figure.name, form)
    return file_response(svg.encode(), "image/svg+xml; charset=utf-8", figure.name, form)


def file_response(body: bytes, content_type: str, name: str, form: str) -> HttpResponse:
    """Answer with a file that others may keep for a while."""
    response = HttpResponse(body, content_type=content_type)
    response["Cache-Control"] = f"public, max-age={KEEP_S}"
    if form == "svg":
        response["Content-Security-Policy"] = _SVG_POLICY
    disposition = "inline" if form in ("svg", "png") else "attachment"
    response["Content-Disposition"] = f'{disposition}; filename="{name}.{form}"'
    return response
