"""Whether every n-th track is shorter than the others, where no gap of its own shows it.

Spares at the end of a cylinder shorten its last track. Where they and the skew to the next cylinder together
turn the platter as far as the skew between heads does, all boundaries look alike, and tracks of the mean
length explain nearly all steps.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from server.benchmarks.skippy.boundaries import Labelled, Places, positions
from server.benchmarks.skippy.series import FloatArray

MOST_TRACKS = 8
"""Tracks of a cylinder that are tried. In one of more the mean is further off, and explains less."""


def longest_track(labelled: Labelled, even: Places, most: float) -> float:
    """The most blocks of a track of which each n-th is so much shorter that the mean is that of `even`, and
    which more steps agree with; that of `even` where no such tracks do. None holds more than `most`.

    Each series has its choice of where a cylinder begins: one step of each may agree by that choice alone.
    What leaves no step unexplained is believed all the same.
    """
    length, total = even.shape.track, len(labelled.tracks)
    longest = length
    if even.score >= total:
        return longest
    needed = min(even.score + labelled.steps.count + 1, total)
    for tracks in range(2, MOST_TRACKS + 1):
        for more in count(1):
            track = length + more
            fits = track <= most and tracks * more < track
            if not fits or _agreeing(labelled, even, tracks, more) < needed:
                break
            longest = max(longest, track)
    return longest


def _agreeing(labelled: Labelled, even: Places, tracks: int, more: int) -> int:
    """How many steps agree with tracks of `more` blocks than the mean, the last of each cylinder excepted."""
    steps, length = labelled.steps, even.shape.track
    # The mean's boundaries lie between the first and the last track's: each may be the cylinder's.
    beside = np.arange(-more * (tracks - 1) - 1, 2)
    shifts = (length * np.arange(tracks)[:, None] + beside).ravel()
    begin = even.start[steps.series] + shifts[:, None]

    def number(block: FloatArray) -> FloatArray:
        return positions(block - begin, length + more, tracks, tracks * length).track

    agrees = number(steps.high) - number(steps.low) == labelled.tracks
    rows = np.arange(len(shifts))[:, None] * steps.count + steps.series
    found = np.bincount(rows[agrees], minlength=len(shifts) * steps.count)
    return int(found.reshape(len(shifts), steps.count).max(axis=0).sum())
