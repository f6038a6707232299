"""What `va_arg` becomes: a call that names the type asked for, to which the front end gives a meaning.

clang itself writes accesses to the list, from which the type can no longer be told. So a macro takes the place of
`__builtin_va_arg`, for targets whose lists are known (variable_arguments.py).
"""

from __future__ import annotations

import re

TAKE = "__cp_argument"
"""What is called: it gets the list's address and size, alignment and class (gcc's numbers) of the type, and gives the
address of the argument."""


def macro(triple: str) -> str:
    """The macro's definition, as of `-D`; "" for targets whose lists are not known."""
    if slot_size(triple) is None:
        return ""
    star, list_ = ("", "list") if triple.startswith("x86_64") else ("*", "&(list)")
    return (
        "__builtin_va_arg(list,type)=(*__extension__({"
        f"extern void*{TAKE}(__builtin_va_list{star},unsigned,unsigned,unsigned);"
        f"(__typeof__(type)*){TAKE}({list_},sizeof(type),__alignof__(type),"
        "__builtin_classify_type(*(__typeof__(type)*)0));}))"
    )


def slot_size(triple: str) -> int | None:
    """Bytes of a slot of the stack; None for targets that are not modelled."""
    if "windows" in triple:
        return None
    if triple.startswith("x86_64"):
        return 8
    return 4 if re.match(r"i[3-6]86|x86|arm|thumb", triple) else None


def aligned(triple: str, alignment: int) -> int:
    """The alignment of a variable argument on the stack of a target that is modelled."""
    if triple.startswith("x86_64"):
        return max(8, min(alignment, 16))
    return max(4, min(alignment, 8)) if triple.startswith(("arm", "thumb")) else 4
