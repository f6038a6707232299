"""z3: streams of small incremental queries, and a second opinion.

Terms are built through z3's C functions: z3py's own wrappers need three times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.solver.answers import SolverUnknown
from counterpoint.solver.assertions import AssertionStack
from counterpoint.solver.protocol import Settings, Solver, SolverError
from counterpoint.term.evaluate import Given, array_value
from counterpoint.term.sorts import ArraySort, BitVec, Float, Sort
from counterpoint.term.term import Op, RoundingMode, Term

Native: TypeAlias = Any
"""A Z3_ast handle; the target's vector of kept ASTs refers to it, so that z3 does not free it."""

_PLAIN: Final = {
    Op.NOT: "not", Op.XOR: "xor", Op.ITE: "ite", Op.EQ: "eq", Op.ULT: "bvult", Op.SLT: "bvslt",
    Op.ADD: "bvadd", Op.SUB: "bvsub", Op.NEG: "bvneg", Op.MUL: "bvmul", Op.UDIV: "bvudiv",
    Op.UREM: "bvurem", Op.SDIV: "bvsdiv", Op.SREM: "bvsrem", Op.BVAND: "bvand", Op.BVOR: "bvor",
    Op.BVXOR: "bvxor", Op.BVNOT: "bvnot", Op.SHL: "bvshl", Op.LSHR: "bvlshr", Op.ASHR: "bvashr",
    Op.CONCAT: "concat", Op.SELECT: "select", Op.STORE: "store", Op.FP_REM: "fpa_rem", Op.FP_NEG: "fpa_neg",
    Op.FP_ABS: "fpa_abs", Op.FP_EQ: "fpa_eq", Op.FP_LT: "fpa_lt", Op.FP_LE: "fpa_leq",
    Op.FP_IS_NAN: "fpa_is_nan", Op.FP_IS_INF: "fpa_is_infinite", Op.FP_IS_ZERO: "fpa_is_zero",
    Op.FP_IS_NEGATIVE: "fpa_is_negative", Op.FP_IS_NORMAL: "fpa_is_normal",
    Op.FP_IS_SUBNORMAL: "fpa_is_subnormal",
}  # fmt: skip
_ROUNDED: Final = {
    Op.FP_ADD: "fpa_add", Op.FP_SUB: "fpa_sub", Op.FP_MUL: "fpa_mul", Op.FP_DIV: "fpa_div",
    Op.FP_FMA: "fpa_fma", Op.FP_SQRT: "fpa_sqrt",
}  # fmt: skip
_MODES: Final = {
    RoundingMode.NEAREST_EVEN: "rne", RoundingMode.NEAREST_AWAY: "rna", RoundingMode.UPWARD: "rtp",
    RoundingMode.DOWNWARD: "rtn", RoundingMode.TOWARD_ZERO: "rtz",
}  # fmt: skip


