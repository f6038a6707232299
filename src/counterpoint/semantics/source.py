"""The algebra of Python text: definitions become expressions that compute what `ints` computes.

Values are `Expression` nodes of a DAG; `render` writes a node that is used more than once into a
temporary variable. Names in the text that are no registers are those of `namespace()`. Truth values in
the text may be Python bools.
"""

from __future__ import annotations

from collections.abc import Callable

from counterpoint.core.records import dataclass
from counterpoint.semantics.ints import INTS
from counterpoint.term.sorts import FLOAT16, FLOAT32, FLOAT64, Float
from counterpoint.term.term import RoundingMode


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """Text with a `{}` for each part. `atomic`: needs no parentheses and costs nothing to repeat."""

    template: str
    parts: tuple[Expression, ...] = ()
    atomic: bool = False


def atom(text: str) -> Expression:
    """A name or a literal."""
    return Expression(text.replace("{", "{{").replace("}", "}}"), atomic=True)


def render(root: Expression, fresh: Callable[[], str]) -> tuple[list[str], str]:
    """Assignments to temporaries (named by `fresh`) and the text of `root` after them."""
    uses: dict[Expression, int] = {}
    order: list[Expression] = []
    _count(root, uses, order)
    statements: list[str] = []
    texts: dict[Expression, str] = {}
    for node in order:
        text = node.template.format(*(texts[part] for part in node.parts))
        if not node.atomic:
            if node is root:
                return statements, text
            if uses[node] > 1:
                name = fresh()
                statements.append(f"{name} = {text}")
                text = name
            else:
                text = f"({text})"
        texts[node] = text
    return statements, texts[root]


def _count(root: Expression, uses: dict[Expression, int], order: list[Expression]) -> None:
    """How often each node is used, and all nodes with parts before what they are part of."""
    stack = [(root, False)]
    while stack:
        node, parts_done = stack.pop()
        if parts_done:
            order.append(node)
            continue
        uses[node] = uses.get(node, 0) + 1
        if uses[node] == 1:
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(node.parts))


def _mask(width: int) -> str:
    return hex((1 << width) - 1)


def _shifted(a: Expression, width: int) -> Expression:
    """Unsigned order of the results is the signed order of the operands."""
    half = 1 << (width - 1)
    if a.atomic and a.template.isdecimal():
        return atom(str(int(a.template) ^ half))
    return _of(f"{{}} ^ {half}", a)


def _of(template: str, *parts: Expression) -> Expression:
    return Expression(template, parts)


