"""The benchmark kinds as the list of methods shows them: by topic, each with what it is in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from server.benchmarks.contract import Kind, Metric, Topic
from server.web.markdown import read_about

HEADINGS = ("What it measures", "Why it matters", "How to read it", "Known traps", "Source")
"""Every kind's `about.md` has these; a kind may have more between them."""
_SENTENCE = re.compile(r"(.+?\.)(?:\s|$)", re.DOTALL)
LONG = 200
"""A longer first sentence ends at its colon."""


@dataclass(frozen=True, slots=True)
class HeadlineMetric:
    """A metric in the list, with its place on its kind's page."""

    name: str
    title: str


@dataclass(frozen=True, slots=True)
class MethodEntry:
    """One kind in the list."""

    kind: Kind
    words: str
    """The first sentence of what it measures, without markup."""
    headline: tuple[HeadlineMetric, ...]


@dataclass(frozen=True, slots=True)
class MethodGroup:
    """The kinds of one topic."""

    title: str
    entries: tuple[MethodEntry, ...]


def method_groups(kinds: Iterable[Kind]) -> tuple[MethodGroup, ...]:
    """Return the topics that have a kind, each with its kinds in the registry's order."""
    entries = [_entry(kind) for kind in kinds]
    groups = (
        MethodGroup(topic.value, tuple(entry for entry in entries if entry.kind.topic == topic))
        for topic in Topic
    )
    return tuple(group for group in groups if group.entries)


def sections_of(about: str) -> dict[str, str]:
    """Return the text below each second-level heading of an `about.md`, in its order."""
    parts = re.split(r"^## +(.+)$", about, flags=re.MULTILINE)
    return {title.strip(): text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def _entry(kind: Kind) -> MethodEntry:
    text = sections_of(read_about(kind.folder)).get(HEADINGS[0], "")
    plain = re.sub(r"[*`]", "", " ".join(text.split()))
    match = _SENTENCE.match(plain)
    words = match[1] if match else plain
    if len(words) > LONG and ":" in words:
        words = words.partition(":")[0] + "."
    return MethodEntry(kind, words, tuple(_headline(kind.metrics)))


def _headline(metrics: Iterable[Metric]) -> list[HeadlineMetric]:
    return [
        HeadlineMetric(metric.key.partition(".")[2], metric.title) for metric in metrics if metric.headline
    ]
