"""What programs look for at fixed addresses: which pages there are, and whom to tell of a hole."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.http import Http404, HttpRequest, HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from server.benchmarks.registry import kinds_by_slug
from server.catalog.models import DriveModel
from server.core import clock
from server.measurements.selectors import drive_models_public
from server.web.views.reference import ESSAYS

if TYPE_CHECKING:
    _Sitemap = Sitemap[Any]
else:
    _Sitemap = Sitemap

_PRIVATE = ("/accounts/", "/admin/", "/follow/", "/moderation/", "/drives/suggest/", "/compare/suggest/")
_PAGES = (
    *("home", "drive-list", "drive-ask", "compare", "explore", "claims", "contribute", "file-import"),
    *("method-list", "method-claims", "about", "datasets", "api-reference", "schema-list", "problem-list"),
    "licenses",
)
_SECURITY_DAYS = 180
"""RFC 9116 has a file that is good for less than a year."""
_DAY_S = 86_400


class PageSitemap(_Sitemap):
    """The pages that are no drive's."""

    def items(self) -> list[tuple[str, ...]]:
        """Return names of views with their arguments."""
        methods = [("method-detail", slug) for slug in (*kinds_by_slug(), *ESSAYS)]
        return [*((name,) for name in _PAGES), *methods]

    def location(self, item: tuple[str, ...]) -> str:
        return reverse(item[0], args=item[1:])


class DriveSitemap(_Sitemap):
    """The drives' pages."""

    limit = 10_000

    def items(self) -> Any:
        """Return slugs of public models with the time of their last change."""
        models = DriveModel.objects.filter(drive_models_public()).order_by("slug")
        return models.values_list("slug", "updated_at")

    def location(self, item: tuple[str, datetime]) -> str:
        return reverse("drive-detail", args=[item[0]])

    def lastmod(self, item: tuple[str, datetime]) -> datetime:
        return item[1]

    def get_latest_lastmod(self) -> None:
        """Return nothing: the index of the maps is not worth reading all models."""


SITEMAPS = {"pages": PageSitemap, "drives": DriveSitemap}


@require_safe
@cache_control(public=True, max_age=_DAY_S)
def robots(request: HttpRequest) -> HttpResponse:
    """Say what crawlers leave alone, and where the map is (RFC 9309)."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _PRIVATE)]
    return _text([*lines, "", f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}"])


@require_safe
@cache_control(public=True, max_age=_DAY_S)
def security(request: HttpRequest) -> HttpResponse:
    """Say whom to tell of a hole (RFC 9116), where the operator has named somebody."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    today = clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
    expires = today + timedelta(days=_SECURITY_DAYS)
    return _text(
        [
            f"Contact: {settings.SECURITY_CONTACT}",
            f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
            "Preferred-Languages: en",
            f"Canonical: {settings.SITE_URL}{reverse('security')}",
        ]
    )


class FaviconView(RedirectView):
    """Leads those who look for an icon without reading a page to it."""

    http_method_names = ["get", "head", "options"]

    def get_redirect_url(self, *args: Any, **kwargs: Any) -> str:
        return static("web/mark.svg")


def _text(lines: list[str]) -> HttpResponse:
    return HttpResponse("\n".join([*lines, ""]), content_type="text/plain; charset=utf-8")
