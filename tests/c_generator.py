"""Random C programs: small, terminating, and defined unless they say so.

`generate(random, data_model)` grows a program as a tree of text, so that a failing one can be cut down (`smaller`).
Operations that C leaves undefined are guarded; a few on purpose are not, and then the front end makes their
result an input. Values are observed through `emit(v)`, which consumes one input of site `emit_one` or
`emit_zero` per bit of v: every party, native and symbolic ones too, reports consumed inputs.
Nothing depends on addresses, on the bits of a NaN or on the order of evaluation within an expression.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True, eq=False)
class Tree:
    """Text with parts that can be taken out: a statement ("stmt"), an expression ("expr") or neither ("")."""

    parts: list[str | Tree]
    kind: str = ""

    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text() for part in self.parts)

    def nodes(self) -> Iterator[Tree]:
        yield self
        for part in self.parts:
            if isinstance(part, Tree):
                yield from part.nodes()


Piece: TypeAlias = "str | Tree"


@dataclass(frozen=True, slots=True)
class Type:
    """An arithmetic type: C name, suffix of its `__VERIFIER_nondet_`, bits of value, integer rank."""

    name: str
    nondet: str
    bits: int
    signed: bool
    rank: int = 0
    floating: bool = False


@dataclass(slots=True)
class Typed:
    """An expression of a promoted or declared type."""

    tree: Tree
    type: Type


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct or union; fields are (name, type, bit-field width or 0, array length or 0)."""

    name: str
    fields: tuple[tuple[str, Type, int, int], ...]
    union: bool = False
    packed: bool = False


@dataclass(slots=True)
class Function:
    """A generated function; `cost` bounds the statements of one call, roughly."""

    name: str
    result: Type
    parameters: tuple[Type, ...]
    cost: int
    record: Struct | None = None
    recursive: bool = False
    pointer: Type | None = None


@dataclass(slots=True)
class Scope:
    """What a function's statements can name. `factor` is the product of the loop bounds around them.

    `own` are the function's outermost locals and `local_pointers` the pointers that may point to such.
    """

    scalars: list[tuple[str, Type]] = field(default_factory=list)
    arrays: list[tuple[str, Type, tuple[int, ...]]] = field(default_factory=list)
    structs: list[tuple[str, Struct]] = field(default_factory=list)
    pointers: list[tuple[str, Type]] = field(default_factory=list)
    frozen: list[tuple[str, Type]] = field(default_factory=list)
    own: list[tuple[str, Type]] = field(default_factory=list)
    local_pointers: list[str] = field(default_factory=list)
    factor: int = 1
    loops: int = 0
    depth: int = 0

    def copy(self) -> Scope:
        return Scope(
            list(self.scalars), list(self.arrays), list(self.structs), list(self.pointers), list(self.frozen),
            list(self.own), list(self.local_pointers), self.factor, self.loops, self.depth,
        )  # fmt: skip


PRELUDE = """
typedef __SIZE_TYPE__ size_t;
extern void __VERIFIER_assume(int); extern void reach_error(void); extern void abort(void);
extern void *malloc(size_t); extern void *calloc(size_t, size_t); extern void free(void *);
extern void *memcpy(void *, const void *, size_t); extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t); extern int memcmp(const void *, const void *, size_t);
extern size_t strlen(const char *); extern int strcmp(const char *, const char *);
extern char *strcpy(char *, const char *); extern char *strchr(const char *, int);
#ifdef HOST
extern void emit(unsigned long long);
#else
extern unsigned char emit_one(void), emit_zero(void);
static void emit(unsigned long long v) { for (int i = 0; i < 64; i++) if (v >> i & 1) emit_one(); else emit_zero(); }
#endif
static unsigned long long sum = 1;
static void mix(unsigned long long v) { sum = ((sum ^ v) * 0x9E3779B97F4A7C15ull); sum ^= sum >> 29; }
static double nn(double x) { return x != x ? 1.5 : x; }
static float nnf(float x) { return x != x ? 2.5f : x; }
static void mixd(double x) { union { double d; unsigned long long u; } b; b.d = nn(x); mix(b.u); }
static void mixf(float x) { union { float d; unsigned u; } b; b.d = nnf(x); mix(b.u); }
static int toint(double x) { return x > -2e9 && x < 2e9 ? (int)x : 7; }
static unsigned char tobyte(double x) { return x > -0.5 && x < 255 ? (unsigned char)x : 3; }
static long long tolong(double x) { return x > -9e18 && x < 9e18 ? (long long)x : -9; }
static unsigned long long toulong(float x) { return x >= 0 && x < 1e19f ? (unsigned long long)x : 11; }
static int sign(int x) { return (x > 0) - (x < 0); }
struct node { struct node *next; int v; };
static struct node n1 = { 0, 5 }, n2 = { &n1, 6 }, n3 = { &n2, 7 }, *head = &n3;
static void visit(void) { struct node *n = head; for (int i = 0; i < 4 && n; i++, n = n->next) mix(n->v); }
"""


def expression(*parts: Piece) -> Tree:
    return Tree(["(", *parts, ")"], "expr")