class _Z3Target:
    """Builds ASTs in a context of its own."""

    def __init__(self, z3: Any) -> None:
        from z3 import z3core

        self.core = z3core
        self.context = z3.Context()
        self.reference = self.context.ref()
        self._ast_array = z3.z3.Ast
        self._kept = z3.AstVector(ctx=self.context)
        self._sorts: dict[Sort, Any] = {}
        self._plain = {op: getattr(z3core, f"Z3_mk_{name}") for op, name in _PLAIN.items()}
        self._rounded = {op: getattr(z3core, f"Z3_mk_{name}") for op, name in _ROUNDED.items()}
        modes = {mode: getattr(z3core, f"Z3_mk_fpa_{name}") for mode, name in _MODES.items()}
        self._modes = {mode: self.keep(make(self.reference)) for mode, make in modes.items()}
        self._others = self._other_makers()

    def keep(self, ast: Native) -> Native:
        """z3 frees what has no reference at the next call.

        One vector holds all references, and gives them back before the context goes: deleting a context
        with live ASTs takes time quadratic in their number.
        """
        self.core.Z3_ast_vector_push(self.reference, self._kept.vector, ast)
        return ast

    def array_of(self, asts: list[Native]) -> Any:
        """A C array of handles."""
        return (self._ast_array * len(asts))(*asts)

    def sort(self, sort: Sort) -> Any:
        found = self._sorts.get(sort)
        if found is None:
            core, context = self.core, self.reference
            if isinstance(sort, BitVec):
                found = core.Z3_mk_bv_sort(context, sort.width)
            elif isinstance(sort, Float):
                found = core.Z3_mk_fpa_sort(context, sort.exponent_bits, sort.significand_bits)
            elif isinstance(sort, ArraySort):
                index, element = self.sort(BitVec(sort.index)), self.sort(BitVec(sort.element))
                found = core.Z3_mk_array_sort(context, index, element)
            else:
                found = core.Z3_mk_bool_sort(context)
            self.keep(core.Z3_sort_to_ast(context, found))
            self._sorts[sort] = found
        return found

    def constant(self, value: int, sort: Sort) -> Native:
        core, context = self.core, self.reference
        if isinstance(sort, BitVec):
            return self.keep(core.Z3_mk_numeral(context, str(value), self.sort(sort)))
        if isinstance(sort, Float):
            bits = self.constant(value, BitVec(sort.width))
            return self.keep(core.Z3_mk_fpa_to_fp_bv(context, bits, self.sort(sort)))
        return self.keep(core.Z3_mk_true(context) if value else core.Z3_mk_false(context))

    def unknown(self, name: str, sort: Sort) -> Native:
        symbol = self.core.Z3_mk_string_symbol(self.reference, f"{name} {sort}")
        return self.keep(self.core.Z3_mk_const(self.reference, symbol, self.sort(sort)))

    def has_bits(self, bits: Native, value: Native, term: Term) -> Native:
        inner = term.args[0]
        assert isinstance(inner, Term)
        core, context = self.core, self.reference
        read = self.keep(core.Z3_mk_fpa_to_fp_bv(context, bits, self.sort(inner.sort)))
        return self.keep(core.Z3_mk_eq(context, read, value))

    def apply(self, term: Term, args: list[Native]) -> Native:
        op = term.op
        context = self.reference
        make = self._plain.get(op)
        if make is not None:
            ast = make(context, *args)
        elif op is Op.AND:
            ast = self.core.Z3_mk_and(context, 2, self.array_of(args))
        else:
            make = self._rounded.get(op)
            if make is not None:
                ast = make(context, self._modes[RoundingMode.NEAREST_EVEN], *args)
            else:
                ast = self._others[op](term, *args)
        self.core.Z3_ast_vector_push(context, self._kept.vector, ast)
        return ast

    def _other_makers(self) -> dict[Op, Callable[..., Native]]:
        core, context = self.core, self.reference
        nearest = self._modes[RoundingMode.NEAREST_EVEN]
        zero = self._modes[RoundingMode.TOWARD_ZERO]

        def payload(term: Term) -> int:
            assert isinstance(term.payload, int)
            return term.payload

        def width(term: Term) -> int:
            assert isinstance(term.sort, BitVec)
            return term.sort.width

        def constant_array(term: Term, value: Native) -> Native:
            assert isinstance(term.sort, ArraySort)
            return core.Z3_mk_const_array(context, self.sort(BitVec(term.sort.index)), value)

        def rounded_integral(term: Term, value: Native) -> Native:
            return core.Z3_mk_fpa_round_to_integral(context, self._modes[RoundingMode(payload(term))], value)

        return {
            Op.EXTRACT: lambda t, a: core.Z3_mk_extract(context, payload(t) + width(t) - 1, payload(t), a),
            Op.ZEXT: lambda t, a: core.Z3_mk_zero_ext(context, width(t) - payload(t), a),
            Op.SEXT: lambda t, a: core.Z3_mk_sign_ext(context, width(t) - payload(t), a),
            Op.CONSTANT_ARRAY: constant_array,
            Op.FP_ROUND: rounded_integral,
            Op.FP_FROM_BITS: lambda t, a: core.Z3_mk_fpa_to_fp_bv(context, a, self.sort(t.sort)),
            Op.FP_TO_FP: lambda t, a: core.Z3_mk_fpa_to_fp_float(context, nearest, a, self.sort(t.sort)),
            Op.FP_FROM_SIGNED: lambda t, a: core.Z3_mk_fpa_to_fp_signed(context, nearest, a, self.sort(t.sort)),
            Op.FP_FROM_UNSIGNED: lambda t, a: core.Z3_mk_fpa_to_fp_unsigned(context, nearest, a, self.sort(t.sort)),
            Op.FP_TO_SIGNED: lambda t, a: core.Z3_mk_fpa_to_sbv(context, zero, a, width(t)),
            Op.FP_TO_UNSIGNED: lambda t, a: core.Z3_mk_fpa_to_ubv(context, zero, a, width(t)),
        }


