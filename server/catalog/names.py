"""Who made a drive and what it is, by the strings it gives: maker, reseller, family, model, variant.

The rules are tables (`data/names/`), with the document that each rests on. The probe reads the same tables
(`client/probe/src/identify/names.rs`), and `tests/contract/data/names.json` holds both to one answer.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "names"
_NAMED = {"number", "model", "variant"}
VENDOR_FIELD = 8
"""Letters of INQUIRY's vendor field (SPC-4, 6.6.2), which some bridges fill with the model's beginning."""
SHORTEST_SWAPPED = 10
_SIZE = re.compile(r"[0-9] ?[GT]i?B(?:[^0-9A-Za-z_]|$)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a number says, and the rule by which it does. Never put over what the drive itself says."""

    value: int | str
    rule: str


@dataclass(frozen=True, slots=True)
class DriveName:
    """What a drive's strings mean."""

    model: str
    """What a person looks for: `WD10EZEX`. The whole string where nothing is known of it."""
    maker: str = ""
    brand: str = ""
    """Who sold it, where that is somebody else than the maker."""
    variant: str = ""
    """What the maker tells drives of one model apart by: `75WN4A0`."""
    oem_part: str = ""
    family: str = ""
    kind: str = ""
    """`virtual` or `volume` for what is no drive of anyone."""
    rule: str = ""
    facts: Mapping[str, Decoded] = field(default_factory=dict)

    @property
    def vendor(self) -> str:
        """Under whose name the model is filed: the maker's, or the reseller's where the number hides it."""
        return self.maker or self.brand


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    pattern: re.Pattern[str]
    maker: str
    brand: str
    after: str
    as_written: bool
    scale: dict[str, int]
    values: dict[str, dict[str, int | str]]
    facts: dict[str, int | str]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    maker: str = ""
    brand: str = ""


@dataclass(frozen=True, slots=True)
class _Tables:
    rules: tuple[_Rule, ...]
    words: tuple[_Word, ...]
    """The longest first."""
    oem: tuple[tuple[re.Pattern[str], str], ...]
    not_a_drive: tuple[tuple[re.Pattern[str], str], ...]
    families: tuple[tuple[str, re.Pattern[str], str], ...]
    heirs: dict[str, str]
    resell: frozenset[str]
    """Makers that sold others' drives, too."""


@lru_cache(maxsize=4096)
def drive_name(vendor: str | None, model: str) -> DriveName:
    """Return what the strings of a drive mean; `vendor` is empty where the interface has no such field."""
    first, second = " ".join((vendor or "").split()), " ".join(model.split())
    joined = f"{first} {second}".strip()
    for pattern, kind in _tables().not_a_drive:
        if pattern.search(joined):
            return DriveName(model=joined, kind=kind)
    best = DriveName(model=second)
    for text, whole in _readings(first, second):
        found = _read(text)
        if found.rule and (not best.maker or same_house(best.maker, found.maker)):
            return replace(found, family=_family(found))
        if found.rule and found.maker and best.maker in _tables().resell:
            return replace(found, brand=found.brand or best.maker, family=_family(found))
        if found.vendor and not best.vendor:
            # A maker named in the middle says nothing of where the number begins.
            best = found if whole else replace(found, model=second)
    for text, names_maker in _run_together(joined):
        found = _read(text)
        if not found.maker or not found.rule or (best.maker and not same_house(best.maker, found.maker)):
            continue
        # Of nobody, only a number that says how large the drive is: others are two letters and some digits.
        if names_maker or best.maker or "capacity_gb" in found.facts:
            return replace(found, family=_family(found))
    return best


def makers() -> dict[str, list[str]]:
    """Return every maker and reseller with what fields call it."""
    names: dict[str, list[str]] = {}
    for word in _tables().words:
        if name := word.maker or word.brand:
            names.setdefault(name, []).append(word.text)
    return names


@cache
def former_families() -> dict[str, str]:
    """Return numbers with the family that an earlier table gave them, which no document bears out."""
    former: dict[str, list[str]] = _file("families.toml")["former"]
    return {number: family for family, numbers in former.items() for number in numbers}


