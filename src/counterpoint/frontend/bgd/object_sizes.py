"""How large objects are. The thesis's format says no size for `alloca`, and its figure declares no global."""

from __future__ import annotations

from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.frontend.bgd import syntax as s


def accessed_extents(graph: s.Graph, types: dict[str, s.Type]) -> dict[str, s.Extent]:
    """The extents of all objects: `@1` globals, `%1` what `alloca %1` makes.

    Where the file says none: the largest type that a load or store by the object's own name has, or, if the
    address is used in another way too, by any address that is no object's name; if there is none, i64.
    `types` are those of the variables.
    """
    found = _Uses({str(item.target): item.extent for item in graph.globals})
    statements = [statement for block in graph.blocks for statement in block.statements]
    for statement in statements:
        if isinstance(statement, s.Alloca):
            found.make(str(statement.target), statement.extent)
    for statement in statements:
        match statement:
            case s.Definition(type_, _, s.Load(address)):
                found.access(address, type_)
            case s.Definition(_, _, s.Phi(sources)):
                for value, _ in sources:
                    found.use(value)
            case s.Store(value, address):
                found.access(address, _type_of(value, types))
                found.use(value)
            case _:
                for value in s.read_by(statement):
                    found.use(value)
    return found.extents()


@dataclass(slots=True)
class _Uses:
    """How objects are used: `stated` are their extents where the file says them."""

    stated: dict[str, s.Extent]
    unstated: dict[str, None] = field(default_factory=dict)
    direct: dict[str, list[s.Type]] = field(default_factory=dict)
    indirect: list[s.Type] = field(default_factory=list)
    escaped: set[str] = field(default_factory=set)
    locals: set[str] = field(default_factory=set)

    def make(self, name: str, extent: s.Extent | None) -> None:
        self.locals.add(name)
        if extent is None:
            self.unstated[name] = None
        else:
            self.stated[name] = extent

    def access(self, address: s.Variable, type_: s.Type | None) -> None:
        name = self._named(address)
        if type_ is not None and name is not None:
            self.direct.setdefault(name, []).append(type_)
        elif type_ is not None:
            self.indirect.append(type_)

    def use(self, value: s.Value) -> None:
        name = self._named(value)
        if name is not None:
            self.escaped.add(name)

    def extents(self) -> dict[str, s.Extent]:
        for name in self.unstated:
            found = self.direct.get(name, []) + (self.indirect if name in self.escaped else [])
            self.stated[name] = s.Extent(max(found, key=_rank, default=s.Type(64)))
        return self.stated

    def _named(self, value: s.Value) -> str | None:
        """The object whose name the value is, if it is one."""
        name = str(value)
        if not isinstance(value, s.Object) and name not in self.locals:
            return None
        if name not in self.stated:
            self.unstated[name] = None
        return name


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
