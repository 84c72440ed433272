"""ZONED's picture: bandwidth by position with the zones and the three fits (Skippy 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from server.benchmarks.contract import Axis, Chart, Extraction, Facts, Series
from server.benchmarks.zoned.definitions import FIT_ERRORS, INNER, MEAN, OUTER, ZONES
from server.benchmarks.zoned.profile import Profile, profile_of

MB_PER_GB = 1000.0
FITS = {"linear": "Linear fit", "quadratic": "Quadratic fit"}
MODELS = {
    "single": "a single value",
    "linear": "a line",
    "quadratic": "a parabola",
    "step": "the step function of its zones",
}


def charts(entry: Mapping[str, Any], facts: Facts, extraction: Extraction) -> tuple[Chart, ...]:
    profile = profile_of(entry, facts.block_bytes, facts.capacity_bytes)
    if profile is None:
        return ()
    details = extraction.details
    return (
        Chart(
            id="profile",
            shape="profile",
            title="Bandwidth by position",
            summary=_summary(details),
            x=Axis("Position", "GB"),
            y=Axis("Bandwidth", "MB/s"),
            series=(_points(profile), _steps(details["zones"]), *_fits(profile, details["fits"])),
            metrics=(OUTER.key, INNER.key, MEAN.key, ZONES.key, *(one.key for one in FIT_ERRORS)),
        ),
    )


def _summary(details: Mapping[str, Any]) -> str:
    zones = details["zones"]
    if len(zones) == 1:
        return f"A flat profile at {zones[0]['mb_per_s']:.1f} MB/s."
    return (
        f"{len(zones)} zones from {zones[0]['mb_per_s']:.1f} down to {zones[-1]['mb_per_s']:.1f} MB/s; "
        f"{MODELS[details['model']]} describes the profile best for its number of parameters."
    )


def _points(profile: Profile) -> Series:
    return Series(
        "bandwidth",
        "Bandwidth",
        "points",
        tuple(float(x) / MB_PER_GB for x in profile.position_mb),
        tuple(float(y) for y in profile.mb_per_s),
    )


def _steps(zones: list[Mapping[str, Any]]) -> Series:
    x = [edge / MB_PER_GB for zone in zones for edge in (zone["start_mb"], zone["end_mb"])]
    y = [zone["mb_per_s"] for zone in zones for _ in range(2)]
    return Series("step", "Zones", "step", tuple(x), tuple(y))


def _fits(profile: Profile, fits: list[Mapping[str, Any]]) -> list[Series]:
    share = np.linspace(0, 1, 101)
    found = []
    for fit in fits:
        if fit["name"] in FITS:
            y = fit["a"] * share ** fit["power"] + fit["b"]
            found.append(
                Series(
                    fit["name"],
                    FITS[fit["name"]],
                    "line",
                    tuple(float(x) * profile.capacity_mb / MB_PER_GB for x in share),
                    tuple(float(v) for v in y),
                )
            )
    return found
