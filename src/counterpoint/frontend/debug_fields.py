"""Metadata as LLVM prints it: the nodes of a module, and the fields of those that are debug information."""

from __future__ import annotations

import re
from typing import Final

from counterpoint.core.patterns import regex

NAME_FIELD: Final = regex(r'\bname: "([^"]*)"')
LINE_FIELD: Final = regex(r"\bline: (\d+)")
LINE_AND_COLUMN: Final = regex(r"\bline: (\d+)(?:, column: (\d+))?")
FILE_FIELD: Final = regex(r"\bfile: (!\d+)")
FILENAME_FIELD: Final = regex(r'\bfilename: "([^"]*)"')
SCOPE_FIELD: Final = regex(r"\bscope: (!\d+)")
TAG_FIELD: Final = regex(r"\btag: (DW_TAG_\w+)")
TYPE_FIELD: Final = regex(r"\btype: (!\d+)")
BASE_FIELD: Final = regex(r"\bbaseType: (!\d+)")
TYPES_FIELD: Final = regex(r"\btypes: (!\d+)")
ELEMENTS_FIELD: Final = regex(r"\belements: (!\d+)")
SIZE_FIELD: Final = regex(r"\bsize: (\d+)")
OFFSET_FIELD: Final = regex(r"\boffset: (\d+)")
"""Sizes and offsets are in bits."""

ATTACHED: Final = regex(r"!dbg (!\d+)")
"""What says where a function or an instruction is."""

_NODE: Final = regex(r"^(!\d+) = (.*)$", re.MULTILINE)


def nodes(text: str) -> dict[str, str]:
    """The text of each numbered node by its reference (`!12`)."""
    return dict(_NODE.findall(text))
