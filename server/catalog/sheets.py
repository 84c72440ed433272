"""Vendors' documents as files: one manual or data sheet each, what it states, and of which models.

A file names a fact (`latency`, `sustained_outer`), and this module knows which metric that is a claim about.
Pure; `python -m tools.check_catalogue` says what is missing or contradicts itself in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from server.benchmarks.contract import Measurand
from server.benchmarks.measurands import source
from server.catalog.files import rotation_ratings
from server.catalog.names import drive_name, same_house
from server.core.units import UnitError, convert, convert_stated


@dataclass(frozen=True, slots=True)
class Fact:
    """What a document can state of a model, and what the archive holds against it."""

    metric: str
    unit: str
    """The archive's; a file gives the document's own, which has to measure the same."""
    form: str = "typical"
    scope: str = ""
    quantity: str = "same"
    conditions: str = ""
    least: float = 0.0
    greatest: float = float("inf")
    """Between these, in `unit`, a disk's number lies: outside it is a slip or in another unit."""


def _metric(measurand: Measurand) -> str:
    return source(measurand)[0]


def _rate(measurand: Measurand, form: str, quantity: str = "same") -> Fact:
    return Fact(_metric(measurand), "MB/s", form, quantity=quantity, least=25.0, greatest=700.0)


def _seek(measurand: Measurand, of: str) -> Fact:
    """Seeks are measured by reading: a seek to write is something that nothing here measures."""
    quantity = "same" if of == "read" else "other"
    metric = _metric(measurand)
    return Fact(metric, "ms", "typical", "without_mtm", quantity, of, least=0.05, greatest=60.0)


FACTS: dict[str, Fact] = {
    "rotation": Fact(_metric(Measurand.ROTATION_RATE), "rpm"),
    "latency": Fact("published.average_latency", "ms", quantity="other", least=1.5, greatest=9.0),
    "sustained_outer": _rate(Measurand.OUTER_BANDWIDTH, "maximum"),
    "sustained_inner": _rate(Measurand.INNER_BANDWIDTH, "minimum"),
    "media_outer": _rate(Measurand.OUTER_BANDWIDTH, "maximum", "raw_media"),
    "media_inner": _rate(Measurand.INNER_BANDWIDTH, "minimum", "raw_media"),
    "seek_read": _seek(Measurand.AVERAGE_SEEK, "read"),
    "seek_write": _seek(Measurand.AVERAGE_SEEK, "write"),
    "single_track_read": _seek(Measurand.SHORTEST_SEEK, "read"),
    "single_track_write": _seek(Measurand.SHORTEST_SEEK, "write"),
    "full_stroke_read": _seek(Measurand.FULL_STROKE, "read"),
    "full_stroke_write": _seek(Measurand.FULL_STROKE, "write"),
    "cache": Fact("published.buffer_memory", "KiB", quantity="other", least=1024, greatest=4 * 1024**2),
    "surfaces": Fact(_metric(Measurand.SURFACES), "1", least=1, greatest=24),
}
"""`seek_*` are without the overhead of a command, as makers mostly print them; a document that includes it
says so in `conditions`, with the scope `with_mtm`."""
WANTED = ("sustained_outer", "latency", "rotation", "seek_read", "cache", "surfaces")
"""What each model should have, where the document states it; `recording` beside them."""
_NUMBERED = ("manual", "data sheet")
LATENCY_TOLERANCE = 0.015
"""How far a printed latency may be from half a turn: 5.5 and 4.2 ms are printed for 5.56 and 4.17."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is missing in a file, or can't be so."""

    sheet: str
    entry: str
    words: str
    """The fact, the limit and the remedy."""

    def __str__(self) -> str:
        return f"sheets/{self.sheet}.json, {self.entry}: {self.words}"


def citation_of(key: str, sheet: dict[str, Any]) -> dict[str, Any]:
    """Return the document as a row of citations; its title holds number and revision."""
    document = sheet["document"]
    parts = [document["title"], document.get("number", "")]
    if document.get("revision"):
        parts.append(f"Rev. {document['revision']}")
    return {
        "key": key,
        "authors": document["authors"],
        "title": ", ".join(part for part in parts if part),
        "year": int(document["date"][:4]),
        "publisher": document.get("publisher", ""),
        "url": document.get("url", ""),
    }


def models_of(sheet: dict[str, Any]) -> list[str]:
    """Return the numbers of all models that a document is about, in its order."""
    return [number for numbers in sheet["models"].values() for number in numbers]


