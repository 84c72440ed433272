"""What an ELF file asks of the system that runs it: a loader and shared libraries, or nothing.

Layouts after the System V ABI, chapters 4 and 5 (ELF header, program header, dynamic section).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = b"\x7fELF"
MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_DT_NULL, _DT_NEEDED, _DT_STRTAB = 0, 1, 5
_HEADER = struct.Struct("<16xHHIQQQIHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")


class NotElfError(ValueError):
    """The bytes are no 64-bit little-endian ELF file."""


@dataclass(frozen=True, slots=True)
class Elf:
    """What a file needs. `interpreter` is the dynamic loader's path, empty where it needs none."""

    machine: str
    interpreter: str
    needed: tuple[str, ...]

    @property
    def static(self) -> bool:
        """Whether the file runs on a system with nothing else on it."""
        return not self.interpreter and not self.needed


@dataclass(frozen=True, slots=True)
class _Segment:
    type: int
    offset: int
    address: int
    size: int


def read_elf(data: bytes) -> Elf:
    """Read the header, the interpreter and the needed libraries of an ELF file's bytes."""
    if data[:4] != MAGIC or data[4:6] != b"\x02\x01" or len(data) < 64:
        raise NotElfError("not a 64-bit little-endian ELF file")
    _type, machine, _version, _entry, table, _sections, _flags, _size, entry, count = _HEADER.unpack_from(
        data
    )
    segments = []
    for index in range(count):
        kind, _bits, offset, address, _physical, size, _memory, _align = _SEGMENT.unpack_from(
            data, table + index * entry
        )
        segments.append(_Segment(kind, offset, address, size))
    interpreter = next((_text(data, one.offset) for one in segments if one.type == _PT_INTERP), "")
    return Elf(MACHINES.get(machine, f"machine {machine:#x}"), interpreter, tuple(_needed(data, segments)))


def _needed(data: bytes, segments: list[_Segment]) -> Iterator[str]:
    entries = [entry for one in segments if one.type == _PT_DYNAMIC for entry in _dynamic(data, one)]
    strings = next((value for tag, value in entries if tag == _DT_STRTAB), None)
    if strings is None:
        return
    for tag, value in entries:
        if tag == _DT_NEEDED:
            yield _text(data, _file_offset(segments, strings) + value)


def _dynamic(data: bytes, segment: _Segment) -> Iterator[tuple[int, int]]:
    for at in range(segment.offset, segment.offset + segment.size, _DYNAMIC.size):
        tag, value = _DYNAMIC.unpack_from(data, at)
        if tag == _DT_NULL:
            return
        yield tag, value


def _file_offset(segments: list[_Segment], address: int) -> int:
    for one in segments:
        if one.type == _PT_LOAD and one.address <= address < one.address + one.size:
            return one.offset + address - one.address
    raise NotElfError(f"no segment holds address {address:#x}")


def _text(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode()
