"""Every benchmark kind, in the order in which pages show them. The only module that names them."""

from __future__ import annotations

from server.benchmarks import (
    access,
    bandwidth,
    fluctuation,
    positional,
    random_io,
    seeker,
    skippy,
    temperature,
    zoned,
)
from server.benchmarks.contract import Kind

KINDS: tuple[Kind, ...] = (
    skippy.KIND,
    zoned.KIND,
    seeker.KIND,
    bandwidth.KIND,
    fluctuation.KIND,
    temperature.KIND,
    positional.KIND,
    random_io.KIND,
    access.KIND,
)
