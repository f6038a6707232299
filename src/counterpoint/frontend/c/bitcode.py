"""Reads bitcode, and looks before LLVM does: LLVM ends the process on a symbol with a NUL in its name.

The names of symbols are one blob, the only record of a block of its own (llvm.org/docs/BitCodeFormat.html, STRTAB).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import llvmlite.binding as llvm

from counterpoint.core.errors import UnusableInput

_MAGIC = b"BC\xc0\xde"
_STRTAB = 23
_BLOB_AT = 24  # bits from the block's start: its abbreviation, then the record's number


def read(code: bytes) -> llvm.ModuleRef:
    """The module. Raises UnusableInput."""
    try:
        return llvm.parse_bitcode(code)
    except RuntimeError as error:
        said = str(error).strip().partition("\n")[0]
        raise UnusableInput(f"the compiler's bitcode is unreadable: {said}: check --cc") from None


def refuse_nul(code: bytes) -> None:
    """Raises UnusableInput if a symbol's name has a NUL. Text of any other form is left to LLVM."""
    if any(b"\0" in names for names in _names(code)):
        raise UnusableInput("the program has a symbol with a NUL in its name (an asm label): rename it")


def _names(code: bytes) -> Iterator[bytes]:
    """The blobs of the blocks of names."""
    position = len(_MAGIC) if code.startswith(_MAGIC) else len(code)
    while position + 8 <= len(code):
        head, words = struct.unpack_from("<II", code, position)
        if head & 3 != 1:  # no block begins here
            return
        start = position + 8
        position = start + 4 * words
        if head >> 2 & 0xFF == _STRTAB:
            yield _blob(code[start:position])


def _blob(block: bytes) -> bytes:
    """The bytes of the blob: its length in groups of six bits, then whole words."""
    bits = int.from_bytes(block[:16], "little") >> _BLOB_AT
    length = shift = 0
    while True:
        group = bits & 0x3F
        bits >>= 6
        length |= (group & 0x1F) << shift
        shift += 5
        if not group & 0x20 or shift > 60:
            break
    used = _BLOB_AT + 6 * (shift // 5)
    start = 4 * (-(-used // 32))
    return block[start : start + length]
