"""The three algebras compute the same; and they compute what independent definitions say."""

from __future__ import annotations

import itertools
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.core.errors import InternalError
from counterpoint.program import model as p
from counterpoint.program.types import DOUBLE, HALF, SINGLE, TRUTH, FloatType, IntType, PointerType, Type
from counterpoint.semantics import all_operations, definition, evaluate, signature, terms
from counterpoint.semantics.algebra import Signature, float_format
from counterpoint.semantics.ints import INTS
from counterpoint.semantics.source import SOURCE, atom, namespace, render
from counterpoint.term import floating
from counterpoint.term.evaluate import evaluate as evaluate_term
from counterpoint.term.sorts import BOOL, FLOAT16, FLOAT32, FLOAT64, BitVec
from counterpoint.term.term import Term, variable


def words(text: str) -> list[str]:
    return text.split()


WIDTHS = (1, 7, 8, 16, 32, 64, 128)
FORMATS = (HALF, SINGLE, DOUBLE)
COMPARISONS = words("eq ne ult ule slt sle")
BINARY = words("add sub mul udiv urem sdiv srem shl lshr ashr and or xor smin smax umin umax")
SATURATING = words("sadd_sat uadd_sat ssub_sat usub_sat sshl_sat ushl_sat")
PREDICATES = [f"{sign}{name}_overflows" for name in ("add", "sub", "mul") for sign in "su"]
COUNTS = words("ctpop ctlz cttz bitreverse abs")
FUNNELS = words("fshl fshr")
FLOAT_UNARY = words("fneg fabs fsqrt ffloor fceil ftrunc fround froundeven frint")
FLOAT_BINARY = words("fadd fsub fmul fdiv frem copysign fminnum fmaxnum fminimum fmaximum")
FLOAT_COMPARISONS = words("feq flt fle funordered")


def integer_cases() -> list[tuple[str, Signature]]:
    cases: list[tuple[str, Signature]] = []
    for width in WIDTHS:
        type_ = IntType(width)
        cases += [(name, Signature((type_,) * 2, type_)) for name in BINARY + SATURATING]
        cases += [(name, Signature((type_,) * 2, TRUTH)) for name in COMPARISONS + PREDICATES]
        cases += [(name, Signature((type_,), type_)) for name in COUNTS]
        cases += [(name, Signature((type_,) * 3, type_)) for name in FUNNELS]
        cases += [("select", Signature((TRUTH, type_, type_), type_))]
        cases += [(name, Signature((type_,) * 2, IntType(8))) for name in ("scmp", "ucmp")]
        if width % 8 == 0:
            cases.append(("bswap", Signature((type_,), type_)))
        for other in WIDTHS:
            wider, narrower = max(width, other), min(width, other)
            cases += [(name, Signature((IntType(narrower),), IntType(wider))) for name in ("zext", "sext")]
            cases.append(("trunc", Signature((IntType(wider),), IntType(narrower))))
    pointer = PointerType(32)
    cases += [(name, Signature((pointer, pointer), TRUTH)) for name in COMPARISONS]
    cases.append(("int_from_pointer", Signature((pointer,), IntType(32))))
    cases.append(("pointer_from_int", Signature((IntType(32),), pointer)))
    return list(dict.fromkeys(cases))


def float_cases() -> list[tuple[str, Signature]]:
    cases: list[tuple[str, Signature]] = []
    for form in FORMATS:
        bits = IntType(form.bits)
        cases += [(name, Signature((form,), form)) for name in FLOAT_UNARY]
        cases += [(name, Signature((form,) * 2, form)) for name in FLOAT_BINARY]
        cases += [(name, Signature((form,) * 2, TRUTH)) for name in FLOAT_COMPARISONS]
        cases += [("fma", Signature((form,) * 3, form)), ("select", Signature((TRUTH, form, form), form))]
        cases += [("is_fpclass", Signature((form, IntType(32)), TRUTH))]
        cases += [("float_from_bits", Signature((bits,), form))]
        cases += [("bits_from_float", Signature((form,), bits))]
        for other in FORMATS:
            cases.append(("float_to_float", Signature((form,), other)))
        for width in WIDTHS:
            number = IntType(width)
            cases += [(name, Signature((number,), form)) for name in ("signed_to_float", "unsigned_to_float")]
            cases += [(name, Signature((form,), number)) for name in ("float_to_signed", "float_to_unsigned")]
    return cases


CASES = integer_cases() + float_cases()


def interesting(type_: Type) -> list[int]:
    if isinstance(type_, FloatType):
        form = float_format(type_)
        one = form.bias << form.fraction_bits
        magnitudes = [0, 1, form.sign_bit >> 1, one, one + 1, form.infinity - 1, form.infinity, form.nan]
        magnitudes += [1 << form.fraction_bits, (form.bias + 1) << form.fraction_bits, one - 1]
        return [m | sign for m in magnitudes for sign in (0, form.sign_bit) if m != form.nan or not sign]
    top = (1 << type_.bits) - 1
    half = 1 << (type_.bits - 1)
    around = (0, 1, 2, 3, 5, half - 1, half, half + 1, top - 1, top, 0x12345678)
    return sorted({value & top for value in around})