def statement(*parts: Piece) -> Tree:
    return Tree([*parts, "\n"], "stmt")


class Generator:
    """Grows one program from a source of choices."""

    def __init__(self, choose: random.Random, data_model: str, undefined: bool) -> None:
        self.choose = choose
        self.undefined = undefined
        word = 64 if data_model == "LP64" else 32
        self.int = Type("int", "int", 32, True, 3)
        self.uint = Type("unsigned int", "uint", 32, False, 3)
        self.bool = Type("_Bool", "bool", 1, False, 0)
        self.char = Type("char", "char", 8, True, 1)
        self.uchar = Type("unsigned char", "uchar", 8, False, 1)
        self.ullong = Type("unsigned long long", "ulonglong", 64, False, 5)
        self.float = Type("float", "float", 32, True, 0, True)
        self.double = Type("double", "double", 64, True, 0, True)
        self.integers = [
            self.int, self.uint, self.bool, self.char, self.uchar, self.ullong,
            Type("signed char", "schar", 8, True, 1),
            Type("short", "short", 16, True, 2),
            Type("unsigned short", "ushort", 16, False, 2),
            Type("long", "long", word, True, 4),
            Type("unsigned long", "ulong", word, False, 4),
            Type("long long", "longlong", 64, True, 5),
        ]  # fmt: skip
        if data_model == "LP64":
            self.integers.append(Type("__int128", "int128", 128, True, 6))
            self.integers.append(Type("unsigned __int128", "uint128", 128, False, 6))
        self.types = [*self.integers, self.float, self.double]
        self.globals = Scope()
        self.functions: list[Function] = []
        self.names = 0
        self.top: list[Piece] = []
        self.structs: list[Struct] = []

    # ------------------------------------------------------------ choices

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def often(self, percent: int) -> bool:
        return self.choose.randrange(100) < percent

    def between(self, low: int, high: int) -> int:
        return self.choose.randrange(low, high + 1)

    def any_type(self) -> Type:
        """Common types come more often."""
        if self.often(35):
            return self.choose.choice([self.int, self.uint, self.uchar, self.int])
        return self.choose.choice(self.types)

    # ------------------------------------------------------------ expressions

    def promoted(self, type_: Type) -> Type:
        return type_ if type_.floating or type_.rank >= 3 else self.int

    def usual(self, one: Type, two: Type) -> Type:
        """The usual arithmetic conversions of C17 6.3.1.8."""
        if one.floating or two.floating:
            return self.double if self.double in (one, two) else self.float
        one, two = self.promoted(one), self.promoted(two)
        high, low = (one, two) if one.rank >= two.rank else (two, one)
        if high.signed and not low.signed and high.bits <= low.bits:
            return next(t for t in self.integers if t.rank == high.rank and not t.signed)
        if high.rank == low.rank and not low.signed:
            return low
        return high

    def constant(self, type_: Type) -> Typed:
        if type_.floating:
            plain = ["0.0", "1.0", "-1.0", "0.5", "3.25", "-7.75", "1e10", "1e-10", "16777216.0", "1e300", "4e-320", "0.1"]
            value = self.choose.choice(plain)
            if type_ is self.float:
                value = value.replace("1e300", "1e38").replace("4e-320", "3e-44") + "f"
            return Typed(expression(value), type_)
        kind = self.between(0, 9)
        bits = min(type_.bits, 64)
        if kind < 6:
            value_ = self.between(-3 if type_.signed else 0, 9)
        elif kind < 8:
            value_ = (1 << self.between(0, bits - 1)) + self.between(-1, 1)
        else:
            value_ = self.choose.getrandbits(bits)
        shown = f"{value_ & (1 << 64) - 1}ull" if value_ > 2**31 - 1 or value_ < 0 else str(value_)
        return Typed(expression(f"({type_.name}){shown}"), type_)

    def value(self, scope: Scope, depth: int = 3) -> Typed:
        """An expression without side effects."""
        if depth <= 0 or self.often(25):
            return self.leaf(scope)
        makers: list[tuple[int, Callable[[Scope, int], Typed]]] = [
            (30, self.arithmetic), (12, self.shift), (10, self.division), (12, self.comparison),
            (6, self.logic), (8, self.unary), (6, self.ternary), (10, self.cast), (4, self.builtin), (2, self.size),
        ]  # fmt: skip
        maker = self.choose.choices([m for _, m in makers], [w for w, _ in makers])[0]
        return maker(scope, depth - 1)

    def integer(self, scope: Scope, depth: int = 3) -> Typed:
        found = self.value(scope, depth)
        return self.to_integer(found) if found.type.floating else found

    def to_integer(self, found: Typed) -> Typed:
        if self.undefined and self.often(10):
            target = self.choose.choice(self.integers)
            return Typed(expression(f"({target.name})", found.tree), target)
        how, name = self.choose.choice(
            [("toint", "int"), ("tobyte", "unsigned char"), ("tolong", "long long"), ("toulong", "unsigned long long")]
        )
        return Typed(expression(how, "(", found.tree, ")"), next(t for t in self.integers if t.name == name))

    def leaf(self, scope: Scope) -> Typed:
        if self.often(25):
            return self.constant(self.any_type())
        text, type_ = self.readable(scope)
        return Typed(Tree(text, "expr"), type_)

    def arithmetic(self, scope: Scope, depth: int) -> Typed:
        left, right = self.value(scope, depth), self.value(scope, depth)
        type_ = self.usual(left.type, right.type)
        operators = "+-*/" if type_.floating else "+-*&|^+-"
        return Typed(expression(left.tree, f" {self.choose.choice(operators)} ", right.tree), type_)

    def shift(self, scope: Scope, depth: int) -> Typed:
        left, right = self.integer(scope, depth), self.integer(scope, depth)
        type_ = self.promoted(left.type)
        operator = self.choose.choice([" << ", " >> "])
        if self.undefined and self.often(10):
            return Typed(expression(left.tree, operator, right.tree), type_)
        return Typed(expression(left.tree, operator, "(", right.tree, f" & {type_.bits - 1})"), type_)

    def division(self, scope: Scope, depth: int) -> Typed:
        left, right = self.integer(scope, depth), self.integer(scope, depth)
        operator = self.choose.choice([" / ", " % "])
        type_ = self.usual(left.type, right.type)
        if self.undefined and self.often(15):
            return Typed(expression(left.tree, operator, right.tree), type_)
        if not type_.signed:
            return Typed(expression(left.tree, operator, "(", right.tree, f" | ({type_.name})1)"), type_)
        # Never 0 nor -1: the positive numbers below 128.
        return Typed(expression(left.tree, operator, "((", right.tree, f" & 127) + ({type_.name})1)"), type_)

    def comparison(self, scope: Scope, depth: int) -> Typed:
        left, right = self.value(scope, depth), self.value(scope, depth)
        operator = self.choose.choice(["<", "<=", ">", ">=", "==", "!="])
        return Typed(expression(left.tree, f" {operator} ", right.tree), self.int)

    def logic(self, scope: Scope, depth: int) -> Typed:
        left, right = self.value(scope, depth), self.value(scope, depth)
        return Typed(expression(left.tree, self.choose.choice([" && ", " || "]), right.tree), self.int)

    def unary(self, scope: Scope, depth: int) -> Typed:
        inner = self.value(scope, depth)
        operators = ["-", "!", "+"] if inner.type.floating else ["-", "!", "~"]
        operator = self.choose.choice(operators)
        return Typed(expression(operator, inner.tree), self.int if operator == "!" else self.promoted(inner.type))

    def ternary(self, scope: Scope, depth: int) -> Typed:
        test, yes, no = (self.value(scope, depth) for _ in range(3))
        return Typed(expression(test.tree, " ? ", yes.tree, " : ", no.tree), self.usual(yes.type, no.type))

    def cast(self, scope: Scope, depth: int) -> Typed:
        target, inner = self.any_type(), self.value(scope, depth)
        if inner.type.floating and not target.floating and target is not self.bool:
            inner = self.to_integer(inner)
        return Typed(expression(f"({target.name})", inner.tree), target)

    def builtin(self, scope: Scope, depth: int) -> Typed:
        inner = self.value(scope, depth)
        if inner.type.floating:
            return Typed(expression(self.choose.choice(["__builtin_fabs", "__builtin_sqrt"]), "(", inner.tree, ")"), self.double)
        name, type_, tail = self.choose.choice(
            [
                ("__builtin_popcount", self.int, ""), ("__builtin_popcountll", self.int, ""),
                ("__builtin_clz", self.int, " | 1"), ("__builtin_ctzll", self.int, " | 1"),
                ("__builtin_bswap32", self.uint, ""), ("__builtin_parity", self.int, ""),
                ("__builtin_ffs", self.int, ""), ("__builtin_clzll", self.int, " | 1"),
            ]
        )  # fmt: skip
        return Typed(expression(name, "(", inner.tree, f"{tail})"), type_)

    def size(self, scope: Scope, depth: int) -> Typed:
        named = [name for name, _ in scope.structs] + [name for name, _, _ in scope.arrays] or ["sum"]
        return Typed(expression(f"(unsigned)sizeof({self.choose.choice(named)})"), self.uint)

    # ------------------------------------------------------------ lvalues

    def readable(self, scope: Scope) -> tuple[list[Piece], Type]:
        if scope.frozen and self.often(15):
            name, type_ = self.choose.choice(scope.frozen)
            return [name], type_
        text, type_, field_ = self.place(scope, reading=True)
        if field_:
            # Compilers disagree on the type of a wide bit-field (C17 6.7.2.1 leaves it open).
            return [f"(({type_.name})", *text, ")"], type_
        return text, type_

    def index(self, scope: Scope, length: int) -> Tree:
        if self.often(40):
            return Tree([str(self.between(0, length - 1))], "expr")
        inner = self.integer(scope, 1)
        return expression("(unsigned)", inner.tree, f" % {length}")

    def place(self, scope: Scope, reading: bool = False) -> tuple[list[Piece], Type, bool]:
        """(lvalue, its type, whether it is a bit-field)."""
        kinds = ["scalar"] * 5 + ["array"] * 3 * bool(scope.arrays) + ["struct"] * 4 * bool(scope.structs)
        kinds += ["pointer"] * 3 * bool(scope.pointers)
        kind = self.choose.choice(kinds)
        if kind == "array":
            name, type_, lengths = self.choose.choice(scope.arrays)
            parts: list[Piece] = [name]
            for length in lengths:
                parts += ["[", self.index(scope, length), "]"]
            return parts, type_, False
        if kind == "struct":
            name, struct = self.choose.choice(scope.structs)
            return self.member(scope, name, struct, reading)
        if kind == "pointer":
            name, type_ = self.choose.choice(scope.pointers)
            return [f"(*{name})"], type_, False
        if not scope.scalars:
            return ["sum"], self.ullong, False
        name, type_ = self.choose.choice(scope.scalars)
        return [name], type_, False

    def member(self, scope: Scope, name: str, struct: Struct, reading: bool) -> tuple[list[Piece], Type, bool]:
        field_, type_, width, length = self.choose.choice(struct.fields)
        through = f"(&{name})->" if self.often(20) else f"{name}."
        parts: list[Piece] = [f"{through}{field_}"]
        if length:
            parts += ["[", self.index(scope, length), "]"]
        return parts, type_, width > 0

    # ------------------------------------------------------------ statements

    def block(self, scope: Scope, count: int) -> Tree:
        inner = scope.copy()
        inner.depth += 1
        return Tree(["{\n", *(self.statement(inner) for _ in range(count)), "}"])

    def statement(self, scope: Scope) -> Tree:
        makers: list[tuple[int, Callable[[Scope], Tree]]] = [
            (34, self.assign), (8, self.step), (10, self.call), (8, self.pointing), (6, self.copying),
            (5, self.observe), (4, self.local), (2, self.overflow), (3, self.strings), (2, self.stop), (3, self.heap),
            (3, self.walk), (3, self.pointer_fact),
            (5, self.nodes),
        ]  # fmt: skip
        if scope.depth < 3:
            makers += [(12, self.conditional), (7, self.switch), (4, self.jump)]
            if scope.loops < 2:
                makers.append((12, self.loop))
        return self.choose.choices([m for _, m in makers], [w for w, _ in makers])[0](scope)

    def fitting(self, found: Typed, target: Type) -> Tree:
        """The value as it may be stored in the target: floats go to integers by a defined way."""
        if found.type.floating and not target.floating and target is not self.bool:
            return self.to_integer(found).tree
        return found.tree

    def assign(self, scope: Scope) -> Tree:
        left, type_, _ = self.place(scope)
        if self.is_punned(left, scope) and type_.floating:
            helper = "nnf" if type_ is self.float else "nn"
            return statement(*left, f" = {helper}(", self.value(scope).tree, ");")
        found = self.value(scope)
        if self.often(30) and type_ is not self.bool:
            if type_.floating:
                return statement(*left, f" {self.choose.choice('+-*/')}= ", found.tree, ";")
            if not found.type.floating:
                return statement(*left, f" {self.choose.choice('+-*&|^')}= ", found.tree, ";")
        return statement(*left, " = ", self.fitting(found, type_), ";")

    @staticmethod
    def is_punned(left: Sequence[Piece], scope: Scope) -> bool:
        """The lvalue is a member of a union: its bits are seen as another type."""
        text = "".join(part for part in left if isinstance(part, str))
        return any(struct.union and f"{name}" in text for name, struct in scope.structs)

    def step(self, scope: Scope) -> Tree:
        left, type_, _ = self.place(scope)
        if self.is_punned(left, scope) and type_.floating:
            return self.assign(scope)
        return statement(*left, self.choose.choice(["++;", "--;"]))

    def observe(self, scope: Scope) -> Tree:
        found = self.value(scope, 2)
        how = "mix" if not found.type.floating else "mixf" if found.type is self.float else "mixd"
        return statement(f"{how}(", found.tree, ");")

    def local(self, scope: Scope) -> Tree:
        """A local, or an input."""
        type_, name = self.any_type(), self.name("v")
        if self.often(30):
            made = statement(f"{type_.name} {name} = __VERIFIER_nondet_{type_.nondet}();")
        elif self.undefined and self.often(15):
            made = statement(f"{type_.name} {name};")
        else:
            made = statement(f"{type_.name} {name} = ", self.fitting(self.value(scope), type_), ";")
        scope.scalars.append((name, type_))
        made.kind = ""
        return made

    def overflow(self, scope: Scope) -> Tree:
        type_ = self.choose.choice([t for t in self.integers if t.rank >= 3 and t.bits <= 64])
        name = self.name("o")
        one, two = self.integer(scope, 2), self.integer(scope, 2)
        operation = self.choose.choice(["add", "sub", "mul"])
        return statement(
            f"{{ {type_.name} {name} = 0; mix(__builtin_{operation}_overflow(({type_.name})", one.tree,
            f", ({type_.name})", two.tree, f", &{name})); mix({name}); }}",
        )  # fmt: skip

    def conditional(self, scope: Scope) -> Tree:
        test = self.value(scope, 2)
        parts: list[Piece] = ["if (", test.tree, ") ", self.block(scope, self.between(1, 3))]
        if self.often(50):
            parts += [" else ", self.block(scope, self.between(1, 2))]
        return statement(*parts)

    def loop(self, scope: Scope) -> Tree:
        bound, name = self.between(1, 5), self.name("i")
        inner = scope.copy()
        inner.loops += 1
        inner.factor *= bound
        inner.frozen.append((name, self.int))
        body = self.block(inner, self.between(1, 4))
        if self.often(25):
            leave = self.choose.choice(["break", "continue"]) if self.often(70) else "break"
            body.parts.insert(-1, statement("if (", self.value(inner, 2).tree, f") {leave};\n", self.observe(inner)))
        kind = self.between(0, 3)
        if kind == 0:
            more = expression(f"{name} < {bound} && ", self.value(scope, 1).tree)
            return statement(f"for (int {name} = 0; ", more, f"; {name}++) ", body)
        if kind == 1:
            return statement(f"{{ int {name} = {bound}; while ({name}-- > 0) ", body, "}")
        if kind == 2:
            return statement(f"{{ int {name} = 0; do ", body, f" while (++{name} < {bound}); }}")
        return statement(f"for (int {name} = 0; {name} < {bound}; {name}++) ", body)

    def switch(self, scope: Scope) -> Tree:
        test = self.integer(scope, 2)
        parts: list[Piece] = ["switch ((int)", test.tree, self.choose.choice([" & 3", " % 5", ""]), ") {\n"]
        cases = self.choose.sample(range(-2, 7), self.between(1, 4))
        for position, case in enumerate(cases):
            label = "default" if position == 1 and self.often(60) else f"case {case}"
            body = self.block(scope, self.between(1, 2))
            parts += [f"{label}: ", body, " break;\n" if self.often(70) else "\n"]
        return statement(*parts, "}")

    def jump(self, scope: Scope) -> Tree:
        label = self.name("skip")
        inner = self.block(scope, self.between(1, 2))
        return statement("if (", self.value(scope, 2).tree, f") goto {label};\n", inner, f"\n{label}: ;")

    def stop(self, scope: Scope) -> Tree:
        test = expression(self.integer(scope, 2).tree, f" == {self.between(-1, 40)}")
        what = self.choose.choice(["reach_error();", "abort();", "{ emit(sum); reach_error(); }"])
        if self.often(30):
            return statement("__VERIFIER_assume(!", test, ");")
        return statement("if (", test, f") {what}")

    # ------------------------------------------------------------ pointers and memory

    def address_of(self, scope: Scope, type_: Type, local: bool) -> Tree | None:
        """The address of an object of exactly this type; of the function's own ones only if `local`."""
        names: list[Piece] = [f"&{name}" for name, t in self.globals.scalars if t is type_]
        arrays = [(name, lengths) for name, t, lengths in self.globals.arrays if t is type_]
        for name, lengths in arrays:
            places: list[Piece] = [f"&{name}"]
            for length in lengths:
                places += ["[", self.index(scope, length), "]"]
            names.append(Tree(places))
        if local:
            names += [f"&{name}" for name, t in scope.own if t is type_] * 2
        names += [n for n, t in scope.pointers if t is type_ and (local or n not in scope.local_pointers)]
        for name, struct in self.globals.structs:
            if not struct.union and not struct.packed:
                names += [f"&{name}.{f}" for f, t, width, length in struct.fields if t is type_ and not width and not length]
        if not names:
            return None
        if len(names) > 1 and self.often(30):
            one, two = self.choose.sample(names, 2)
            return Tree(["(", self.value(scope, 2).tree, " ? ", one, " : ", two, ")"])
        return Tree([self.choose.choice(names)])

    def pointing(self, scope: Scope) -> Tree:
        """Aims a pointer, perhaps through a pointer to it."""
        if not scope.pointers:
            return self.assign(scope)
        name, type_ = self.choose.choice(scope.pointers)
        target = self.address_of(scope, type_, name in scope.local_pointers)
        if target is None:
            return self.assign(scope)
        if self.often(30):
            second = self.name("pp")
            return statement(f"{{ {type_.name} **{second} = &{name}; *{second} = ", target, f"; **{second} = ", self.constant(type_).tree, "; }")
        return statement(f"{name} = ", target, ";")

    def pointer_fact(self, scope: Scope) -> Tree:
        """Comparison of pointers for equality, through an integer as well."""
        if not scope.pointers:
            return self.observe(scope)
        name, type_ = self.choose.choice(scope.pointers)
        target = self.address_of(scope, type_, True)
        if target is None:
            return self.observe(scope)
        if self.often(30):
            return statement(f"mix(*({type_.name} *)(void *)(size_t){name} != 0);")
        return statement(f"mix({name} == ", target, ");")

    def nodes(self, scope: Scope) -> Tree:
        """A linked list is linked anew, changed, visited."""
        one, two = self.choose.choice(["n1", "n2", "n3"]), self.choose.choice(["&n1", "&n2", "&n3", "0", "head"])
        kind = self.between(0, 3)
        if kind == 0:
            return statement("head = ", self.value(scope, 2).tree, f" ? &{one} : ", two, ";")
        if kind == 1:
            return statement(f"{one}.next = ", two, ";")
        if kind == 2:
            return statement("if (head) head->v = ", self.fitting(self.value(scope, 2), self.int), ";")
        return statement("visit();")

    def walk(self, scope: Scope) -> Tree:
        """Pointer arithmetic over an array, within its bounds."""
        flat = [(name, t, lengths[0]) for name, t, lengths in scope.arrays if len(lengths) == 1]
        if not flat:
            return self.assign(scope)
        name, type_, length = self.choose.choice(flat)
        q, e, step = self.name("q"), self.name("e"), self.between(1, 2)
        how = "mix" if not type_.floating else "mixf" if type_ is self.float else "mixd"
        body = f"{how}(*{q}); {q} += {step};" if self.often(60) else f"*{q} = {q}[0] + 1; {q} = {step} + {q}; mix({e} - {q});"
        start = self.index(scope, length)
        return statement(
            f"{{ {type_.name} *{q} = {name} + ", start, f", *{e} = &{name}[{length}]; while ({e} - {q} >= {step}) {{ {body} }} ",
            f"mix({q} == {e}); mix({q} <= {e}); mix((char *){e} - (char *){q}); }}",
        )  # fmt: skip

    def copying(self, scope: Scope) -> Tree:
        """memcpy, memmove, memset, struct assignment."""
        kind = self.between(0, 3)
        flat = [(n, t, ls) for n, t, ls in scope.arrays if not t.floating]
        if kind == 0 and len(scope.structs) > 1:
            one, two = self.choose.choice(scope.structs), self.choose.choice(scope.structs)
            if one[1] is two[1] and one[0] != two[0]:
                return statement(f"{one[0]} = {two[0]};")
        if not flat:
            return self.assign(scope)
        name, type_, lengths = self.choose.choice(flat)
        if kind == 1 and type_ is not self.bool:
            return statement(f"memset({name}, ", self.integer(scope, 1).tree, f", sizeof({name}));")
        same = [(n, t, ls) for n, t, ls in flat if t is type_ and n != name]
        if same and type_ is not self.bool:
            other, _, _ = self.choose.choice(same)
            return statement(f"memcpy({name}, {other}, sizeof({name}) < sizeof({other}) ? sizeof({name}) : sizeof({other}));")
        if len(lengths) == 1 and lengths[0] > 2:
            # The size stays below one element less than the array has.
            size = expression("(unsigned)", self.integer(scope, 1).tree, f" % {lengths[0] - 1}")
            return statement(f"memmove({name} + 1, {name}, ", size, f" * sizeof({name}[0]));")
        return self.assign(scope)

    def strings(self, scope: Scope) -> Tree:
        a, b = self.name("s"), self.name("s")
        text = "".join(self.choose.choice("abcxyz ") for _ in range(self.between(0, 6)))
        edit = Tree([f"{a}[", self.index(scope, 8), "] = (char)(", self.integer(scope, 1).tree, ");"])
        use = self.choose.choice(
            [
                f"mix(strlen({a}));", f"mix(sign(strcmp({a}, {b})));", f"mix(sign(memcmp({a}, {b}, 8)));",
                f"mix(strchr({a}, 'c') ? strchr({a}, 'c') - {a} : 99);", f"strcpy({b}, {a}); mix({b}[2]); mix(strlen({b}));",
            ]
        )  # fmt: skip
        return statement(f'{{ char {a}[9] = "{text}", {b}[9] = "abc"; ', edit, f" {a}[8] = 0; {use} }}")

    def heap(self, scope: Scope) -> Tree:
        if scope.factor > 5:
            return self.assign(scope)
        type_, name, length = self.any_type(), self.name("h"), self.between(1, 5)
        made = f"calloc({length}, sizeof({type_.name}))"
        if self.often(40):
            made = f"memset(malloc({length} * sizeof({type_.name})), 0, {length} * sizeof({type_.name}))"
        inner = scope.copy()
        inner.arrays.append((name, type_, (length,)))
        body = [self.assign(inner) for _ in range(self.between(1, 3))]
        # sizeof of a pointer would differ from that of an array: no copying of the whole in here.
        how = "mix" if not type_.floating else "mixf" if type_ is self.float else "mixd"
        end: list[Piece] = [f"{how}({name}[", self.index(scope, length), "]);"]
        return statement(f"{{ {type_.name} *{name} = {made};\n", *body, *end, f" free({name}); }}")

    # ------------------------------------------------------------ functions

    def call(self, scope: Scope) -> Tree:
        usable = [f for f in self.functions if scope.factor * f.cost < 400]
        if not usable:
            return self.assign(scope)
        function = self.choose.choice(usable)
        alike = [f for f in usable if f.parameters == function.parameters and f.result == function.result and f.pointer is function.pointer and not f.recursive and f.record is None]
        arguments: list[Piece] = []
        for position, type_ in enumerate(function.parameters):
            arguments.append(", " if position else "")
            if function.recursive and position == 0:
                arguments.append(str(self.between(0, 4)))
            else:
                arguments.append(self.fitting(self.value(scope, 2), type_))
        if function.pointer is not None:
            target = self.address_of(scope, function.pointer, True)
            if target is None:
                return self.assign(scope)
            arguments += [", ", target]
        if function.record is not None:
            owned = [name for name, struct in scope.structs if struct is function.record]
            if not owned:
                return self.assign(scope)
            return statement(f"{self.choose.choice(owned)} = {function.name}({self.choose.choice(owned)}, ", *arguments[:-1], arguments[-1], ");")
        result, name = function.result, self.name("r")
        callee: Piece = function.name
        if len(alike) > 1 and not function.recursive:
            table = self.name("t")
            listed = ", ".join(f.name for f in alike)
            types = ", ".join(t.name for t in function.parameters)
            if function.pointer is not None:
                types += f", {function.pointer.name} *"
            made = statement(
                f"{result.name} (*{table}[])({types}) = {{ {listed} }};\n{result.name} {name} = {table}[",
                self.index(scope, len(alike)), "](", *arguments, ");",
            )  # fmt: skip
        else:
            made = statement(f"{result.name} {name} = ", callee, "(", *arguments, ");")
        scope.scalars.append((name, result))
        made.kind = ""
        return made

    def body(self, scope: Scope, count: int) -> list[Piece]:
        """Declarations of locals, then statements."""
        parts: list[Piece] = []
        for _ in range(self.between(1, 4)):
            parts.append(self.declaration(scope, "", self.globals.copy()))
        return [*parts, *(self.statement(scope) for _ in range(count))]

    def function(self) -> None:
        name, result = self.name("f"), self.any_type()
        recursive = self.often(20)
        record = self.choose.choice(self.structs) if self.structs and not recursive and self.often(20) else None
        earlier = [f for f in self.functions if not f.recursive and f.record is None]
        if earlier and not recursive and record is None and self.often(40):
            model = self.choose.choice(earlier)
            result, types, pointer = model.result, model.parameters, model.pointer
        else:
            pointer = self.any_type() if not recursive and self.often(40) else None
            types = tuple(self.any_type() for _ in range(self.between(1, 3)))
        if recursive:
            types = (self.int, *types[1:])
        scope = self.globals.copy()
        names = [self.name("a") for _ in types]
        scope.scalars += list(zip(names, types, strict=True))
        if recursive:
            scope.scalars.pop(-len(types))
            scope.frozen.append((names[0], self.int))
        declared = ", ".join(f"{t.name} {n}" for t, n in zip(types, names, strict=True))
        if pointer is not None:
            own_pointer = self.name("p")
            declared += f", {pointer.name} *{own_pointer}"
            scope.pointers.append((own_pointer, pointer))
            scope.local_pointers.append(own_pointer)
        scope.own += scope.scalars[len(self.globals.scalars) :]
        kept = self.functions
        self.functions = [f for f in kept if f.cost < 60]
        head = f"static {result.name} {name}({declared})"
        if record is not None:
            own = self.name("w")
            head = f"static {record_name(record)} {name}({record_name(record)} {own}, {declared})"
            scope.structs.append((own, record))
        body = self.body(scope, self.between(1, 5))
        if record is not None:
            end = statement(f"return {own};")
        elif recursive:
            again = Tree([f"{name}({names[0]} - 1" + "".join(f", {n}" for n in names[1:]) + ")"])
            end = statement(f"if ({names[0]} > 0) {{ {result.name} deeper = ", again, "; return ", self.fitting(Typed(Tree(["deeper"], "expr"), result), result), " + 1; }\n")
            end.parts += ["return ", self.fitting(self.value(scope, 2), result), ";\n"]
        else:
            end = statement("return ", self.fitting(self.value(scope), result), ";")
        end.kind = ""
        cost = 20 + sum(len(piece.text()) for piece in body if isinstance(piece, Tree)) // 40
        self.functions = [*kept, Function(name, result, types, cost * (5 if recursive else 1), record, recursive, pointer)]
        self.top.append(Tree([head, " {\n", *body, end, "}\n"]))

    # ------------------------------------------------------------ declarations

    def struct(self) -> Struct:
        union = self.often(25)
        fields: list[tuple[str, Type, int, int]] = []
        for _ in range(self.between(2, 5)):
            type_ = self.any_type()
            width = length = 0
            if union and type_ is self.bool:
                type_ = self.uchar
            if not type_.floating and type_ is not self.bool and type_.bits <= 64 and self.often(35) and not union:
                width = self.between(1, type_.bits)
            elif self.often(25):
                length = self.between(2, 4)
            fields.append((self.name("m"), type_, width, length))
        return Struct(self.name("S"), tuple(fields), union, self.often(15))

    def declare_struct(self, struct: Struct) -> str:
        lines = []
        for name, type_, width, length in struct.fields:
            tail = f" : {width}" if width else f"[{length}]" if length else ""
            lines.append(f"{type_.name} {name}{tail};")
            if width and self.often(10):
                lines.append("int : 0;")
        packed = " __attribute__((packed))" if struct.packed else ""
        return f"{record_name(struct)} {{ {' '.join(lines)} }}{packed};\n"

    def declaration(self, scope: Scope, storage: str, sources: Scope | None) -> Tree:
        """A variable with an initialiser; `sources` says what it may be computed from (None: constants)."""
        type_, kind = self.any_type(), self.between(0, 9)

        def first(target: Type) -> Piece:
            if sources is None or self.often(40):
                return self.constant(target).tree
            return self.fitting(self.value(sources, 1), target)

        if kind < 3:
            lengths = (self.between(2, 6),) if self.often(75) else (self.between(2, 3), self.between(2, 3))
            name = self.name("a")
            shape = "".join(f"[{n}]" for n in lengths)
            given: list[Piece] = []
            if len(lengths) == 1:
                for _ in range(self.between(1, lengths[0])):
                    given += [first(type_), ", "]
            else:
                for _ in range(lengths[0]):
                    given += ["{", first(type_), "}, "]
            scope.arrays.append((name, type_, lengths))
            return Tree([f"{storage}{type_.name} {name}{shape} = {{", *given, "};\n"])
        if kind < 5 and self.structs:
            struct, name = self.choose.choice(self.structs), self.name("g")
            _, first_type, _, length = struct.fields[0]
            start: Piece = self.constant(first_type).tree
            scope.structs.append((name, struct))
            inner: list[Piece] = ["{", start, "}"] if length else [start]
            return Tree([f"{storage}{record_name(struct)} {name} = {{", *inner, "};\n"])
        if kind < 7 and self.globals.scalars:
            target, pointed = self.choose.choice(self.globals.scalars + (scope.own if sources else []))
            name = self.name("p")
            if sources is not None:
                scope.local_pointers.append(name)
            scope.pointers.append((name, pointed))
            return Tree([f"{storage}{pointed.name} *{name} = &{target};\n"])
        name = self.name("x")
        scope.scalars.append((name, type_))
        if sources is not None:
            scope.own.append((name, type_))
        if sources is not None and self.often(35):
            return Tree([f"{storage}{type_.name} {name} = __VERIFIER_nondet_{type_.nondet}();\n"])
        return Tree([f"{storage}{type_.name} {name} = ", first(type_), ";\n"])

    # ------------------------------------------------------------ programs

    def program(self) -> Tree:
        for _ in range(self.between(0, 2)):
            struct = self.struct()
            self.structs.append(struct)
            self.top.append(self.declare_struct(struct))
        for _ in range(self.between(3, 7)):
            self.top.append(self.declaration(self.globals, "static ", None))
        for _ in range(self.between(1, 4)):
            self.function()
        scope = self.globals.copy()
        body = self.body(scope, self.between(5, 12))
        for name, type_ in scope.scalars[-8:]:
            body.append(Tree([f"mix{'' if not type_.floating else 'f' if type_ is self.float else 'd'}({name});\n"], "stmt"))
        for name, type_, lengths in self.globals.arrays:
            first = name + "[0]" * len(lengths)
            last = name + "".join(f"[{length - 1}]" for length in lengths)
            how = "mix" if not type_.floating else "mixf" if type_ is self.float else "mixd"
            body.append(statement(f"{how}({first}); {how}({last});"))
        nondets = "".join(f"extern {t.name} __VERIFIER_nondet_{t.nondet}(void);\n" for t in self.types)
        return Tree([nondets, PRELUDE, *self.top, "int main(void) {\n", *body, "emit(sum);\nreturn 0;\n}\n"])


