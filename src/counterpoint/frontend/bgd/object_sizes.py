"""How large objects are. The thesis's format says no size for `alloca`, and its figure declares no global."""

from __future__ import annotations

from counterpoint.frontend.bgd import syntax as s


def accessed_extents(graph: s.Graph, types: dict[str, s.Type]) -> dict[str, s.Extent]:
    """The extents of all objects: `@1` globals, `%1` what `alloca %1` makes.

    Where the file says none: the largest type that a load or store by the object's own name has, or, if the
    address is used in another way too, by any address that is no object's name; if there is none, i64.
    `types` are those of the variables.
    """
    stated = {str(item.target): item.extent for item in graph.globals}
    unstated: dict[str, None] = {}
    direct: dict[str, list[s.Type]] = {}
    indirect: list[s.Type] = []
    escaped: set[str] = set()
    locals_ = {}
    for block in graph.blocks:
        for statement in block.statements:
            match statement:
                case s.Alloca(target, extent):
                    locals_[str(target)] = target
                    if extent is None:
                        unstated[str(target)] = None
                    else:
                        stated[str(target)] = extent

    def named(value: s.Value) -> str | None:
        return str(value) if isinstance(value, s.Object) or str(value) in locals_ else None

    def access(address: s.Variable, type_: s.Type | None) -> None:
        name = named(address)
        if name is not None:
            mention(name)
        if type_ is not None and name is not None:
            direct.setdefault(name, []).append(type_)
        elif type_ is not None:
            indirect.append(type_)

    def mention(name: str) -> None:
        if name not in stated:
            unstated[name] = None

    def use(value: s.Value) -> None:
        name = named(value)
        if name is not None:
            mention(name)
            escaped.add(name)

    for block in graph.blocks:
        for statement in block.statements:
            match statement:
                case s.Definition(type_, _, s.Load(address)):
                    access(address, type_)
                case s.Definition(_, _, s.Phi(sources)):
                    for value, _ in sources:
                        use(value)
                case s.Store(value, address):
                    access(address, _type_of(value, types))
                    use(value)
                case _:
                    for value in s.read_by(statement):
                        use(value)
    for name in unstated:
        found = direct.get(name, []) + (indirect if name in escaped else [])
        stated[name] = s.Extent(max(found, key=_rank, default=s.Type(64)))
    return stated


def _type_of(value: s.Value, types: dict[str, s.Type]) -> s.Type | None:
    match value:
        case s.Number():
            return None
        case s.Object():
            return s.POINTER
        case s.Local(name):
            return types.get(name)


def _rank(type_: s.Type) -> float:
    """By size for any width of pointers: a pointer is at least as large as an i32, an i33 not smaller than it."""
    return type_.bits or 32.5
