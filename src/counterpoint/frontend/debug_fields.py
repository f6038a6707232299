"""Metadata as LLVM prints it: the nodes of a module, and the fields of those that are debug information."""

from __future__ import annotations

import re
from typing import Final

NAME_FIELD: Final = re.compile(r'\bname: "([^"]*)"')
LINE_FIELD: Final = re.compile(r"\bline: (\d+)")
LINE_AND_COLUMN: Final = re.compile(r"\bline: (\d+)(?:, column: (\d+))?")
FILE_FIELD: Final = re.compile(r"\bfile: (!\d+)")
FILENAME_FIELD: Final = re.compile(r'\bfilename: "([^"]*)"')
SCOPE_FIELD: Final = re.compile(r"\bscope: (!\d+)")
TAG_FIELD: Final = re.compile(r"\btag: (DW_TAG_\w+)")
TYPE_FIELD: Final = re.compile(r"\btype: (!\d+)")
BASE_FIELD: Final = re.compile(r"\bbaseType: (!\d+)")
TYPES_FIELD: Final = re.compile(r"\btypes: (!\d+)")
ELEMENTS_FIELD: Final = re.compile(r"\belements: (!\d+)")
SIZE_FIELD: Final = re.compile(r"\bsize: (\d+)")
OFFSET_FIELD: Final = re.compile(r"\boffset: (\d+)")
"""Sizes and offsets are in bits."""

ATTACHED: Final = re.compile(r"!dbg (!\d+)")
"""What says where a function or an instruction is."""

_NODE: Final = re.compile(r"^(!\d+) = (.*)$", re.MULTILINE)


def nodes(text: str) -> dict[str, str]:
    """The text of each numbered node by its reference (`!12`)."""
    return dict(_NODE.findall(text))
