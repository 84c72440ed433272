"""Taking claims from a file: every line is checked before the first is written, and all are or none."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import transaction

from server.benchmarks.registry import metrics_by_key
from server.catalog.files import facts_by_key
from server.catalog.models import Citation, Claim, DriveAlias, DriveModel, VendorAlias
from server.catalog.signals import catalogue_changed
from server.claims.file_format import (
    COLUMNS,
    NEEDED,
    NUMBERS,
    ClaimFileError,
    Entry,
    claims_read,
    number_read,
)
from server.core.csv_text import CSVWriter
from server.core.locks import transaction_lock
from server.core.text import did_you_mean, normalize_name
from server.core.units import convert_stated

KEY = ("drive_model_id", "citation_id", "locator", "metric", "scope", "form", "quantity", "conditions")
_REST = ("low", "high", "unit", "tolerance", "write_cache", "stated_on", "printed", "note")
_CHOICES = {
    "form": list(Claim.BoundType.values),
    "quantity": list(Claim.Quantity.values),
    "write_cache": list(Claim.WriteCache.values),
}


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    created: list[Claim] = field(default_factory=list)
    changed: list[Claim] = field(default_factory=list)
    unchanged: list[Claim] = field(default_factory=list)


@transaction.atomic
def claims_import(content: bytes, *, dry_run: bool = False) -> ImportReport:
    """Bring the claims of a CSV or JSON file into the catalogue; with `dry_run` only say what would happen.

    A claim is the same where model, document, locator, metric, scope, form, quantity and conditions are.
    Raises ClaimFileError with every line that is wrong; nothing is written then.
    """
    entries = claims_read(content)
    transaction_lock("catalog")
    claims = _checked(entries)
    existing = {
        tuple(getattr(row, name) for name in KEY): row
        for row in Claim.objects.filter(drive_model__in={claim.drive_model_id for claim in claims})
    }
    report = ImportReport()
    for claim in claims:
        row = existing.get(tuple(getattr(claim, name) for name in KEY))
        if row is None:
            report.created.append(claim)
        elif all(getattr(row, name) == getattr(claim, name) for name in _REST):
            report.unchanged.append(claim)
        else:
            claim.pk, claim.loaded_digest, claim.hidden = row.pk, row.loaded_digest, row.hidden
            report.changed.append(claim)
    if not dry_run:
        written = [*report.created, *report.changed]
        for claim in written:
            claim.save()
        changed = {claim.drive_model_id for claim in written}
        catalogue_changed.send(sender=Claim, drive_model_ids=changed, at_once=False)
    return report


def _checked(entries: list[Entry]) -> list[Claim]:
    lookup = _Lookup()
    errors: list[str] = []
    claims: list[Claim] = []
    seen: dict[tuple[object, ...], str] = {}
    for entry in entries:
        claim, wrong = lookup.claim(entry)
        if claim is not None and not wrong:
            key = tuple(getattr(claim, name) for name in KEY)
            if key in seen:
                wrong = [
                    f"it is the same claim as {seen[key]}. A file states a claim once. "
                    "Remove one, or tell their conditions apart."
                ]
            seen.setdefault(key, entry.where)
            claims.append(claim)
        errors += [f"{entry.where}: {text}" for text in wrong]
    if errors:
        raise ClaimFileError(errors)
    return claims


def _bounds(fields: dict[str, str], numbers: dict[str, float], unit: str) -> dict[str, float | None]:
    """Return low and high in the metric's unit; `value` stands for what the form has."""
    if "value" in numbers and ("low" in numbers or "high" in numbers):
        raise ValueError("value stands beside low or high. A claim has one or the other. Empty one of them.")
    form = fields["form"]
    low = numbers.get("value", numbers.get("low")) if form != "maximum" else numbers.get("low")
    high = numbers.get("value", numbers.get("high")) if form != "minimum" else numbers.get("high")
    if form == "typical":
        low, high = (low if low is not None else high), (high if high is not None else low)
    return {
        name: None if value is None else convert_stated(value, fields["unit"], unit)
        for name, value in (("low", low), ("high", high))
    }


def _claim(
    fields: dict[str, str],
    place: tuple[DriveModel, Citation, str],
    bounds: dict[str, float | None],
    tolerance: float | None,
) -> Claim:
    model, citation, unit = place
    printed = fields["printed"]
    if not printed and unit != fields["unit"]:
        numbers = fields["value"] or " to ".join(text for text in (fields["low"], fields["high"]) if text)
        printed = f"{numbers} {fields['unit']}"
    return Claim(
        drive_model=model,
        citation=citation,
        unit=unit,
        tolerance=tolerance,
        printed=printed,
        quantity=fields["quantity"] or Claim.Quantity.SAME,
        **bounds,
        **{
            name: fields[name]
            for name in (
                "locator",
                "metric",
                "scope",
                "form",
                "conditions",
                "write_cache",
                "stated_on",
                "note",
            )
        },
    )


