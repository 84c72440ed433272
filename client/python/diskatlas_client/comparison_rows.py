"""Rows of a comparison."""

from __future__ import annotations

from typing import TypedDict


class Interval(TypedDict):
    value: float
    low: float
    high: float
    level: float


class ComparedGroup(TypedDict):
    letter: str
    key: str
    form: str
    title: str
    drive: str
    provenance: str
    runs: int
    units: int
    conditions: dict[str, dict[str, int]]


class Cell(TypedDict):
    group: str
    n: int
    runs: int
    mean: float | None
    interval: Interval | None
    interval_of: str
    better_than: list[str]


class Needed(TypedDict):
    difference: float
    per_group: int | None
    more_a: int | None
    more_b: int | None
    power: float


class Pair(TypedDict):
    a: str
    b: str
    method: str
    difference: Interval | None
    effect: float | None
    p: float | None
    adjusted_p: float | None
    higher: str | None
    better: str | None
    percent: float | None
    equal: bool
    needed: Needed | None
    reason: str


class ComparedNumber(TypedDict):
    metric: str
    scope: str
    unit: str
    groups: list[Cell]
    pairs: list[Pair]
    words: str


class Curves(TypedDict):
    metric: str
    scope: str
    unit: str
    places: list[str]
    a: list[float]
    b: list[float]
    difference: Interval | None
    interval_over: str
    p: float | None
    adjusted_p: float | None
    better: str | None
    words: str


class Differing(TypedDict):
    condition: str
    groups: list[dict[str, int]]


class Comparison(TypedDict):
    level: float
    margin: float
    summary: list[str]
    noun: str
    tests: int
    groups: list[ComparedGroup]
    numbers: list[ComparedNumber]
    curves: list[Curves]
    differing: list[Differing]
