"""What a check is: a question to the evidence of one run, and an answer with figures. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from server.core.text import counted
from server.plausibility.evidence import Evidence

FINDINGS_SAID = 4
"""Findings of one check that are told one by one."""


class Outcome(StrEnum):
    """What a check found."""

    PASSED = "passed"
    QUARANTINED = "held"
    """It can't be, or hardly: a person decides before the run is public."""
    NOTED = "noted"
    """Worth a look; the run is published all the same."""
    NOT_APPLICABLE = "not_applicable"
    """The run does not hold what the check needs; the words say what is missing."""


@dataclass(frozen=True, slots=True)
class Result:
    """A check's answer."""

    outcome: Outcome
    words: str
    """One or more sentences: the fact with its figures and the limit."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """JSON-safe numbers behind the words, by name with the unit in it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One question, with why its limit stands where it stands."""

    key: str
    """A slug that rows and pages know the check by; never given another meaning."""
    title: str
    question: str
    """What is compared with what."""
    limit: str
    because: str
    """The physics, or the rule of the probe, that the limit comes from."""
    remedy: str
    """What the contributor or the person who decides can do about a finding."""
    judge: Callable[[Evidence], Result]


def passed(words: str, **figures: Any) -> Result:
    """Return that what was looked at is as it must be."""
    return Result(Outcome.PASSED, words, figures)


def quarantined(words: str, **figures: Any) -> Result:
    """Return a finding that a person decides about."""
    return Result(Outcome.QUARANTINED, words, figures)


def noted(words: str, **figures: Any) -> Result:
    """Return a finding that holds nothing."""
    return Result(Outcome.NOTED, words, figures)


def not_applicable(why: str) -> Result:
    """Return that the run does not hold what the check needs."""
    return Result(Outcome.NOT_APPLICABLE, why)


def listed(findings: list[str]) -> str:
    """Return the first findings as sentences, and how many more there are: a person reads a few."""
    if len(findings) <= FINDINGS_SAID:
        return " ".join(findings)
    left = len(findings) - FINDINGS_SAID
    return f"{' '.join(findings[:FINDINGS_SAID])} And {counted(left, 'more finding')} of this check."


def judged(findings: list[str], fine: str, **figures: Any) -> Result:
    """Return that the findings hold the run, or that all is fine where there are none."""
    return quarantined(listed(findings), **figures) if findings else passed(fine, **figures)