@cache
def rule_source(rule: str) -> dict[str, str]:
    """Return the document that a rule rests on: its title, publisher and, where there is one, address."""
    source = next(one["source"] for one in _file("numbers.toml")["rule"] if one["id"] == rule)
    found: dict[str, str] = _file("makers.toml")["source"][source]
    return found


def names_nobody(vendor: str) -> bool:
    """Return whether a vendor field says nothing of a maker: empty, the bus's name, a bridge's."""
    return not vendor or any(
        word.text == _capitals(vendor) and not (word.maker or word.brand) for word in _tables().words
    )


def same_house(one: str, other: str) -> bool:
    """Return whether two makers are one by merger, so that a number may come under either name."""
    return _house(one) == _house(other)


# ---- One text.


def _readings(vendor: str, model: str) -> Iterator[tuple[str, bool]]:
    """Give the texts that the strings may stand for, the likeliest first, and whether they are all of it."""
    if len(vendor) == VENDOR_FIELD and _capitals(vendor) not in _known_words():
        yield vendor + model, True
    if vendor:
        yield f"{vendor} {model}", True
    yield model, True
    # IDENTIFY's words in the other byte order, as some bridges pass them on; a short text reads as anything.
    swapped = model if names_nobody(vendor) else vendor + model if len(vendor) == VENDOR_FIELD else ""
    if len(swapped) >= SHORTEST_SWAPPED:
        padded = swapped + " " * (len(swapped) % 2)
        yield "".join(padded[at + 1] + padded[at] for at in range(0, len(padded), 2)).strip(), True
    # A bridge's own words before the drive's.
    for at, letter in enumerate(model):
        if letter == " ":
            yield model[at + 1 :], False


def _run_together(text: str) -> Iterator[tuple[str, bool]]:
    """Give what a text may stand for where a bridge left a space out or put some in, and whether that begins
    with a maker's name: a name apart from what follows it, then the words of a number together. A size, as in
    `HD 500 GB`, is no part of a number."""
    capitals = _capitals(text)
    for word in _tables().words:
        if word.maker and capitals.startswith(word.text) and len(text) > len(word.text):
            yield f"{text[: len(word.text)]} {text[len(word.text) :]}", True
    if not _SIZE.search(text):
        words = text.split()
        for at in range(len(words) - 1):
            yield "".join(words[at:]), False


def _read(text: str) -> DriveName:
    """Return what a text means; without a rule where it only names a maker."""
    rest, brand, part = _without_oem(text)
    maker, last = "", text
    while True:
        found = _by_rule(rest, maker, brand)
        if found is not None:
            stated = brand or (maker if not same_house(maker, found.maker) else "")
            return replace(found, brand=found.brand or stated, oem_part=part)
        word = _leading_word(rest)
        if word is None or (maker and not word.maker):
            break
        last, rest = rest, rest[len(word.text) + 1 :].strip(" -")
        maker, brand = word.maker or maker, word.brand or brand
    if maker or brand:
        return DriveName(model=rest or last, maker=maker, brand=brand, oem_part=part)
    return DriveName(model=text)


def _without_oem(text: str) -> tuple[str, str, str]:
    """Return a text without the mark of the firm it was made for, that firm, and its part number."""
    for pattern, brand in _tables().oem:
        if found := pattern.search(text):
            part = found.groupdict().get("part") or ""
            return text[: found.start()].strip(), brand, _capitals(part)
    return text, "", ""


def _leading_word(text: str) -> _Word | None:
    """Return the name that a text begins with, if something else follows it or nothing does."""
    capitals = _capitals(text)
    for word in _tables().words:
        if capitals.startswith(word.text) and capitals[len(word.text) : len(word.text) + 1] in ("", *" -_"):
            return word
    return None


def _by_rule(text: str, maker: str, brand: str) -> DriveName | None:
    """Return what the first rule says that fits the text and whom it named before."""
    for rule in _tables().rules:
        if rule.after and rule.after not in (maker, brand):
            continue
        if maker and rule.maker and maker not in _tables().resell and not same_house(maker, rule.maker):
            continue
        if found := rule.pattern.match(text):
            return _named(rule, found, text)
    return None


