"""The page of one unit: is it like the others of its model?"""

from __future__ import annotations

import re

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from server.benchmarks.measurands import answered
from server.benchmarks.registry import metrics_by_key
from server.catalog.models import DriveModel
from server.core.cache import model_tag
from server.measurements.selectors import drive_models_public
from server.model_stats.unit_values import unit_among, unit_find
from server.web.page import page
from server.web.page_cache import cache_page, shows
from server.web.unit_strips import unit_strips

_DIGITS = re.compile(r"[0-9a-f]{12,64}")


@require_safe
@cache_page()
def unit_detail(request: HttpRequest, slug: str, digits: str) -> HttpResponse:
    """Show where a unit's numbers lie among those of the model's other units."""
    models = DriveModel.objects.select_related("vendor").defer("search_text")
    model = models.filter(drive_models_public(), slug=slug).first()
    unit = None
    if model is not None and _DIGITS.fullmatch(digits):
        unit = unit_find(drive_model_id=model.pk, digits=digits)
    if model is None or unit is None:
        raise Http404
    shows(model_tag(model.pk))
    headline = [key for key, metric in metrics_by_key().items() if metric.headline]
    among = unit_among(unit=unit, metrics=headline)
    keys = [*answered(), *sorted(among.points, key=lambda key: (headline.index(key[0]), key[1]))]
    context = {
        "model": model,
        "unit": unit,
        "among": among,
        "found": unit_strips(among, dict.fromkeys(keys)),
    }
    return page(request, "web/unit.html", context, section="drives")
