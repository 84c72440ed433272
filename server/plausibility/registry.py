"""Every check, in the order in which pages show them. A test holds that none is forgotten."""

from __future__ import annotations

from server.plausibility import device, histogram, peers, position, rotation, timing, transport
from server.plausibility.check import Check

CHECKS: tuple[Check, ...] = (
    *device.CHECKS,
    *transport.CHECKS,
    *timing.CHECKS,
    *histogram.CHECKS,
    *rotation.CHECKS,
    *position.CHECKS,
    *peers.CHECKS,
)
