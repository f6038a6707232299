"""The operators of terms."""

from __future__ import annotations

from enum import IntEnum, unique


@unique
class Op(IntEnum):
    """Operators. There is no OR, ULE, SLE or NE: the constructors write them with NOT, AND, ULT, SLT, EQ."""

    VARIABLE = 0  # payload: name
    ADDRESS = 1  # payload: object id
    # Bool -> Bool
    NOT = 2
    AND = 3
    XOR = 4
    # any sort; (Bool, a, a); never of sort Bool
    ITE = 5
    # bit-vectors -> Bool; payload: width of the operands
    EQ = 6
    ULT = 7
    SLT = 8
    # bit-vectors of one width
    ADD = 9
    SUB = 10
    NEG = 11
    MUL = 12
    UDIV = 13
    UREM = 14
    SDIV = 15
    SREM = 16
    BVAND = 17
    BVOR = 18
    BVXOR = 19
    BVNOT = 20
    SHL = 21
    LSHR = 22
    ASHR = 23
    # changes of width
    CONCAT = 24  # payload: width of the low part
    EXTRACT = 25  # payload: index of the lowest bit
    ZEXT = 26  # payload: width of the operand
    SEXT = 27  # payload: width of the operand
    # arrays
    SELECT = 28
    STORE = 29
    CONSTANT_ARRAY = 30
    # floats; rounding is to nearest, ties to even, where no mode is named
    FP_FROM_BITS = 31
    BITS_FROM_FP = 32
    FP_ADD = 33
    FP_SUB = 34
    FP_MUL = 35
    FP_DIV = 36
    FP_REM = 37
    FP_FMA = 38
    FP_SQRT = 39
    FP_NEG = 40
    FP_ABS = 41
    FP_ROUND = 42  # to an integral value; payload: RoundingMode
    FP_EQ = 43
    FP_LT = 44
    FP_LE = 45
    FP_IS_NAN = 46
    FP_IS_INF = 47
    FP_IS_ZERO = 48
    FP_IS_NEGATIVE = 49
    FP_IS_NORMAL = 50
    FP_IS_SUBNORMAL = 51
    FP_TO_FP = 52
    FP_FROM_SIGNED = 53
    FP_FROM_UNSIGNED = 54
    FP_TO_SIGNED = 55  # toward zero
    FP_TO_UNSIGNED = 56  # toward zero
    # a pointer: its address, and (beside it, of no effect on the value) a pointer with the same owner, or none if
    # the owner is to be looked up by address; payload: see semantics/pointers.py
    OWNED = 57


@unique
class RoundingMode(IntEnum):
    """IEEE 754 rounding-direction attributes."""

    NEAREST_EVEN = 0
    NEAREST_AWAY = 1
    UPWARD = 2
    DOWNWARD = 3
    TOWARD_ZERO = 4