def claims_of(sheet: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the claims of a document as rows without their citation, by model, units as stored."""
    rows: dict[str, list[dict[str, Any]]] = {number: [] for number in models_of(sheet)}
    for entry in sheet["facts"]:
        row = _claim(entry, sheet["document"])
        for number in _numbers(entry, sheet):
            rows[number].append(row)
    return rows


def identity_of(sheet: dict[str, Any], number: str) -> dict[str, Any]:
    """Return what the document says a model is; an empty text or None where it says nothing."""
    facts = {entry["fact"]: entry["value"] for entry in sheet["facts"] if number in _numbers(entry, sheet)}
    recording = sheet.get("recording", {})
    title = citation_of("", sheet)["title"]
    return {
        "notes": f'Recording: "{recording["printed"]}" ({title}, page {recording["page"]}).'
        if recording
        else "",
        "family": sheet.get("family", ""),
        "interface": sheet.get("interface", ""),
        "form_factor": sheet.get("form_factor", ""),
        "recording": recording.get("method", ""),
        "rated_rpm": facts.get("rotation"),
        "rated_surfaces": facts.get("surfaces"),
    }


def findings(key: str, sheet: dict[str, Any]) -> list[Finding]:
    """Return all that is missing in a file or contradicts itself, in the order of the file."""
    return [Finding(key, entry, words) for entry, words in _findings(sheet)]


def not_stated(sheet: dict[str, Any]) -> list[str]:
    """Return which of the wanted facts the file has for none of its models. No mistake: many documents state
    a part only."""
    stated = {entry["fact"] for entry in sheet["facts"]}
    missing = [fact for fact in WANTED if fact not in stated]
    return missing if sheet.get("recording") else [*missing, "recording"]


def _claim(entry: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    fact = FACTS[entry["fact"]]
    value = convert_stated(entry["value"], entry["unit"], fact.unit)
    form = entry.get("form", fact.form)
    conditions = ", ".join(text for text in (fact.conditions, entry.get("conditions", "")) if text)
    page = f"page {entry['page']}" if entry.get("page") else ""
    notes = [entry.get("note", "")]
    if document["kind"] == "quoted":
        notes.insert(0, "As quoted there; the maker's own document was not read.")
    if document.get("copy"):
        notes.append(f"Of the copy that was read: {document['copy']}.")
    return {
        "locator": ", ".join(text for text in (page, entry.get("section", "")) if text),
        "stated_on": document["date"],
        "metric": fact.metric,
        "scope": entry.get("scope", fact.scope),
        "form": form,
        "quantity": fact.quantity,
        "low": value if form != "maximum" else None,
        "high": value if form != "minimum" else None,
        "unit": fact.unit,
        "printed": entry["printed"],
        "conditions": conditions,
        "note": " ".join(note for note in notes if note),
    }


def _numbers(entry: dict[str, Any], sheet: dict[str, Any]) -> list[str]:
    groups = entry.get("of", list(sheet["models"]))
    return [number for group in groups for number in sheet["models"].get(group, [])]


# ---- What may be wrong.


def _findings(sheet: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _document_findings(sheet["document"])
    yield from _model_findings(sheet)
    for index, entry in enumerate(sheet["facts"], start=1):
        for words in _fact_findings(entry, sheet):
            yield f"fact {index} ({entry['fact']})", words
    yield from _contradictions(sheet)


def _document_findings(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    entry = "document"
    if not (document.get("number") or document.get("revision")) and document["kind"] in _NUMBERED:
        yield (
            entry,
            (
                "it has no number and no revision. A maker's manual or data sheet is found again by them. "
                "Give number or revision, as its front page has it."
            ),
        )
    if not document.get("date"):
        yield (
            entry,
            (
                "it has no date. A claim says when it was made. Give date: year, month or day, as the "
                "document has it; where it has none, the claim can't be entered."
            ),
        )
    if document["kind"] == "quoted" and not document.get("quotes"):
        yield (
            entry,
            (
                "it quotes another document and does not say which. A reader has to know whose numbers these "
                "are. Give quotes in the words of the document."
            ),
        )


def _model_findings(sheet: dict[str, Any]) -> Iterator[tuple[str, str]]:
    maker = sheet["maker"]
    for number, count in Counter(models_of(sheet)).items():
        if count > 1:
            yield f"model {number}", f"it is listed {count} times. A model stands in one group. Remove one."
    for number in dict.fromkeys(models_of(sheet)):
        name = drive_name(None, number)
        if not name.maker or (name.model, name.variant) != (number, ""):
            yield (
                f"model {number}",
                (
                    f"the rules for makers' numbers read it as {name.model!r} of {name.maker or 'nobody'}. A "
                    "claim is about a known model, without its variant. Mend the number, or add its scheme "
                    "to names/numbers.toml."
                ),
            )
        elif not same_house(name.maker, maker):
            yield (
                f"model {number}",
                (
                    f"the number is {name.maker}'s, and the document {maker}'s. A maker states claims of "
                    "its own drives. Mend maker, or take the model out."
                ),
            )
        if not any(number in _numbers(entry, sheet) for entry in sheet["facts"]):
            yield (
                f"model {number}",
                "no fact is of it. A model is there for its claims. Add one, or remove it.",
            )


def _fact_findings(entry: dict[str, Any], sheet: dict[str, Any]) -> Iterator[str]:
    fact = FACTS[entry["fact"]]
    if not entry.get("page") and not entry.get("section"):
        yield (
            "it has no page. A reader looks the number up. Give page, as the document numbers it; section "
            "alone only where it has no pages."
        )
    for group in entry.get("of", []):
        if group not in sheet["models"]:
            known = ", ".join(sheet["models"])
            yield f"the group {group!r} is not among models. Groups are {known}. Name one of them."
    try:
        value = convert(entry["value"], entry["unit"], fact.unit)
    except UnitError as error:
        yield str(error)
        return
    if not fact.least <= value <= fact.greatest:
        yield (
            f"{entry['value']:g} {entry['unit']} are {value:g} {fact.unit}. Disks have {fact.least:g} to "
            f"{fact.greatest:g} {fact.unit}. Look at the number and its unit again: Mb/s are bits."
        )
    if entry["fact"] == "cache" and entry["unit"] in ("MB", "kB"):
        yield (
            f"the cache is given in {entry['unit']}. A memory of 64 MB has 2^26 bytes. Write MiB, and the "
            "document's MB in printed."
        )
    if entry["fact"] == "surfaces" and value != int(value):
        yield f"{value:g} surfaces are no whole number. A head reads one. Give the number of heads."
    if entry["fact"] == "rotation" and not _rated(value):
        yield f"{value:g} rpm is in no rating known. Ratings are in rotation_ratings.json. Mend it or add it."


def _rated(rpm: float) -> bool:
    return any(rating.rpm == rpm for rating in rotation_ratings())


_ORDERED = (
    ("sustained_inner", "sustained_outer"),
    ("media_inner", "media_outer"),
    ("single_track_read", "seek_read"),
    ("seek_read", "full_stroke_read"),
    ("single_track_write", "seek_write"),
    ("seek_write", "full_stroke_write"),
)
"""Of each pair the first is at most the second."""


def _contradictions(sheet: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what can't be true together, each once though many models have it."""
    given: dict[tuple[str, str], None] = {}
    for number in dict.fromkeys(models_of(sheet)):
        for words in _model_contradictions(sheet, number):
            given.setdefault(words)
    yield from given


def _model_contradictions(sheet: dict[str, Any], number: str) -> Iterator[tuple[str, str]]:
    values: dict[str, float] = {}
    seen: set[tuple[str, str, str]] = set()
    for entry in sheet["facts"]:
        if number not in _numbers(entry, sheet):
            continue
        key = (entry["fact"], entry.get("scope", ""), entry.get("conditions", ""))
        if key in seen:
            yield (
                f"model {number}",
                f"{entry['fact']} is stated twice under the same conditions. A document states a number "
                "once. Tell the groups or the conditions apart.",
            )
        seen.add(key)
        fact = FACTS[entry["fact"]]
        try:
            values.setdefault(entry["fact"], convert(entry["value"], entry["unit"], fact.unit))
        except UnitError:
            continue
    latency, rotation = values.get("latency"), values.get("rotation")
    if latency and rotation and abs(latency * rotation / 30_000 - 1) > LATENCY_TOLERANCE:
        yield (
            "latency",
            f"{latency:g} ms is not half a turn at {rotation:g} rpm, which is {30_000 / rotation:.2f} ms. "
            "The average latency is half a turn. Look at both in the document again.",
        )
    for less, more in _ORDERED:
        if less in values and more in values and values[less] > values[more]:
            yield (
                less,
                f"{values[less]:g} is above {more}, {values[more]:g} {FACTS[more].unit}. It may be at most "
                "that. Exchange them, or look at the groups again.",
            )
    stated = drive_name(None, number).facts.get("rotation_rpm")
    if stated and rotation and stated.value != rotation:
        yield (
            f"model {number}",
            f"its number says {stated.value} rpm, the file {rotation:g}. One is wrong. Look at the document, "
            "and at the scheme in names/numbers.toml.",
        )