def _model_errors(claim: Claim) -> list[str]:
    """Return what the table's own checks say: lengths, dates, fractions, and numbers that fit the form."""
    try:
        claim.clean_fields(exclude=["drive_model", "citation"])
        claim.clean()
    except ValidationError as error:
        return [f"{name}: {text}" for name, texts in error.message_dict.items() for text in texts]
    return []


class _Lookup:
    """What the names in a file may mean, read once."""

    def __init__(self) -> None:
        self._models = list(DriveModel.objects.select_related("vendor"))
        aliases = DriveAlias.objects.select_related("drive_model__vendor")
        self._by_name = {row.normalized: row.drive_model for row in aliases}
        self._vendors = {row.normalized: row.vendor_id for row in VendorAlias.objects.all()}
        self._vendors |= {model.vendor.normalized: model.vendor_id for model in self._models}
        self._citations = {row.key: row for row in Citation.objects.all()}
        self._units = {key: metric.unit for key, metric in metrics_by_key().items()}
        self._units |= {key: fact.unit for key, fact in facts_by_key().items()}

    def claim(self, entry: Entry) -> tuple[Claim | None, list[str]]:
        """Return the claim that an entry states, not yet saved, or all that is wrong with it."""
        fields = entry.fields
        errors = [f"{name} is empty. It is needed. Fill it in." for name in NEEDED if not fields[name]]
        if errors:
            return None, errors
        model = self._model(fields["vendor"], fields["model"], errors)
        citation = self._citation(fields["document"], errors)
        unit = self._unit(fields["metric"], errors)
        numbers = _numbers(fields, errors)
        for name, choices in _CHOICES.items():
            if fields[name] and fields[name] not in choices:
                errors.append(f"{name} is {fields[name]!r}. It may be {', '.join(choices)}. Choose one.")
        if errors or model is None or citation is None or unit is None:
            return None, errors
        try:
            bounds = _bounds(fields, numbers, unit)
        except ValueError as error:  # UnitError among them
            return None, [str(error)]
        claim = _claim(fields, (model, citation, unit), bounds, numbers.get("tolerance"))
        return claim, _model_errors(claim)

    def _model(self, vendor: str, number: str, errors: list[str]) -> DriveModel | None:
        named = self._by_name.get(normalize_name(f"{vendor} {number}"))
        if named is None and not vendor:
            named = self._by_name.get(normalize_name(number))
        vendor_id = self._vendors.get(normalize_name(vendor))
        found = [
            model
            for model in self._models
            if model.normalized == normalize_name(number) and (not vendor or model.vendor_id == vendor_id)
        ]
        if named is not None or len(found) == 1:
            return named or found[0]
        wanted = f"{vendor} {number}".strip()
        if found:
            makers = ", ".join(sorted(model.vendor.name for model in found))
            errors.append(f"the model {wanted!r} is made by {makers}. One vendor is needed. Give vendor.")
            return None
        titles = {f"{model.vendor.name} {model.number}" for model in self._models}
        errors.append(
            f"the model {wanted!r} is not in the catalogue.{did_you_mean(wanted, titles)} "
            "Claims need a known model. Add the model first, or mend its name."
        )
        return None

    def _citation(self, key: str, errors: list[str]) -> Citation | None:
        if key not in self._citations:
            errors.append(
                f"the document {key!r} is not among the citations.{did_you_mean(key, self._citations)} "
                "A claim cites a known one. Add it under Citations first, or mend its key."
            )
        return self._citations.get(key)

    def _unit(self, metric: str, errors: list[str]) -> str | None:
        if metric not in self._units:
            errors.append(
                f"the metric {metric!r} is not registered.{did_you_mean(metric, self._units)} "
                "A claim is of a registered metric or a known fact. Take one of the pages under /methods/."
            )
        return self._units.get(metric)


def _numbers(fields: dict[str, str], errors: list[str]) -> dict[str, float]:
    found = {}
    for name in NUMBERS:
        if fields[name]:
            try:
                found[name] = number_read(fields[name])
            except ValueError as error:
                errors.append(f"{name}: {error}.")
    return found


def claims_export(claims: Iterable[Claim]) -> str:
    """Return claims as CSV that `claims_import` takes again; no cell is a formula to a spreadsheet."""
    out = io.StringIO(newline="")
    writer = CSVWriter(out)
    writer.writerow(COLUMNS)
    for claim in claims:
        cells = {name: str(getattr(claim, name, "")) for name in COLUMNS if name not in NUMBERS}
        cells |= {
            "vendor": claim.drive_model.vendor.name,
            "model": claim.drive_model.number,
            "document": claim.citation.key,
        }
        numbers = {name: getattr(claim, name, None) for name in NUMBERS}
        writer.writerow(numbers[name] if name in numbers else cells[name] for name in COLUMNS)
    return out.getvalue()