class Source:
    """`Algebra[Expression]`."""

    __slots__ = ()

    def const(self, value: int, width: int) -> Expression:
        return atom(str(value & ((1 << width) - 1)))

    # ---------------------------------------------------------------- bit-vectors
    def add(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"{{}} + {{}} & {_mask(width)}", a, b)

    def sub(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"{{}} - {{}} & {_mask(width)}", a, b)

    def mul(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"{{}} * {{}} & {_mask(width)}", a, b)

    def neg(self, a: Expression, width: int) -> Expression:
        return _of(f"-{{}} & {_mask(width)}", a)

    def udiv(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"{{}} // {{}} if {{}} else {_mask(width)}", a, b, b)

    def urem(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} % {} if {} else {}", a, b, b, a)

    def sdiv(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"ints.sdiv({{}}, {{}}, {width})", a, b)

    def srem(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"ints.srem({{}}, {{}}, {width})", a, b)

    def and_(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} & {}", a, b)

    def or_(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} | {}", a, b)

    def xor(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} ^ {}", a, b)

    def not_(self, a: Expression, width: int) -> Expression:
        return _of(f"{{}} ^ {_mask(width)}", a)

    def shl(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of(f"{{}} << {{}} & {_mask(width)} if {{}} < {width} else 0", a, b, b)

    def lshr(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} >> {}", a, b)

    def ashr(self, a: Expression, b: Expression, width: int) -> Expression:
        half = 1 << (width - 1)
        return _of(f"(({{}} ^ {half}) - {half} >> {{}}) & {_mask(width)}", a, b)

    # ---------------------------------------------------------------- comparisons
    def eq(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} == {}", a, b)

    def ult(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} < {}", a, b)

    def ule(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} <= {}", a, b)

    def slt(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} < {}", _shifted(a, width), _shifted(b, width))

    def sle(self, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} <= {}", _shifted(a, width), _shifted(b, width))

    def ite(self, condition: Expression, a: Expression, b: Expression, width: int) -> Expression:
        return _of("{} if {} else {}", a, condition, b)

    # ---------------------------------------------------------------- changes of width
    def extract(self, high: int, low: int, a: Expression, width: int) -> Expression:
        if low == 0:
            return _of(f"{{}} & {_mask(high + 1)}", a)
        if high == width - 1:
            return _of(f"{{}} >> {low}", a)
        return _of(f"{{}} >> {low} & {_mask(high - low + 1)}", a)

    def concat(self, high: Expression, high_width: int, low: Expression, low_width: int) -> Expression:
        return _of(f"{{}} << {low_width} | {{}}", high, low)

    def zext(self, a: Expression, source: int, target: int) -> Expression:
        return a

    def sext(self, a: Expression, source: int, target: int) -> Expression:
        if source == target:
            return a
        half = 1 << (source - 1)
        return _of(f"({{}} ^ {half}) - {half} & {_mask(target)}", a)

    # ---------------------------------------------------------------- floats: calls of what `ints` does
    def fp_from_bits(self, a: Expression, form: Float) -> Expression:
        return _call("fp_from_bits", form, a)

    def bits_from_fp(self, a: Expression, form: Float) -> Expression:
        return a

    def fp_ite(self, condition: Expression, a: Expression, b: Expression, form: Float) -> Expression:
        return self.ite(condition, a, b, form.width)

    def fp_add(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_add", form, a, b)

    def fp_sub(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_sub", form, a, b)

    def fp_mul(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_mul", form, a, b)

    def fp_div(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_div", form, a, b)

    def fp_rem(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_rem", form, a, b)

    def fp_fma(self, a: Expression, b: Expression, c: Expression, form: Float) -> Expression:
        return _call("fp_fma", form, a, b, c)

    def fp_sqrt(self, a: Expression, form: Float) -> Expression:
        return _call("fp_sqrt", form, a)

    def fp_neg(self, a: Expression, form: Float) -> Expression:
        return _call("fp_neg", form, a)

    def fp_abs(self, a: Expression, form: Float) -> Expression:
        return _of(f"{{}} & {_mask(form.width - 1)}", a)

    def fp_round(self, mode: RoundingMode, a: Expression, form: Float) -> Expression:
        return _of(f"ints.fp_round(RoundingMode({int(mode)}), {{}}, {_format_name(form)})", a)

    def fp_eq(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_eq", form, a, b)

    def fp_lt(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_lt", form, a, b)

    def fp_le(self, a: Expression, b: Expression, form: Float) -> Expression:
        return _call("fp_le", form, a, b)

    def fp_is_nan(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_nan", form, a)

    def fp_is_inf(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_inf", form, a)

    def fp_is_zero(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_zero", form, a)

    def fp_is_normal(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_normal", form, a)

    def fp_is_subnormal(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_subnormal", form, a)

    def fp_is_negative(self, a: Expression, form: Float) -> Expression:
        return _call("fp_is_negative", form, a)

    # ---------------------------------------------------------------- conversions
    def fp_to_fp(self, a: Expression, source: Float, target: Float) -> Expression:
        return _of(f"ints.fp_to_fp({{}}, {_format_name(source)}, {_format_name(target)})", a)

    def fp_from_signed(self, a: Expression, width: int, form: Float) -> Expression:
        return _of(f"ints.fp_from_signed({{}}, {width}, {_format_name(form)})", a)

    def fp_from_unsigned(self, a: Expression, width: int, form: Float) -> Expression:
        return _of(f"ints.fp_from_unsigned({{}}, {width}, {_format_name(form)})", a)

    def fp_to_signed(self, a: Expression, form: Float, width: int) -> Expression:
        return _of(f"ints.fp_to_signed({{}}, {_format_name(form)}, {width})", a)

    def fp_to_unsigned(self, a: Expression, form: Float, width: int) -> Expression:
        return _of(f"ints.fp_to_unsigned({{}}, {_format_name(form)}, {width})", a)


_NAMED_FORMATS = {FLOAT16: "FLOAT16", FLOAT32: "FLOAT32", FLOAT64: "FLOAT64"}


def _format_name(form: Float) -> str:
    return _NAMED_FORMATS.get(form) or f"Float({form.exponent_bits}, {form.significand_bits})"


def _call(name: str, form: Float, *parts: Expression) -> Expression:
    holes = "{}, " * len(parts)
    return Expression(f"ints.{name}({holes}{_format_name(form)})", parts)


SOURCE = Source()


def namespace() -> dict[str, object]:
    """What the names in rendered text mean."""
    names: dict[str, object] = {"ints": INTS, "Float": Float, "RoundingMode": RoundingMode}
    names.update({name: form for form, name in _NAMED_FORMATS.items()})
    return names