def record_name(struct: Struct) -> str:
    return f"{'union' if struct.union else 'struct'} {struct.name}"


def generate(choose: random.Random, data_model: str = "LP64", undefined: bool = True) -> Tree:
    """A program. `undefined` allows operations whose result C leaves open."""
    return Generator(choose, data_model, undefined).program()


def smaller(program: Tree, bad: Callable[[str], bool], attempts: int = 200) -> Tree:
    """The program with statements and expressions taken out as long as it stays `bad`; changed in place."""
    changed = True
    while changed and attempts > 0:
        changed = False
        for node in list(program.nodes()):
            if node.kind == "" or not any(node is other for other in program.nodes()):
                continue
            before = node.parts
            options: list[list[Piece]] = [[";"]] if node.kind == "stmt" else [["0"]]
            options += [[part] for part in before if isinstance(part, Tree) and node.kind == "expr"]
            options += [["{", *(p for p in before if isinstance(p, Tree)), "}"]] if node.kind == "stmt" else []
            for option in options:
                node.parts = list(option)
                attempts -= 1
                if node.text() != "".join(p if isinstance(p, str) else p.text() for p in before) and bad(program.text()):
                    changed = True
                    break
                node.parts = before
                if attempts <= 0:
                    return program
    return program


def indented(text: str) -> str:
    """The text with one indentation per open brace."""
    lines, level = [], 0
    for line in text.splitlines():
        line = line.strip()
        if line:
            lines.append("  " * max(0, level - line.startswith("}")) + line)
        level += line.count("{") - line.count("}")
    return "\n".join(lines) + "\n"