def values(type_: Type) -> st.SearchStrategy[int]:
    anything = st.integers(0, (1 << type_.bits) - 1)
    if isinstance(type_, FloatType):
        form = float_format(type_)
        anything = anything.map(lambda bits: INTS.fp_from_bits(bits, form))
    return st.one_of(st.sampled_from(interesting(type_)), anything)


def operands_of(name: str, types: Signature) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*(values(type_) for type_ in types.operands))


def through_source(name: str, operands: tuple[int, ...], types: Signature) -> int:
    names = [f"x{index}" for index in range(len(operands))]
    counter = itertools.count()
    expression = definition(name)(SOURCE, [atom(text) for text in names], types)
    statements, text = render(expression, lambda: f"t{next(counter)}")
    scope = namespace() | dict(zip(names, operands, strict=True))
    exec("\n".join([*statements, f"result = {text}"]), scope)
    result = scope["result"]
    assert isinstance(result, int)
    return int(result)


def through_terms(name: str, operands: tuple[int, ...], types: Signature) -> int:
    """Symbolic operands where the algebra allows them; floats enter through their bits."""
    symbols: list[int | Term] = []
    model: dict[str, int] = {}
    for index, (value, type_) in enumerate(zip(operands, types.operands, strict=True)):
        sort = BOOL if type_.bits == 1 else BitVec(type_.bits)
        symbol = variable(f"x{index}_{type_.bits}", sort)
        model[f"x{index}_{type_.bits}"] = value
        is_float = isinstance(type_, FloatType)
        symbols.append(terms.TERMS.fp_from_bits(symbol, float_format(type_)) if is_float else symbol)
    if name == "is_fpclass":
        symbols[1] = operands[1]
    result = definition(name)(terms.TERMS, symbols, types)
    found = evaluate_term(result, model)
    assert isinstance(found, int)
    return found


def case_name(case: object) -> str:
    if isinstance(case, Signature):
        return f"{'x'.join(map(str, case.operands))}-{case.result}"
    return str(case)


def one_nan(value: int, types: Signature) -> int:
    """The value, where every NaN is the same: which one an operation gives is said by the front end's rewriting."""
    return floating.canonical(value, float_format(types.result)) if isinstance(types.result, FloatType) else value


@pytest.mark.parametrize(("name", "types"), CASES, ids=case_name)
def test_the_algebras_agree(name: str, types: Signature) -> None:
    operands = operands_of(name, types)

    @settings(max_examples=12, deadline=None, database=None)
    @given(operands)
    def agree(chosen: tuple[int, ...]) -> None:
        expected = definition(name)(INTS, chosen, types)
        assert type(expected) is int and 0 <= expected < 1 << types.result.bits
        assert one_nan(through_source(name, chosen, types), types) == one_nan(expected, types)
        assert one_nan(through_terms(name, chosen, types), types) == one_nan(expected, types)

    agree()


def test_every_operation_is_covered() -> None:
    assert {name for name, _ in CASES} == set(all_operations())


def test_unknown_operation() -> None:
    with pytest.raises(InternalError, match="no operation is called frobnicate"):
        definition("frobnicate")


# ---------------------------------------------------------------- against independent definitions


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def clamped(width: int, number: int) -> int:
    half: int = 1 << (width - 1)
    return max(-half, min(half - 1, number)) % (1 << width)


INDEPENDENT = {
    "ctpop": lambda w, a: bin(a).count("1"),
    "ctlz": lambda w, a: w - a.bit_length(),
    "cttz": lambda w, a: w if a == 0 else (a & -a).bit_length() - 1,
    "bitreverse": lambda w, a: int(f"{a:0{w}b}"[::-1], 2),
    "abs": lambda w, a: abs(signed(a, w)) % 2**w,
    "smin": lambda w, a, b: min(signed(a, w), signed(b, w)) % 2**w,
    "smax": lambda w, a, b: max(signed(a, w), signed(b, w)) % 2**w,
    "ashr": lambda w, a, b: (signed(a, w) >> b) % 2**w,
    "sadd_overflows": lambda w, a, b: not -(2 ** (w - 1)) <= signed(a, w) + signed(b, w) < 2 ** (w - 1),
    "ssub_overflows": lambda w, a, b: not -(2 ** (w - 1)) <= signed(a, w) - signed(b, w) < 2 ** (w - 1),
    "smul_overflows": lambda w, a, b: not -(2 ** (w - 1)) <= signed(a, w) * signed(b, w) < 2 ** (w - 1),
    "uadd_overflows": lambda w, a, b: a + b >= 2**w,
    "usub_overflows": lambda w, a, b: a < b,
    "umul_overflows": lambda w, a, b: a * b >= 2**w,
    "sadd_sat": lambda w, a, b: clamped(w, signed(a, w) + signed(b, w)),
    "ssub_sat": lambda w, a, b: clamped(w, signed(a, w) - signed(b, w)),
    "uadd_sat": lambda w, a, b: min(2**w - 1, a + b),
    "usub_sat": lambda w, a, b: max(0, a - b),
    "sle": lambda w, a, b: signed(a, w) <= signed(b, w),
    "slt": lambda w, a, b: signed(a, w) < signed(b, w),
    "fshl": lambda w, a, b, c: ((a << w | b) << (c % w) >> w) % 2**w,
    "fshr": lambda w, a, b, c: ((a << w | b) >> (c % w)) % 2**w,
}


