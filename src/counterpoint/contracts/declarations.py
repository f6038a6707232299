"""What a C file declares: functions with their parameters, variables, and what each function's body names.

Read from clang's syntax tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import field
from pathlib import Path
from typing import Final

from counterpoint.contracts.shapes import Field, Record, Types
from counterpoint.core.closure import reached
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import zig
from counterpoint.frontend.c.tree import Node, Tree, body_of, file_tree, first_part, nodes, parts, written_type
from counterpoint.frontend.task import SourceTask

_TESTING: Final = frozenset({"==", "!=", "!", "&&", "||"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """`tested`: the body compares it, or asks whether it is null; `indexed`: it is used as an array's start;
    `bounding`: a loop's condition speaks of it; `handed`: the functions that are called with it, with the position of
    their parameter; `constants`: the elements up to the last that an index that is a number names; `varied`: other
    indices or arithmetic name others, too; `recast`: these do so behind a cast."""

    name: str
    type: str
    tested: bool = False
    indexed: bool = False
    bounding: bool = False
    handed: frozenset[tuple[str, int]] = frozenset()
    constants: int = 0
    varied: bool = False
    recast: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable outside of functions, or a static one inside (`local`); outside, `mentions` are the functions and
    variables that its initialiser names. `system`: a header of the system declares it."""

    name: str
    type: str
    static: bool
    local: bool = False
    system: bool = False
    defined: bool = True
    mentions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Function:
    """A defined function. `offset`: of its first byte in `file`; `loops`: lines and offsets of its loops; `uses` and
    `calls` are names in its body, `fields` the members that it speaks of. `plain`: no macro wrote its first byte.
    `locals` are its static variables, `inside` names and types of the others, of names that it has once;
    `hidden`: names that it gives to several; `looks_at_addresses`: it makes pointers into integers, or asks which
    of two is lower; `touches_memory`: through pointers or in arrays; `calls_pointers`: it calls what a pointer leads
    to; `divides`: integers; `type`: its own, as clang writes it; `tested_fields`: members that it compares or asks
    whether they are null; `arrays`: members and variables, pointers, that it uses as an array's start, or copies;
    `names_handed`: those that functions are called with, these, and the position."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: str
    variadic: bool
    static: bool
    file: str
    line: int
    offset: int
    plain: bool
    loops: tuple[tuple[int, int], ...] = ()
    uses: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    locals: tuple[Variable, ...] = ()
    inside: tuple[tuple[str, str], ...] = ()
    looks_at_addresses: bool = False
    hidden: frozenset[str] = frozenset()
    touches_memory: bool = False
    calls_pointers: bool = False
    divides: bool = False
    type: str = ""
    tested_fields: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    names_handed: frozenset[tuple[str, str, int]] = frozenset()


@dataclass(slots=True)
class Declarations:
    """Of one file: `functions` in the order of the text, and variables by name."""

    file: Path
    types: Types = field(default_factory=Types)
    functions: dict[str, Function] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)

    def below(self, name: str) -> list[Function]:
        """The function and all of the file's that it may call, in a fixed order."""
        known = self.functions
        found = reached(name, lambda one: sorted(known[one].calls & known.keys()) if one in known else [])
        return [function for function in known.values() if function.name in found]

    def behind(self, name: str) -> frozenset[str]:
        """Names of the functions and variables of the file that code of the function may get to, by names in bodies and
        in initial values: through tables of functions, and pointers that never change."""

        def following(one: str) -> list[str]:
            function, variable = self.functions.get(one), self.variables.get(one)
            named = function.calls | function.uses if function is not None else frozenset[str]()
            return sorted(named | (variable.mentions if variable is not None else frozenset()))

        return frozenset(reached(name, following))


def declarations(task: SourceTask, file: Path) -> Declarations:
    """Raises UnusableInput where clang's tree of the file cannot be read."""
    return _Reader(Declarations(file), file_tree(task, file, "infer works on what clang compiles")).read()


