"""C declarations of the objects: globals with what they hold at first, and locals."""

from __future__ import annotations

from collections.abc import Iterator

from counterpoint.frontend.bgd import syntax as s
from counterpoint.frontend.bgd.operations import number, type_name


def place(type_: s.Type) -> str:
    """The C type of a memory cell at any address."""
    return f"m{type_.bits}" if type_.bits else "mptr"


def held(name: str, extent: s.Extent) -> str:
    """The declarator of an object, aligned to its elements' size."""
    count = "" if extent.count is None else f"[{extent.count}]"
    type_ = type_name(extent.type)
    return f"_Alignas(sizeof({type_})) {type_} {name}{count}"


def declarations(items: tuple[s.Global, ...], extents: dict[str, s.Extent]) -> Iterator[str]:
    """All globals; those that the file does not declare are zero at first."""
    declared = {str(item.target) for item in items}
    for name, extent in extents.items():
        if name.startswith("@") and name not in declared:
            yield f"static {held('g' + name[1:], extent)};"
    for item in items:
        yield f"{_declared(item)};"
    for item in items:
        if item.pieces:
            given = ", ".join(f".at{index} = {_piece(piece)}" for index, piece in enumerate(item.pieces))
            first = _piece(item.pieces[0]) if is_plain(item) else f"{{ {given} }}"
            yield f"{_declared(item, tag_only=True)} = {first};"


def is_plain(item: s.Global) -> bool:
    """Whether C's type for the global is the extent's: nothing is given at first, or one value for all of it."""
    match item.pieces:
        case ():
            return True
        case (s.Piece(0, type_),):
            return item.extent == s.Extent(type_)
    return False


def _declared(item: s.Global, tag_only: bool = False) -> str:
    """A packed structure with a field per piece stands for an object of mixed contents."""
    name = f"g{item.target.name}"
    start = "static const" if item.constant else "static"
    if is_plain(item):
        return f"{start} {held(name, item.extent)}"
    tag = f"struct s{item.target.name}"
    aligned = f"_Alignas(sizeof({type_name(item.extent.type)}))"
    return f"{start} {aligned} {tag if tag_only else f'{tag} {{ {_fields(item)} }} __attribute__((packed))'} {name}"


def _fields(item: s.Global) -> str:
    fields, before = [], "0"
    for index, piece in enumerate(item.pieces):
        type_ = type_name(piece.type)
        fields.append(f"char gap{index}[{piece.offset} - ({before})]; {place(piece.type)} at{index};")
        before = f"{piece.offset} + sizeof({type_})"
    count = 1 if item.extent.count is None else item.extent.count
    return f"{' '.join(fields)} char end[{count} * sizeof({type_name(item.extent.type)}) - ({before})];"


def _piece(piece: s.Piece) -> str:
    match piece.value:
        case s.Number():
            text = number(piece.value.value, piece.type)
        case s.Object(name):
            text = f"(ptr)&g{name} + {piece.displacement}" if piece.displacement else f"(ptr)&g{name}"
    return text
