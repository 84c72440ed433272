"""Every page of the site by name, and what each must hold. A new page is a new line of `PAGES`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from server.catalog.models import DriveModel
from server.core.lifecycle import Provenance
from server.measurements.models import Run
from tests.e2e.audit import audit

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = {"phone": 360, "desk": 1440}
GRAVE = ("serious", "critical")
SCREENSHOTS = Path(os.environ["SCREENSHOTS"]) if os.environ.get("SCREENSHOTS") else None
"""A folder for pictures of all pages, where one is asked for."""


def _run(model: DriveModel, provenance: Provenance = Provenance.PROBE) -> str:
    run = Run.objects.filter(drive_model=model, provenance=provenance).latest("created_at")
    return f"/runs/{run.pk}/"


FIVE = ("", "~sim", "~lit", "~batch:2026-w07", "~fw:S1")
"""What is compared of the sample archive's model, as ends of its key."""
PAGES: dict[str, Callable[[DriveModel], str]] = {
    "home": lambda model: "/",
    "drives": lambda model: "/drives/",
    "ask": lambda model: "/drives/ask/?q=ST4000DM000",
    "columns": lambda model: "/drives/columns/",
    "drives-none": lambda model: "/drives/?q=nothing-like-it",
    "drive": lambda model: f"/drives/{model.slug}/",
    "unit-detail": lambda model: f"/drives/{model.slug}/units/{'ab' * 6}/",
    "drive-numbers": lambda model: f"/drives/{model.slug}/numbers/skippy/",
    "batches": lambda model: f"/drives/{model.slug}/batches/",
    "batch": lambda model: f"/drives/{model.slug}/batches/2026-w07/",
    "firmware": lambda model: f"/drives/{model.slug}/firmware/S1/",
    "badge": lambda model: f"/drives/{model.slug}/badge/",
    "follow": lambda model: f"/drives/{model.slug}/follow/",
    "run": _run,
    "simulated": lambda model: _run(model, Provenance.SIMULATED),
    "table": lambda model: f"{_run(model)}charts/skippy/sawtooth-outer/",
    "compare": lambda model: "/compare/",
    "compare-two": lambda model: f"/compare/?d={model.slug}&d={model.slug}~sim",
    "compare-five": lambda model: "/compare/?" + "&".join(f"d={model.slug}{end}" for end in FIVE),
    "claims": lambda model: "/claims/",
    "methods": lambda model: "/methods/",
    "method": lambda model: "/methods/skippy/",
    "statistics": lambda model: "/methods/statistics/",
    "log": lambda model: "/methods/log/",
    "method-claims": lambda model: "/methods/claims/",
    "contribute": lambda model: "/contribute/",
    "import": lambda model: "/contribute/import/",
    "datasets": lambda model: "/datasets/",
    "decisions": lambda model: "/moderation/decisions/",
    "about": lambda model: "/about/",
    "problems": lambda model: "/problems/",
    "problem": lambda model: "/problems/bad-signature/",
    "schemas": lambda model: "/schema/",
    "licenses": lambda model: "/licenses/",
    "missing": lambda model: "/no/such/page/",
}
"""Name to address, for the model of the sample archive."""
ANSWERED_404 = {"missing"}


def address_of(name: str, model: DriveModel) -> str:
    """Return the address of a page."""
    return PAGES[name](model)


def settle_charts(page: Page) -> None:
    """Unfold the page, bring every chart near the window, so that it is drawn, and return to the top."""
    page.evaluate(
        "for (const d of document.querySelectorAll('details.fold, details:has(figure.chart)')) d.open = true"
    )
    for figure in page.locator("figure.chart").all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute("data-chart-state", "drawn")
    page.evaluate("scrollTo(0, 0)")


def axe_findings(page: Page) -> list[str]:
    """Return what axe-core finds that is serious or critical: the rule, and where."""
    # Evaluated by the browser's own debugger: a script element would be refused by the site's policy.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate("axe.run().then(results => results.violations)")
    return [
        f"{rule['impact']} {rule['id']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in GRAVE
        for node in rule["nodes"][:3]
    ]


def findings(page: Page, address: str, name: str, theme: str) -> list[str]:
    """Open a page and return what is wrong with it: errors in the console, scrolling sideways, basics of
    accessibility, and what axe finds. Both widths in the light theme, the narrow one in the dark."""
    found: list[str] = []
    page.goto(address, wait_until="load")
    for label, width in WIDTHS.items():
        if theme == "dark" and label != "phone":
            continue
        page.set_viewport_size({"width": width, "height": 900})
        settle_charts(page)
        if SCREENSHOTS:
            page.screenshot(path=SCREENSHOTS / f"{name}-{label}-{theme}.png", full_page=True)
        if (needed := page.evaluate("document.documentElement.scrollWidth")) > width:
            found.append(f"{label}: {needed} px are needed of {width}")
        found += [f"{label}: {finding}" for finding in audit(page)]
    return [*found, *axe_findings(page)]


def heard_errors(page: Page) -> list[str]:
    """Return the list that the page's console errors are written to from now on."""
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    return errors
