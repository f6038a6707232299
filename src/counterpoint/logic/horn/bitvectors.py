"""The clauses over bit-vectors, as they are; and z3's bit-vector formulas as Terms again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from counterpoint.logic.horn.clauses import Atom, Clause
from counterpoint.logic.horn.view import Native, NativeAtom, NativeClause, Untranslatable
from counterpoint.solver.backends.z3 import _Z3Target
from counterpoint.solver.translation import Translation
from counterpoint.term import build
from counterpoint.term.sorts import BOOL, ArraySort, BitVec, Sort
from counterpoint.term.term import Term, V
from counterpoint.term.walk import reachable

MAX_NODES: Final = 4000
"""z3 terms of one conjunct that are looked at; larger ones are given up."""


class BitVectorView:
    """Exact, but for floats."""

    name = "bv"

    def __init__(self) -> None:
        import z3

        self._z3 = z3
        self._target = _Z3Target(z3)
        self.context = self._target.context
        self._translation: Translation[Any] = Translation(self._target, {})

    def sort(self, argument: Term) -> Any:
        return self._z3.z3._to_sort_ref(self._target.sort(argument.sort), self.context)

    def clauses(self, clause: Clause) -> list[NativeClause]:
        """Each variable keeps its name: rules are closed formulas of their own."""
        formula = self._of(clause.formula, BOOL)
        body = tuple(self._atom(atom) for atom in clause.body)
        head = None if clause.head is None else self._atom(clause.head)
        known = self._translation.leaves
        leaves = [self._wrapped(known[term]) for term in reachable(clause.roots()) if term in known]
        return [NativeClause(head, body, (formula,), tuple(leaves))]

    def _atom(self, atom: Atom) -> NativeAtom:
        guard = None if atom.guard == 1 else self._of(atom.guard, BOOL)
        values = tuple(self._of(value, v.sort) for v, value in zip(atom.arguments, atom.values, strict=True))
        return NativeAtom(atom.place, values, guard)

    def _of(self, value: V, sort: Sort) -> Native:
        native = self._translation.constant(value, sort) if isinstance(value, int) else self._translation.of(value)
        return self._wrapped(native)

    def _wrapped(self, native: Any) -> Native:
        return self._z3.z3._to_expr_ref(native, self.context)

    def decode(self, formula: Native, arguments: Sequence[tuple[Native, Term]]) -> V:
        known = {constant.get_id(): term for constant, term in arguments}
        return Decoder(self._z3, known).of(formula)


def postorder(formula: Native) -> list[Native]:
    """Every subterm once, arguments first. Raises Untranslatable for quantifiers and where there are too many."""
    found: dict[int, Native] = {}
    order: list[Native] = []
    stack: list[tuple[Native, bool]] = [(formula, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
            continue
        key = node.get_id()
        if key in found:
            continue
        found[key] = node
        if len(found) > MAX_NODES:
            raise Untranslatable(f"more than {MAX_NODES} terms")
        if not _is_application(node):
            raise Untranslatable("a quantifier")
        stack.append((node, True))
        stack += ((child, False) for child in node.children())
    return order


def _is_application(node: Native) -> bool:
    import z3

    return bool(z3.is_app(node))


class Decoder:
    """z3's Bools, bit-vectors and arrays as Terms; `known` gives constants their meaning by z3's id."""

    def __init__(self, z3: Any, known: Mapping[int, V]) -> None:
        self._z3 = z3
        self._known = known
        self._binary, self._folded = _tables(z3)
        self._others = _others(z3)

    def of(self, formula: Native) -> V:
        done: dict[int, V] = {}
        for node in postorder(formula):
            done[node.get_id()] = self._one(node, [done[child.get_id()] for child in node.children()])
        return done[formula.get_id()]

    def _one(self, node: Native, args: list[V]) -> V:
        z3 = self._z3
        known = self._known.get(node.get_id())
        if known is not None:
            return known
        if z3.is_bv_value(node):
            return int(node.as_long())
        kind = node.decl().kind()
        if kind in self._folded:
            make = self._folded[kind]
            width = _width(z3, node)
            result = args[0]
            for arg in args[1:]:
                result = make(result, arg, width)
            return result
        if kind in self._binary:
            return self._binary[kind](args[0], args[1], _width(z3, node.arg(0)))
        other = self._others.get(kind)
        if other is None:
            raise Untranslatable(f"z3's operator {node.decl().name()}")
        return other(node, args)


def _width(z3: Any, node: Native) -> int:
    """Bits of a bit-vector; 1 for a Bool, 0 for an array."""
    sort = node.sort()
    if sort.kind() == z3.Z3_BV_SORT:
        return int(sort.size())
    return 1 if sort.kind() == z3.Z3_BOOL_SORT else 0


def _sort(z3: Any, node: Native) -> Sort:
    sort = node.sort()
    if sort.kind() == z3.Z3_BOOL_SORT:
        return BOOL
    if sort.kind() == z3.Z3_BV_SORT:
        return BitVec(int(sort.size()))
    if sort.kind() == z3.Z3_ARRAY_SORT and sort.domain().kind() == sort.range().kind() == z3.Z3_BV_SORT:
        return ArraySort(int(sort.domain().size()), int(sort.range().size()))
    raise Untranslatable(f"the sort {sort}")


def array_equality(a: V, b: V) -> V:
    raise Untranslatable("an equality of arrays")


Make2 = Callable[[V, V, int], V]
Other = Callable[[Native, list[V]], V]


def _tables(z3: Any) -> tuple[dict[int, Make2], dict[int, Make2]]:
    """z3's operators: binary ones over their arguments' width, associative ones over their own."""
    binary: dict[int, Make2] = {
        z3.Z3_OP_ULT: build.ult, z3.Z3_OP_ULEQ: build.ule, z3.Z3_OP_SLT: build.slt, z3.Z3_OP_SLEQ: build.sle,
        z3.Z3_OP_UGT: lambda a, b, w: build.ult(b, a, w), z3.Z3_OP_UGEQ: lambda a, b, w: build.ule(b, a, w),
        z3.Z3_OP_SGT: lambda a, b, w: build.slt(b, a, w), z3.Z3_OP_SGEQ: lambda a, b, w: build.sle(b, a, w),
        z3.Z3_OP_BUDIV: build.udiv, z3.Z3_OP_BUDIV_I: build.udiv, z3.Z3_OP_BUREM: build.urem,
        z3.Z3_OP_BUREM_I: build.urem, z3.Z3_OP_BSDIV: build.sdiv, z3.Z3_OP_BSDIV_I: build.sdiv,
        z3.Z3_OP_BSREM: build.srem, z3.Z3_OP_BSREM_I: build.srem, z3.Z3_OP_BSHL: build.shl,
        z3.Z3_OP_BLSHR: build.lshr, z3.Z3_OP_BASHR: build.ashr,
    }  # fmt: skip
    folded: dict[int, Make2] = {
        z3.Z3_OP_BADD: build.add, z3.Z3_OP_BSUB: build.sub, z3.Z3_OP_BMUL: build.mul, z3.Z3_OP_BAND: build.bvand,
        z3.Z3_OP_BOR: build.bvor, z3.Z3_OP_BXOR: build.bvxor,
    }  # fmt: skip
    return binary, folded


def _others(z3: Any) -> dict[int, Other]:
    """The operators of other shapes."""

    def concat(node: Native, args: list[V]) -> V:
        result, width = args[0], _width(z3, node.arg(0))
        for k in range(1, len(args)):
            low = _width(z3, node.arg(k))
            result, width = build.concat(result, width, args[k], low), width + low
        return result

    def extract(node: Native, args: list[V]) -> V:
        high, low = node.params()
        return build.extract(high, low, args[0], _width(z3, node.arg(0)))

    def equal(node: Native, args: list[V]) -> V:
        sort = _sort(z3, node.arg(0))
        if sort is BOOL:
            return build.iff(args[0], args[1])
        if isinstance(sort, ArraySort):
            return array_equality(args[0], args[1])
        return build.eq(args[0], args[1], sort.width)

    def distinct(node: Native, args: list[V]) -> V:
        if len(args) != 2:
            raise Untranslatable("a distinctness of several")
        return build.not_(equal(node, args))

    def choice(node: Native, args: list[V]) -> V:
        sort = _sort(z3, node)
        if sort is BOOL:
            return build.or_(build.and_(args[0], args[1]), build.and_(build.not_(args[0]), args[2]))
        return build.ite(args[0], args[1], args[2], sort)

    def constant_array(node: Native, args: list[V]) -> V:
        sort = _sort(z3, node)
        assert isinstance(sort, ArraySort)
        return build.constant_array(sort, args[0])

    return {
        z3.Z3_OP_TRUE: lambda n, a: 1, z3.Z3_OP_FALSE: lambda n, a: 0, z3.Z3_OP_NOT: lambda n, a: build.not_(a[0]),
        z3.Z3_OP_AND: lambda n, a: build.conjunction(a), z3.Z3_OP_OR: lambda n, a: build.disjunction(a),
        z3.Z3_OP_IMPLIES: lambda n, a: build.implies(a[0], a[1]), z3.Z3_OP_XOR: lambda n, a: build.xor_(a[0], a[1]),
        z3.Z3_OP_IFF: lambda n, a: build.iff(a[0], a[1]), z3.Z3_OP_EQ: equal, z3.Z3_OP_DISTINCT: distinct,
        z3.Z3_OP_ITE: choice, z3.Z3_OP_CONCAT: concat, z3.Z3_OP_EXTRACT: extract,
        z3.Z3_OP_BNEG: lambda n, a: build.neg(a[0], _width(z3, n)),
        z3.Z3_OP_BNOT: lambda n, a: build.bvnot(a[0], _width(z3, n)),
        z3.Z3_OP_ZERO_EXT: lambda n, a: build.zext(a[0], _width(z3, n.arg(0)), _width(z3, n)),
        z3.Z3_OP_SIGN_EXT: lambda n, a: build.sext(a[0], _width(z3, n.arg(0)), _width(z3, n)),
        z3.Z3_OP_BIT2BOOL: lambda n, a: build.eq(build.extract(n.params()[0], n.params()[0], a[0],
                                                               _width(z3, n.arg(0))), 1, 1),
        z3.Z3_OP_BCOMP: lambda n, a: build.bool_to_bits(build.eq(a[0], a[1], _width(z3, n.arg(0))), 1),
        z3.Z3_OP_SELECT: lambda n, a: build.select(_array(a[0]), a[1]),
        z3.Z3_OP_STORE: lambda n, a: build.store(_array(a[0]), a[1], a[2]),
        z3.Z3_OP_CONST_ARRAY: constant_array,
    }  # fmt: skip


def _array(value: V) -> Term:
    if isinstance(value, Term):
        return value
    raise Untranslatable("an array without a Term")
