"""Where memory outside the program lies: what arbitrary pointers may point to."""

from __future__ import annotations

from collections.abc import Mapping

EXTERNAL_BASE: Mapping[int, int] = {32: 0xC000_0000, 64: 0x7000_0000_0000}
"""Its first address, by the width of pointers in bits; all objects of the program lie below."""

EXTERNAL_END: Mapping[int, int] = {32: 0xF000_0000, 64: 0x7F00_0000_0000}
"""The first address behind it."""

SHARED = 512
"""The first so many objects there are those that arguments, undefined objects, and pointers found in external memory
may point to, several of them to the same one. Behind them are those to which only one pointer is given out."""

NOWHERE = 2048
"""An address on the null page, where no object ever lies; aligned as objects may be."""
