"""Parts of pages with many cells, rendered by Jinja2: its compiled templates cost a fraction of Django's
nodes (decision 0123). They stand below `server/web/jinja2/`; everything else is a Django template."""

from __future__ import annotations

from typing import Any

from django.template import engines
from jinja2 import Environment, StrictUndefined

from server.web import cells

ENGINE = "hot"


def environment(**options: Any) -> Environment:
    """Return what Django's Jinja2 backend renders with: the filters that Django's templates have too.

    A name that was not handed over is an error: a number that is missing by mistake must not look like none.
    """
    made = Environment(
        **{**options, "undefined": StrictUndefined, "trim_blocks": True, "lstrip_blocks": True}
    )
    made.filters.update(cells.FILTERS)
    made.globals["zip"] = zip
    return made


def hot(template: str, context: dict[str, Any]) -> str:
    """Return a part as HTML."""
    rendered: str = engines[ENGINE].get_template(template).render(context)
    return rendered
