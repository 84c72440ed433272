"""Administration of vendors' claims: a form that knows the metrics, and files."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from server.benchmarks.registry import kinds_by_slug, metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import Claim
from server.catalog.signals import catalogue_changed
from server.claims.file_format import COLUMNS, MAX_BYTES, NEEDED, ClaimFileError
from server.claims.import_file import ImportReport, claims_export, claims_import
from server.core.units import UnitError, convert_stated

_CITED_FIRST = "A claim cites a document: add the document under Citations first."


def metric_choices() -> list[tuple[str, Any]]:
    """Return metrics by kind, then the facts that no benchmark measures."""
    groups: list[tuple[str, Any]] = [
        (kind.title, [(metric.key, f"{metric.title} ({metric.unit})") for metric in kind.metrics])
        for kind in kinds_by_slug().values()
    ]
    facts = [(fact.key, f"{fact.title} ({fact.unit})") for fact in facts_by_key().values()]
    return [("", "choose a metric"), *groups, ("Not measured by any benchmark", facts)]


def metric_unit(key: str) -> str | None:
    """Return the unit in which numbers of a metric or fact are kept."""
    metric, fact = metrics_by_key().get(key), facts_by_key().get(key)
    return metric.unit if metric else fact.unit if fact else None


class ClaimForm(forms.ModelForm):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """A claim; a number in another unit of the metric's dimension is converted, and kept as printed."""

    metric = forms.ChoiceField(help_text="What the claim is about, with the unit in which it is kept.")
    unit = forms.CharField(
        max_length=16, help_text="As the document has it; another unit of the same kind is converted."
    )

    class Meta:
        model = Claim
        fields = (
            "drive_model",
            "metric",
            "scope",
            "form",
            "low",
            "high",
            "unit",
            "quantity",
            "tolerance",
            "conditions",
            "write_cache",
            "citation",
            "locator",
            "stated_on",
            "printed",
            "note",
            "hidden",
        )
        help_texts = {"citation": _CITED_FIRST}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer the metrics; one that is no longer registered stays on offer where a claim has it."""
        super().__init__(*args, **kwargs)
        choices = metric_choices()
        present = self.instance.metric
        if present and metric_unit(present) is None:
            choices.append((present, f"{present} (no longer registered)"))
        field = self.fields["metric"]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    def clean(self) -> dict[str, Any]:
        """Bring the numbers into the metric's unit."""
        data: dict[str, Any] = super().clean() or {}
        unit, target = data.get("unit"), metric_unit(data.get("metric") or "")
        if not unit or target is None or unit == target:
            return data
        printed = " to ".join(
            dict.fromkeys(f"{data[name]:g}" for name in ("low", "high") if data.get(name) is not None)
        )
        try:
            for name in ("low", "high"):
                if data.get(name) is not None:
                    data[name] = convert_stated(data[name], unit, target)
        except UnitError as error:
            self.add_error("unit", str(error))
            return data
        data["printed"] = data.get("printed") or f"{printed} {unit}"
        data["unit"] = target
        return data


class ClaimFileForm(forms.Form):
    """A file of claims."""

    file = forms.FileField(help_text=f"CSV or JSON in UTF-8, at most {MAX_BYTES // 1024 // 1024} MiB.")
    dry_run = forms.BooleanField(
        required=False, initial=True, label="Only show what would happen", help_text="Nothing is written."
    )

    def clean_file(self) -> UploadedFile[Any]:
        """Refuse a file that is too large before it is read."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes. The limit is {MAX_BYTES:,}. Import it in parts."
            )
        return file


@admin.register(Claim)
class ClaimAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # stubs make it generic, Django does not
    """Vendors' claims: entered one by one, or taken from a file."""

    form = ClaimForm
    change_list_template = "admin/catalog/claim/change_list.html"
    list_display = ("drive_model", "metric", "scope", "form", "low", "high", "unit", "quantity", "hidden")
    list_filter = ("form", "quantity", "hidden", "citation")
    list_select_related = ("drive_model__vendor",)
    search_fields = ("drive_model__number", "drive_model__name", "metric", "printed")
    autocomplete_fields = ("drive_model",)
    actions = ("export",)

    def save_model(self, request: HttpRequest, obj: Claim, form: forms.ModelForm[Any], change: bool) -> None:
        """Save, and have the model's verdicts follow; a claim that was moved leaves a model that changed
        too."""
        before = Claim.objects.filter(pk=obj.pk).values_list("drive_model_id", flat=True)
        touched = {obj.drive_model_id, *before}
        super().save_model(request, obj, form, change)
        catalogue_changed.send(sender=Claim, drive_model_ids=touched, at_once=False)

    def delete_model(self, request: HttpRequest, obj: Claim) -> None:
        """Remove, and have the model's verdicts follow."""
        super().delete_model(request, obj)
        catalogue_changed.send(sender=Claim, drive_model_ids={obj.drive_model_id}, at_once=False)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Claim]) -> None:
        """Remove the chosen ones, and have the models' verdicts follow."""
        touched = set(queryset.values_list("drive_model_id", flat=True))
        super().delete_queryset(request, queryset)
        catalogue_changed.send(sender=Claim, drive_model_ids=touched, at_once=False)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that takes a file."""
        name = "catalog_claim_import"
        return [path("import/", self.admin_site.admin_view(self.import_view), name=name), *super().get_urls()]

    def import_view(self, request: HttpRequest) -> HttpResponse:
        """Take a file, or show what it would do."""
        if not (self.has_add_permission(request) and self.has_change_permission(request)):
            raise PermissionDenied
        form = ClaimFileForm(request.POST or None, request.FILES or None)
        context: dict[str, Any] = {"report": None, "errors": [], "dry_run": True}
        if request.method == "POST" and form.is_valid():
            context["dry_run"] = form.cleaned_data["dry_run"]
            try:
                report = claims_import(form.cleaned_data["file"].read(), dry_run=context["dry_run"])
            except ClaimFileError as error:
                context["errors"] = error.errors
            else:
                context["report"] = report
                self._note(request, report, form)
        context |= self.admin_site.each_context(request) | {
            "title": "Import claims",
            "form": form,
            "opts": self.model._meta,
            "columns": COLUMNS,
            "needed": NEEDED,
            "list_url": reverse("admin:catalog_claim_changelist"),
        }
        return TemplateResponse(request, "admin/catalog/claim/import.html", context)

    def _note(self, request: HttpRequest, report: ImportReport, form: ClaimFileForm) -> None:
        """Log each claim that was written, and say how many there are."""
        if form.cleaned_data["dry_run"]:
            return
        name = form.cleaned_data["file"].name
        for claim in report.created:
            self.log_addition(request, claim, f"Imported from {name}")
        for claim in report.changed:
            self.log_change(request, claim, f"Changed by {name}")
        self.message_user(
            request,
            f"{len(report.created)} claims created, {len(report.changed)} changed, "
            f"{len(report.unchanged)} as they are",
            messages.SUCCESS,
        )

    @admin.action(description="Export as CSV, which import takes again")
    def export(self, request: HttpRequest, queryset: QuerySet[Claim]) -> HttpResponse:
        """Answer with the chosen claims as a file."""
        chosen = queryset.select_related("drive_model__vendor", "citation").order_by("pk")
        response = HttpResponse(claims_export(chosen), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="claims.csv"'
        return response
