"""Every check, in the order in which pages show them. A test holds that none is forgotten."""

from __future__ import annotations

from server.runs.plausibility import accounts, device, others, place, timing, transport, turn
from server.runs.plausibility.check import Check

CHECKS: tuple[Check, ...] = (
    *device.CHECKS,
    *transport.CHECKS,
    *timing.CHECKS,
    *accounts.CHECKS,
    *turn.CHECKS,
    *place.CHECKS,
    *others.CHECKS,
)