class _Z3Solver(AssertionStack[Native]):
    """One z3 context with one incremental solver."""

    name = "z3"

    def __init__(self, settings: Settings) -> None:
        import z3

        self._z3 = z3
        self.failure = z3.Z3Exception
        self._target = _Z3Target(z3)
        super().__init__(self._target, settings)
        self._solver = z3.Solver(ctx=self._target.context)
        self._solver.set("random_seed", settings.seed % 2**31)
        self._core = self._target.core
        self._model: Any = None
        self._limit: int | None = None

    def interrupt(self) -> None:
        self._target.context.interrupt()

    def close(self) -> None:
        super().close()
        self._model = None
        self._solver = None

    def _assert_native(self, formula: Native) -> None:
        self._core.Z3_solver_assert(self._target.reference, self._solver.solver, formula)

    def _push_native(self) -> None:
        self._solver.push()

    def _pop_native(self) -> None:
        self._solver.pop()

    def _set_limit(self, seconds: float | None) -> None:
        limit = 2**32 - 1 if seconds is None else max(1, round(seconds * 1000))
        if limit != self._limit:
            self._solver.set("timeout", limit)
            self._limit = limit

    def _check_native(self, assumptions: list[Native], seconds: float | None) -> list[bool] | SolverUnknown | None:
        self._model = None
        self._set_limit(seconds)
        context, solver = self._target.reference, self._solver.solver
        array = self._target.array_of(assumptions)
        result = self._core.Z3_solver_check_assumptions(context, solver, len(assumptions), array)
        if result == self._z3.Z3_L_TRUE:
            self._model = self._solver.model()
            return None
        if result == self._z3.Z3_L_FALSE:
            return self._core_flags(assumptions)
        reason = self._solver.reason_unknown()
        if "keyboard" in reason:
            raise KeyboardInterrupt
        names = {"canceled": "timeout", "timeout": "timeout", "interrupted": "interrupted"}
        if reason == "canceled" and seconds is None:
            return SolverUnknown("interrupted")
        return SolverUnknown("memory" if "memout" in reason else names.get(reason, reason))

    def _core_flags(self, assumptions: list[Native]) -> list[bool]:
        context = self._target.reference
        if not assumptions:
            return []
        core = {self._core.Z3_get_ast_id(context, item.as_ast()) for item in self._solver.unsat_core()}
        return [self._core.Z3_get_ast_id(context, assumption) in core for assumption in assumptions]

    def _native_value(self, leaf: Term, native: Native) -> Given:
        z3, context = self._z3, self._target.context
        value = self._model.eval(z3.z3._to_expr_ref(native, context), model_completion=True)
        if isinstance(leaf.sort, BitVec):
            return int(value.as_long())
        if isinstance(leaf.sort, Float):
            return self._float(value, leaf.sort)
        if isinstance(leaf.sort, ArraySort):
            return self._array(value)
        return 1 if z3.is_true(value) else 0

    def _float(self, value: Any, sort: Float) -> int:
        if value.isNaN():
            return sort.nan
        return int(self._z3.simplify(self._z3.fpToIEEEBV(value, self._target.context)).as_long())

    def _array(self, value: Any) -> Given:
        """Stores over a constant array (the outermost store winning), or a function's table."""
        z3 = self._z3
        entries: dict[int, int] = {}
        while z3.is_store(value):
            value, index, element = value.children()
            entries.setdefault(index.as_long(), element.as_long())
        if z3.is_K(value):
            return array_value(entries, value.arg(0).as_long())
        if not z3.is_as_array(value):
            raise SolverError(f"z3: the value of an array is {value.sexpr()[:80]}")
        table = self._model[z3.get_as_array_func(value)]
        for i in range(table.num_entries()):
            entry = table.entry(i)
            entries.setdefault(entry.arg_value(0).as_long(), entry.value().as_long())
        return array_value(entries, table.else_value().as_long())


@dataclass(frozen=True, slots=True)
class _Z3:
    name: str = "z3"

    def connect(self, settings: Settings) -> Solver:
        return _Z3Solver(settings)


BACKEND: Final = _Z3()
