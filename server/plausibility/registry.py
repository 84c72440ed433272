"""Every check, in the order in which pages show them. A test holds that none is forgotten."""

from __future__ import annotations

from server.plausibility import (
    agreement,
    challenge,
    device,
    disturbances,
    histogram,
    peers,
    position,
    rotation,
    thermal,
    throughput,
    timing,
    transport,
)
from server.plausibility.check import Check

CHECKS: tuple[Check, ...] = (
    *device.CHECKS,
    *transport.CHECKS,
    *timing.CHECKS,
    *histogram.CHECKS,
    *rotation.CHECKS,
    *position.CHECKS,
    *throughput.CHECKS,
    *agreement.CHECKS,
    *disturbances.CHECKS,
    *thermal.CHECKS,
    *peers.CHECKS,
    *challenge.CHECKS,
)