@dataclass(frozen=True, slots=True)
class _Reader:
    found: Declarations
    tree: Tree

    def read(self) -> Declarations:
        records: dict[str, Node] = {}
        unnamed: Node = {}
        for node in self.tree:
            match node.get("kind"):
                case "RecordDecl":
                    records[node["id"]] = node
                    self._record(node)
                    unnamed = node if "name" not in node else unnamed
                case "TypedefDecl" | "VarDecl":
                    self._unnamed_type(node, unnamed)
            match node.get("kind"):
                case "EnumDecl":
                    self._enumeration(node)
                case "TypedefDecl":
                    self._typedef(node, records)
                case "VarDecl" if "name" in node:
                    self._variable(node)
        for node in self.tree:
            if node.get("kind") == "FunctionDecl" and body_of(node) is not None:
                function = self._function(node)
                self.found.functions[function.name] = function
        return self.found

    # ------------------------------------------------------------ declarations

    def _record(self, node: Node, name: str = "") -> None:
        if not node.get("completeDefinition"):
            return
        tag = name or (f"{node.get('tagUsed', 'struct')} {node['name']}" if "name" in node else "")
        for inner in parts(node):
            if inner.get("kind") == "RecordDecl":
                self._record(inner)
            elif inner.get("kind") == "EnumDecl":
                self._enumeration(inner)
        self._unnamed_members(node)
        if not tag:
            return
        if node.get("tagUsed") != "struct":
            self.found.types.unions.add(tag)
            self.found.types.inside[tag] = _members(node)
            return
        self.found.types.records[tag] = _members(node)

    def _unnamed_members(self, node: Node) -> None:
        """Notes the records without names that members are of."""
        last: Node = {}
        for part in parts(node):
            if part.get("kind") == "RecordDecl" and "name" not in part:
                last = part
            elif part.get("kind") == "FieldDecl":
                self._unnamed_type(part, last)

    def _unnamed_type(self, node: Node, record: Node) -> None:
        """Notes the record without a name, the last one in front, of which the declaration is."""
        if (found := _UNNAMED.search(written_type(node))) is not None and found[0] not in self.found.types.inside:
            self.found.types.inside[found[0]] = _members(record)
            if record.get("tagUsed") == "union":
                self.found.types.unions.add(found[0])

    def _enumeration(self, node: Node) -> None:
        """Notes the names of values; of an enumeration without a name under that of the typedef that follows."""
        values: list[tuple[str, int]] = []
        for part in parts(node):
            if part.get("kind") == "EnumConstantDecl":
                given = next((one["value"] for one in parts(part) if "value" in one), None)
                values.append((part["name"], int(given) if given else values[-1][1] + 1 if values else 0))
        self.found.types.enumerators[f"enum {node.get('name', '')}"] = tuple(values)

    def _typedef(self, node: Node, records: Mapping[str, Node]) -> None:
        name, type_ = node["name"], node["type"]["qualType"]
        enumerators = self.found.types.enumerators
        if type_ == f"enum {name}" and type_ not in enumerators and _UNNAMED_ENUM in enumerators:
            enumerators[type_] = enumerators[_UNNAMED_ENUM]
        for part in nodes(node):
            owned = part.get("ownedTagDecl") or part.get("decl")
            known = records.get(owned.get("id", "")) if isinstance(owned, dict) else None
            if known is not None and "name" not in known and "*" not in type_ and "[" not in type_:
                self._record(known, name)
                return
        if type_ != name:
            self.found.types.typedefs[name] = type_

    def _variable(self, node: Node) -> None:
        static = node.get("storageClass") == "static"
        extern, file = node.get("storageClass") == "extern", self.tree.stretches[id(node)].first.file
        system = extern and self.is_of_the_system(file)
        defined = not extern or "init" in node
        known = self.found.variables.get(node["name"])
        defined = defined or (known is not None and known.defined)
        named = _mentioned(node) | (known.mentions if known is not None else frozenset())
        found = Variable(node["name"], written_type(node), static, False, system, defined, named)
        self.found.variables[node["name"]] = found

    def is_of_the_system(self, file: str) -> bool:
        """Neither the file itself nor a header of the user's."""
        return file not in ("", str(self.found.file)) and file.startswith(("/usr/", str(Path(zig()).parent)))

    def _function(self, node: Node) -> Function:
        place, body = self.tree.stretches[id(node)].first, _Body()
        content = body_of(node)
        assert content is not None
        body.read(content, self.tree)
        parameters = [body.parameter(p) for p in parts(node) if p.get("kind") == "ParmVarDecl"]
        return Function(
            node["name"], tuple(parameters), _returned(node["type"]["qualType"]), bool(node.get("variadic")),
            node.get("storageClass") == "static", place.file, place.line, place.offset or 0, place.plain,
            tuple(body.loops), frozenset(body.uses), frozenset(body.calls), frozenset(body.fields), tuple(body.locals),
            tuple((name, type_) for name, type_ in body.inside.items() if type_), body.looks_at_addresses,
            frozenset(name for name, type_ in body.inside.items() if not type_), body.touches_memory,
            body.calls_pointers, body.divides, written_type(node), frozenset(body.tested_fields),
            body.outside(body.arrays), frozenset(one for one in body.names_handed if body.outside({one[0]})),
        )  # fmt: skip