def _named(rule: _Rule, found: re.Match[str], text: str) -> DriveName:
    groups = found.groupdict()
    model = groups.get("model") or groups["number"]
    variant = groups.get("variant") or _without_makers(text[found.end("number") :])
    return DriveName(
        model=model.strip() if rule.as_written else _capitals(model),
        maker=rule.maker,
        brand=rule.brand,
        variant=_capitals(variant),
        rule=rule.id,
        facts=_facts(rule, groups),
    )


def _without_makers(text: str) -> str:
    """Return what follows a number, without names that say what is known already."""
    return " ".join(word for word in text.strip(" -_").split() if _capitals(word) not in _known_words())


@cache
def _known_words() -> frozenset[str]:
    return frozenset(word.text for word in _tables().words)


def _facts(rule: _Rule, groups: dict[str, str | None]) -> dict[str, Decoded]:
    facts: dict[str, int | str] = dict(rule.facts)
    for fact, text in groups.items():
        if fact in _NAMED or text is None:
            continue
        if fact in rule.values:
            if (value := rule.values[fact].get(_capitals(text))) is not None:
                facts[fact] = value
        else:
            facts[fact] = int(text) * rule.scale.get(fact, 1)
    return {fact: Decoded(value, rule.id) for fact, value in sorted(facts.items())}


def _family(name: DriveName) -> str:
    for vendor, pattern, family in _tables().families:
        if vendor == name.vendor and (found := pattern.match(name.model)):
            return family or found.group()
    return ""


def _house(maker: str) -> str:
    heirs = _tables().heirs
    while maker in heirs:
        maker = heirs[maker]
    return maker


_CAPITALS = {small: small - 32 for small in range(ord("a"), ord("z") + 1)}


def _capitals(text: str) -> str:
    """Return a text in capitals, letters of ASCII alone: so that places in it stay the same."""
    return text.translate(_CAPITALS)


# ---- The tables.


@cache
def _tables() -> _Tables:
    makers_file = _file("makers.toml")
    words = [_Word(word, maker=one["name"]) for one in makers_file["maker"] for word in one["words"]]
    words += [_Word(word, brand=one["name"]) for one in makers_file["brand"] for word in one["words"]]
    words += [_Word(word) for word in makers_file["nobody"]]
    return _Tables(
        rules=tuple(_rule(one) for one in _file("numbers.toml")["rule"]),
        words=tuple(sorted(words, key=lambda word: -len(word.text))),
        oem=tuple((_compiled(_one_line(one["pattern"])), one["brand"]) for one in makers_file["oem"]),
        not_a_drive=tuple(
            (_compiled(_one_line(one["pattern"])), one["kind"]) for one in makers_file["not_a_drive"]
        ),
        families=tuple(
            (vendor, _compiled(f"^(?:{pattern})"), family)
            for vendor, entries in _file("families.toml")["family"].items()
            for pattern, family in entries
        ),
        heirs={one["name"]: one["part_of"] for one in makers_file["maker"] if "part_of" in one},
        resell=frozenset(one["name"] for one in makers_file["maker"] if one.get("resells")),
    )


def _rule(entry: dict[str, Any]) -> _Rule:
    return _Rule(
        id=entry["id"],
        pattern=_compiled(f"^(?P<number>{_one_line(entry['pattern'])})(?:[^0-9A-Z]|$)"),
        maker=entry.get("maker", ""),
        brand=entry.get("brand", ""),
        after=entry.get("after", ""),
        as_written=entry.get("as_written", False),
        scale=entry.get("scale", {}),
        values=entry.get("values", {}),
        facts=entry.get("facts", {}),
    )


def _one_line(pattern: str) -> str:
    """Return a pattern that a table writes on several lines as one."""
    return "".join(line.lstrip() for line in pattern.splitlines())


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.ASCII)


def _file(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text(encoding="utf-8"))