@pytest.mark.parametrize("width", [1, 3, 4, 5])
@pytest.mark.parametrize("name", sorted(INDEPENDENT))
def test_small_widths_exhaustively(name: str, width: int) -> None:
    reference = INDEPENDENT[name]
    arity = reference.__code__.co_argcount - 1
    compares = name.endswith("_overflows") or name in ("sle", "slt")
    types = Signature((IntType(width),) * arity, TRUTH if compares else IntType(width))
    for operands in itertools.product(range(min(1 << width, 16)), repeat=arity):
        expected = int(reference(width, *operands))
        assert definition(name)(INTS, operands, types) == expected, operands


@given(st.integers(0, 2**64 - 1))
def test_bswap_reverses_bytes(value: int) -> None:
    types = Signature((IntType(64),), IntType(64))
    expected = int.from_bytes(value.to_bytes(8, "little"), "big")
    assert definition("bswap")(INTS, [value], types) == expected


def to_float(bits: int) -> float:
    result: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return result


def to_bits(number: float) -> int:
    if math.isnan(number):
        return 0x7FF8_0000_0000_0000
    result: int = struct.unpack("<Q", struct.pack("<d", number))[0]
    return result


def quotient(a: float, b: float) -> float:
    if b == 0:
        negative = math.copysign(1, a) * math.copysign(1, b) < 0
        return math.nan if a == 0 or math.isnan(a) else (-math.inf if negative else math.inf)
    return a / b


def c_fmod(a: float, b: float) -> float:
    return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)


HARDWARE = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": quotient,
    "frem": c_fmod,
}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(HARDWARE)), values(DOUBLE), values(DOUBLE))
def test_doubles_are_those_of_the_hardware(name: str, a: int, b: int) -> None:
    types = Signature((DOUBLE, DOUBLE), DOUBLE)
    expected = to_bits(HARDWARE[name](to_float(a), to_float(b)))
    assert definition(name)(INTS, [a, b], types) == expected


@given(st.floats(allow_nan=False, allow_infinity=False, width=64), st.sampled_from([8, 32, 64]))
def test_float_to_int_is_c_where_it_fits(number: float, width: int) -> None:
    signed_types, unsigned_types = (Signature((DOUBLE,), IntType(width)) for _ in range(2))
    whole = math.trunc(number)
    fits_signed = -(2 ** (width - 1)) <= whole < 2 ** (width - 1)
    expected = whole % 2**width if fits_signed else 0
    assert definition("float_to_signed")(INTS, [to_bits(number)], signed_types) == expected
    expected = whole if 0 <= whole < 2**width else 0
    assert definition("float_to_unsigned")(INTS, [to_bits(number)], unsigned_types) == expected


# ---------------------------------------------------------------- evaluating instructions


def test_evaluate_makes_no_term_for_ints() -> None:
    type_ = IntType(32)
    x, y, r = (p.Register(index, type_) for index in range(3))
    instruction = p.Compute(r, "add", (x, y))
    assert signature(instruction) == Signature((type_, type_), type_)
    assert evaluate(instruction, (2**32 - 1, 2), INTS) == 1
    assert terms.evaluate(instruction, (2**32 - 1, 2)) == 1
    symbol = variable("x", BitVec(32))
    result = terms.evaluate(instruction, (symbol, 2))
    assert isinstance(result, Term) and evaluate_term(result, {"x": 2**32 - 1}) == 1


@settings(max_examples=400, deadline=None)
@given(st.sampled_from([SINGLE, DOUBLE]), st.data())
def test_host_floats_are_those_of_softfloat(type_: FloatType, data: st.DataObject) -> None:
    form = float_format(type_)
    a, b = data.draw(values(type_)), data.draw(values(type_))
    assert INTS.fp_add(a, b, form) == floating.add(a, b, form)
    assert INTS.fp_sub(a, b, form) == floating.sub(a, b, form)
    assert INTS.fp_mul(a, b, form) == floating.mul(a, b, form)
    assert INTS.fp_div(a, b, form) == floating.div(a, b, form)
    assert INTS.fp_sqrt(a, form) == floating.sqrt(a, form)
    for target in (FLOAT16, FLOAT32, FLOAT64):
        assert INTS.fp_to_fp(a, form, target) == floating.convert(a, form, target)
    for width in (8, 32, 64, 128):
        assert INTS.fp_to_signed(a, form, width) == floating.to_signed(a, form, width)
        assert INTS.fp_to_unsigned(a, form, width) == floating.to_unsigned(a, form, width)
        number = data.draw(values(IntType(width)))
        assert INTS.fp_from_signed(number, width, form) == floating.from_signed(number, width, form)
        assert INTS.fp_from_unsigned(number, width, form) == floating.from_unsigned(number, form)