def _mentioned(variable: Node) -> frozenset[str]:
    """The functions and variables in its initialiser."""
    declared = (node.get("referencedDecl", {}) for node in nodes(variable) if node.get("kind") == "DeclRefExpr")
    kinds = ("FunctionDecl", "VarDecl")
    return frozenset(one["name"] for one in declared if one.get("kind") in kinds and "name" in one)


@dataclass(slots=True)
class _Body:
    """What is found in a function's body."""

    uses: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    fields: set[str] = field(default_factory=set)
    tested: set[str] = field(default_factory=set)
    indexed: set[str] = field(default_factory=set)
    loops: list[tuple[int, int]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    inside: dict[str, str] = field(default_factory=dict)
    bounding: set[str] = field(default_factory=set)
    looks_at_addresses: bool = False
    touches_memory: bool = False
    calls_pointers: bool = False
    divides: bool = False
    handed: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    varied: set[str] = field(default_factory=set)
    recast: set[str] = field(default_factory=set)
    tested_fields: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    names_handed: set[tuple[str, str, int]] = field(default_factory=set)

    def outside(self, names: Set[str]) -> frozenset[str]:
        """Those that are no names of the function's own variables."""
        return frozenset(names - self.inside.keys() | names & self.fields)

    def parameter(self, node: Node) -> Parameter:
        """What the body does with the parameter."""
        key = node["id"]
        return Parameter(
            node.get("name", ""), written_type(node), key in self.tested, key in self.indexed, key in self.bounding,
            frozenset(self.handed.get(key, ())), self.constants.get(key, 0), key in self.varied,
            key in self.recast,
        )  # fmt: skip

    def read(self, body: Node, tree: Tree) -> None:
        for node in nodes(body):
            self.touches_memory = self.touches_memory or _reads_memory(node)
            self.divides = self.divides or node.get("opcode") in _DIVISIONS
            match node.get("kind"):
                case "DeclRefExpr":
                    declared = node.get("referencedDecl", {})
                    named = {"FunctionDecl": self.calls, "VarDecl": self.uses}.get(declared.get("kind"))
                    if named is not None and "name" in declared:
                        named.add(declared["name"])
                case "CallExpr":
                    self._call(node)
                case "MemberExpr" if node.get("name"):
                    self.fields.add(node["name"])
                case "ForStmt" | "WhileStmt" | "DoStmt":
                    place = tree.stretches[id(node)].first
                    if place.plain:
                        self.loops.append((place.line, place.offset or 0))
                    self._condition(node)
                case "VarDecl" if node.get("storageClass") == "static" and "name" in node:
                    if "const" not in written_type(node):
                        self.locals.append(Variable(node["name"], written_type(node), True, local=True))
                case "VarDecl" if "name" in node:
                    self.arrays |= _pointers_directly(node)
                    self.inside[node["name"]] = "" if node["name"] in self.inside else written_type(node)
                case "ArraySubscriptExpr":
                    self._element(node)
                case "BinaryOperator" | "CompoundAssignOperator" if node.get("opcode") in ("+", "-", "+=", "-="):
                    if "*" in written_type(node):
                        self._walk(node)
                case "BinaryOperator" if node.get("opcode") == "=":
                    self.arrays |= _pointers_directly({"inner": parts(node)[1:]})
                case "BinaryOperator" if node.get("opcode") in _ORDERS and "*" in _first_type(node):
                    self.looks_at_addresses = True
                case "UnaryOperator" if node.get("opcode") in ("++", "--") and "*" in written_type(node):
                    self._walk(node)
                case "ImplicitCastExpr" | "CStyleCastExpr" if node.get("castKind") == "PointerToBoolean":
                    self._test(node)
                case "ImplicitCastExpr" | "CStyleCastExpr" if node.get("castKind") == "PointerToIntegral":
                    self.looks_at_addresses = True
                case "BinaryOperator" | "UnaryOperator" if node.get("opcode") in _TESTING:
                    self._test(node)
                case "ConditionalOperator" | "IfStmt":
                    self._test({"inner": parts(node)[:1]})

    def _test(self, node: Node) -> None:
        self.tested |= _directly(node)
        self.tested_fields |= _fields_directly(node)

    def _call(self, call: Node) -> None:
        callee = _named_function(call)
        self.calls_pointers = self.calls_pointers or not callee
        for position, argument in enumerate(parts(call)[1:]):
            for parameter in _directly({"inner": [argument]}):
                self.handed.setdefault(parameter, set()).add((callee, position))
            self.names_handed |= {(name, callee, position) for name in _pointers_directly({"inner": [argument]})}

    def _walk(self, node: Node) -> None:
        """Arithmetic on addresses."""
        self.indexed |= _directly(node)
        self.varied |= _directly(node, _UNCAST)
        self.recast |= _directly(node)
        self.arrays |= _pointers_directly(node)

    def _element(self, subscript: Node) -> None:
        found = _directly(subscript)
        self.indexed |= found
        self.arrays |= _pointers_directly(subscript)
        number = _number(parts(subscript)[1:])
        for parameter in found:
            if number is None:
                self.recast.add(parameter)
                self.varied |= found & _directly(subscript, _UNCAST)
            else:
                self.constants[parameter] = max(self.constants.get(parameter, 0), number + 1)

    def _condition(self, loop: Node) -> None:
        """What a loop's condition speaks of; clang gives `for` five parts, of which it is the third."""
        at = {"ForStmt": 2, "WhileStmt": 0, "DoStmt": 1}[loop["kind"]]
        where = parts(loop)[at : at + 1]
        if loop["kind"] == "WhileStmt":
            self._test({"inner": where})
        for part in where:
            for node in nodes(part):
                declared = node.get("referencedDecl", {})
                if node.get("kind") == "DeclRefExpr" and declared.get("kind") == "ParmVarDecl":
                    self.bounding.add(declared["id"])


def _named_function(call: Node) -> str:
    """What is called, if it is a function's name, but for casts and parentheses; else ""."""
    part = first_part(call)
    while part.get("kind") in _THROUGH or (part.get("kind") == "UnaryOperator" and part.get("opcode") in ("*", "&")):
        part = first_part(part)
    declared = part.get("referencedDecl", {})
    return str(declared.get("name", "")) if declared.get("kind") == "FunctionDecl" else ""


def _number(given: Sequence[Node]) -> int | None:
    """The value of an integer as it is written, but for casts and parentheses."""
    part: Node = next(iter(given), {})
    while part.get("kind") in _THROUGH:
        part = first_part(part)
    return int(part["value"]) if part.get("kind") == "IntegerLiteral" else None


def _reads_memory(node: Node) -> bool:
    kind = node.get("kind")
    return kind == "ArraySubscriptExpr" or (kind == "MemberExpr" and bool(node.get("isArrow"))) or (
        kind == "UnaryOperator" and node.get("opcode") == "*"
    )


_UNNAMED: Final = regex(r"(?:struct|union) (?:[^()*]|\(unnamed \w+\)::)*\((?:unnamed|anonymous) at [^)]*\)")
"""How clang writes the type of a member of a record without a name."""

_UNNAMED_ENUM: Final = "enum "


def _members(record: Node) -> Record:
    fields = [
        Field(part.get("name", ""), written_type(part), bool(part.get("isBitfield")))
        for part in parts(record)
        if part.get("kind") == "FieldDecl" and ("name" in part or not part.get("isBitfield"))
    ]
    return Record(tuple(fields))


_DIVISIONS: Final = ("/", "%", "/=", "%=")
_ORDERS: Final = ("<", "<=", ">", ">=")


def _first_type(node: Node) -> str:
    """The type of the first operand."""
    return written_type(first_part(node))


_THROUGH: Final = frozenset({"ImplicitCastExpr", "ParenExpr", "CStyleCastExpr"})


_UNCAST: Final = _THROUGH - {"CStyleCastExpr"}


def _directly(node: Node, through: frozenset[str] = _THROUGH) -> set[str]:
    """The parameters that are operands of the node, but for casts and parentheses."""
    named = (part["referencedDecl"] for part in _operands(node, through) if part.get("kind") == "DeclRefExpr")
    return {declared["id"] for declared in named if declared.get("kind") == "ParmVarDecl"}


def _fields_directly(node: Node) -> set[str]:
    """The members that are operands of the node, likewise."""
    return {part["name"] for part in _operands(node) if part.get("kind") == "MemberExpr" and part.get("name")}


_POINTER: Final = regex(r"\*(?:\s*(?:const|volatile|restrict|__restrict))*\Z")


def _pointers_directly(node: Node) -> set[str]:
    """Names of the members and of the variables that are operands of the node, of those that are pointers."""
    found = set()
    for part in _operands(node):
        declared = part.get("referencedDecl", {})
        name = part.get("name") if part.get("kind") == "MemberExpr" else declared.get("name")
        if name and declared.get("kind", "VarDecl") == "VarDecl" and _POINTER.search(written_type(part)):
            found.add(name)
    return found


def _operands(node: Node, through: frozenset[str] = _THROUGH) -> Iterator[Node]:
    waiting = list(parts(node))
    while waiting:
        part = waiting.pop()
        if part.get("kind") in through:
            waiting.extend(parts(part))
        else:
            yield part


def _returned(type_: str) -> str:
    """Of `int (char *, int)`: `int`; "" for a function that returns a pointer to one."""
    head, _, _ = type_.partition("(")
    return head.strip() if not type_.startswith("(") and "(*" not in type_.split(")")[0][: len(head) + 2] else ""
