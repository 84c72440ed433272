"""What is computed in the background about drive models, for pages that must not compute it themselves."""

from server.compare.models.standing import KeptStatistics
from server.compare.models.summary import ArchiveCounts, ArchiveCountsDue, DriveSummary, ListNumber
from server.compare.models.verdict import ClaimVerdict

__all__ = [
    "ArchiveCounts",
    "ArchiveCountsDue",
    "ClaimVerdict",
    "DriveSummary",
    "KeptStatistics",
    "ListNumber",
]
