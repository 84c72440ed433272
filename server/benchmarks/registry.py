"""Every benchmark kind, in the order in which pages show them. The only module that names them."""

from __future__ import annotations

from server.benchmarks import (
    access,
    bandwidth,
    buffer,
    fluctuation,
    positional,
    random_io,
    seeker,
    skippy,
    sync_write,
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
    buffer.KIND,
    positional.KIND,
    sync_write.KIND,
    random_io.KIND,
    access.KIND,
)
