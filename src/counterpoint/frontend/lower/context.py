"""What the lowering of all functions of one module shares."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, CheckSite, Site, SourceLocation
from counterpoint.frontend.debug_fields import ATTACHED
from counterpoint.frontend.lower.constants import ConstantReader
from counterpoint.frontend.lower.irtypes import IRType, NotModelled, TypeTable, skip_attributes
from counterpoint.frontend.lower.locations import Locations
from counterpoint.frontend.lower.text import NAME, ModuleText, matching, split_commas, split_type
from counterpoint.program.types import Type

_BYVAL = regex(r"\b(?:byval|preallocated|inalloca)\(")
_ALIGN = regex(r"\balign (\d+)")
_ALIAS = regex(
    r"^(?:(?:private|internal|weak|weak_odr|linkonce|linkonce_odr|external|dso_local|hidden|protected|default"
    r"|unnamed_addr|local_unnamed_addr|thread_local(?:\(\w+\))?) )*alias (.*)$"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name` is the LLVM name with `%`; `copied` the type of a byval parameter's object."""

    type: IRType
    name: str
    copied: IRType | None
    alignment: int


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    result: IRType
    parameters: tuple[Parameter, ...]
    variadic: bool
    at: SourceLocation


class Context:
    """Types, constants, locations and the growing tables of one module."""

    def __init__(self, module: ModuleText, sites: Sequence[Site], checks: Sequence[CheckSite]) -> None:
        self.module = module
        self.types = TypeTable(module.datalayout, module.triple, module.types)
        self.locations = Locations(module.metadata)
        self.sites = list(sites)
        self.checks = checks
        self.called: list[str] = []
        self.mentioned: dict[str, None] = {}
        self.declared: dict[int, str] = {}  # reference of the variable, by the site of its Allocate
        aliases = {name: match.group(1) for name, rest in module.globals.items() if (match := _ALIAS.match(rest))}
        self.aliases = {name: split_commas(target)[1] for name, target in aliases.items()}
        self.constants = ConstantReader(self.types, self.aliases, self._mention)
        self._signatures: dict[str, Signature | None] = {}

    def _mention(self, name: str) -> None:
        self.mentioned[name] = None

    def new_site(self, kind: str, name: str, type_: Type | str, at: SourceLocation) -> int:
        """Appends a site and gives its index."""
        self.sites.append(Site(len(self.sites), kind, name, str(type_), at))
        return len(self.sites) - 1

    def signature(self, name: str) -> Signature | None:
        """The signature of a defined function; None if the module does not define it."""
        if name not in self._signatures:
            text = self.module.functions.get(name)
            self._signatures[name] = None if text is None else self._read_signature(name, text.header)
        return self._signatures[name]

    def _read_signature(self, name: str, header: str) -> Signature:
        found = re.search(rf"@{NAME}\(", header)
        assert found is not None  # split_module found it with the same expression
        opening = found.end() - 1
        result = self.types.parse(split_type(skip_attributes(header[7 : found.start()]))[0])
        closing = matching(header, opening)
        parts = split_commas(header[opening + 1 : closing])
        at = ATTACHED.search(header, closing)
        return Signature(
            name,
            result,
            tuple(self._parameter(part) for part in parts if part != "..."),
            "..." in parts,
            self.locations.location(at.group(1)) if at else NOWHERE,
        )

    def _parameter(self, text: str) -> Parameter:
        type_text, rest = split_type(text)
        copied = None
        opening = _BYVAL.search(rest)
        if opening is not None:
            start = opening.end() - 1
            copied = self.types.parse(rest[start + 1 : matching(rest, start)])
        alignment = _ALIGN.search(rest)
        name = re.search(rf"%{NAME}$", rest)
        if name is None:
            raise NotModelled("a parameter without a name")
        return Parameter(
            self.types.parse(type_text), name.group(0), copied, int(alignment.group(1)) if alignment else 1
        )
