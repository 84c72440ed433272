"""Reading a list whole, as lines: how many rows come in a minute, and how the server's memory grows."""

from __future__ import annotations

import http.client
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROWS = 60_000
AT_MOST_S = 120.0
_EVERY_S = 0.5
_BYTES = 2**16


@dataclass(frozen=True, slots=True)
class Export:
    """What an export took."""

    address: str
    rows: int
    size_bytes: int
    took_s: float
    rss_tenth_mib: float
    """Memory of the server's largest process after a tenth of the rows."""
    rss_most_mib: float
    """The most that it had from then on."""

    @property
    def rows_a_minute(self) -> float:
        """The rate."""
        return self.rows / self.took_s * 60


def export(host: str, port: int, address: str, processes: Sequence[int]) -> Export:
    """Read rows until there are no more, or the time is over."""
    connection = http.client.HTTPConnection(host, port, timeout=300)
    began = time.monotonic()
    rows, size, next_look, seen = 0, 0, began, []
    try:
        connection.request("GET", address)
        response = connection.getresponse()
        if response.status != 200:
            raise RuntimeError(f"{address} answered {response.status}.")
        while (chunk := response.read1(_BYTES)) and time.monotonic() - began < AT_MOST_S:
            rows, size = rows + chunk.count(b"\n"), size + len(chunk)
            if time.monotonic() >= next_look:
                seen.append((rows, max(_rss_mib(process) for process in processes)))
                next_look = time.monotonic() + _EVERY_S
    finally:
        connection.close()
    took = time.monotonic() - began
    later = [mib for read, mib in seen if read >= rows / 10] or [seen[-1][1]]
    return Export(address, rows, size, took, later[0], max(later))


def exports_table(exports: Sequence[Export]) -> str:
    """Return the table in Markdown."""
    lines = [
        "| export | rows | MB | rows a minute | MiB after a tenth | MiB at most |",
        "|---|---|---|---|---|---|",
    ]
    for one in exports:
        lines.append(
            f"| `{one.address}` | {one.rows:,} | {one.size_bytes / 1e6:.1f} | {one.rows_a_minute:,.0f} "
            f"| {one.rss_tenth_mib:.0f} | {one.rss_most_mib:.0f} |"
        )
    return "\n".join(lines)


def processes_below(process: int) -> list[int]:
    """Return the processes that a server started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children]


def _rss_mib(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0
