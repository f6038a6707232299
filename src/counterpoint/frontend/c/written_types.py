"""Types as C writes them, as far as their constant parts go. What a name means is told by debug information of all
types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.c import constant_parts
from counterpoint.frontend.debug_fields import NAME_FIELD, TAG_FIELD
from counterpoint.frontend.lower.text import quoted
from counterpoint.program.model import Ranges

_ARRAYS = regex(r"(?: ?\[[^\[\]]*\])+$")
_UNNAMED = regex(r"\(unnamed\b.*:(\d+):\d+\)")
_WORD = regex(r"[^\W\d]\w*")
_BUILT_IN = frozenset(
    [
        "void",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "unsigned",
        "float",
        "double",
        "_Bool",
        "bool",
        "__int128",
        "_Float16",
        "_Complex",
        "_BitInt",
        "__fp16",
        "__bf16",
        "_Float128",
        "__float128",
    ]
)


def constant_parts_of(metadata: Mapping[str, str], type_: str, size: int) -> Ranges | None:
    """Those of an object of that many bytes whose type is written as in C; None if the type is not understood."""
    arrays = _ARRAYS.search(type_)
    element = type_[: arrays.start()] if arrays is not None else type_
    if "(*" in element or "(^" in element:
        return ((0, size),) if re.search(r"\([*^][^()*]*\bconst\b[^()*]*[)\[(]", type_) is not None else ()
    words = _WORD.findall(_UNNAMED.sub("", element.rpartition("*")[2]))
    if "const" in words:
        return ((0, size),)
    if "*" in element or words[:1] in (["enum"], ["union"]):
        return ()
    rest = [word for word in words if word not in ("volatile", "restrict", "_Atomic", "struct")]
    unnamed = _UNNAMED.search(element)
    if unnamed is None and all(word in _BUILT_IN for word in rest):
        return ()
    if len(rest) != (unnamed is None):
        return None
    return _of_named(metadata, "" if unnamed is not None else rest[0], unnamed[1] if unnamed is not None else "", size)


def _of_named(metadata: Mapping[str, str], name: str, line: str, size: int) -> Ranges | None:
    """Those of an object, or array, of a type of that name, or of the structure without one that begins in the line."""
    answers = set()
    for reference, text in metadata.items():
        tag, named = TAG_FIELD.search(text), NAME_FIELD.search(text)
        if tag is None or "DIFlagFwdDecl" in text or (quoted(named[1]) if named is not None else "") != name:
            continue
        if line and f" line: {line}," not in text:
            continue
        if tag[1] in ("DW_TAG_structure_type", "DW_TAG_typedef"):
            answers.add(constant_parts.of_array(metadata, reference, size))
    return answers.pop() if len(answers) == 1 else None
