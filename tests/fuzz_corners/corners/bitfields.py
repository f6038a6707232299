"""Bit-fields: width and sign, promotion, neighbours, overflow by the promoted type, layout."""

from __future__ import annotations

from fuzz_corners.kit import BOOL, INT, LLONG, OVERFLOW, UINT, ULLONG, UNREACH, CType, Draw, Part, literal, shape


def _field(type: CType, width: int) -> CType:
    return CType(type.name, width, type.signed, "", type.rank)


@shape(UNREACH, "error", weight=5)
def stored_and_read(d: Draw) -> Part:
    """Stores to several fields; each holds its value cut to its width, the neighbours theirs."""
    fields, values, lines = [], {}, []
    for number in range(d.between(2, 5)):
        type = d.choose((INT, UINT, LLONG, ULLONG, BOOL, d.choose(d.model.integers[1:6])))
        width = 1 if type is BOOL else d.between(1, type.bits)
        name = f"f{number}"
        fields.append(f"{type.name} {name} : {width};")
        if d.coin(4):
            fields.append(f"{type.name} : {d.choose((0, d.between(1, 1 if type is BOOL else type.bits)))};")
        values[name] = (_field(type, width), type, 0)
    for _ in range(d.between(2, 6)):
        name = d.choose(list(values))
        field, type, old = values[name]
        if d.coin(3) and field.bits > 1:
            up = d.coin()
            lines.append(f"p->{name}{'++' if up else '--'};")
            new = field.wrap(old + (1 if up else -1))
        else:
            given = d.value(INT)
            lines.append(f"p->{name} = {d.hide(given)};")
            new = field.wrap(given) if type is not BOOL else int(given != 0)
        values[name] = (field, type, new)
    checks = []
    guilty = d.choose(list(values))
    for name, (_, type, value) in values.items():
        told = value
        if d.fault and name == guilty:
            told = type.wrap(value + d.choose((1, -1))) if type is not BOOL else 1 - value
        checks.append(f"A(p->{name} == {literal(told, type)});")
    return d.part(
        "struct s$ s, *p = &s;", "__builtin_memset(&s, 0, sizeof s);", *lines, *checks,
        outside=(f"struct s$ {{ {' '.join(fields)} }};",),
    )  # fmt: skip


@shape(UNREACH, "error", weight=3)
def promoted_to_int(d: Draw) -> Part:
    """A narrow unsigned field becomes an int in arithmetic, one of 32 bits stays unsigned."""
    width = d.choose((1, 5, 16, 31, 32))
    value = d.value(_field(UINT, width))
    by = d.between(1, 1 << 20) + value
    signed = width < 32
    shown = (value - by < 0) if signed else False
    return d.part(
        "struct s$ s;", f"s.a = {d.hide(value, UINT)};", f"A((s.a - {d.hide(by)} < 0) == {int(shown) ^ d.fault});",
        outside=(f"struct s$ {{ unsigned a : {width}; }};",),
    )  # fmt: skip


@shape(UNREACH, "error", weight=3)
def value_of_assignment(d: Draw) -> Part:
    """An assignment's value is what the field holds; x++ gives the old one, ++x the cut new one."""
    type = d.choose((INT, UINT))
    width = d.between(1, 9)
    field = _field(type, width)
    given = d.between(0, 600)
    new = field.wrap(given)
    after = field.wrap(new + 1)
    expected = [new, new, field.wrap(after + 1)]
    expected[d.below(3)] += int(d.fault)
    return d.part(
        "struct s$ s;",
        f"A((s.a = {d.hide(given)}) == {expected[0]});",
        f"A(s.a++ == {expected[1]});",
        f"A(++s.a == {expected[2]});",
        outside=(f"struct s$ {{ {type.name} a : {width}; }};",),
    )


@shape(UNREACH, "error", weight=2)
def bytes_of_fields(d: Draw) -> Part:
    """Fields are laid out from the lowest bit."""
    widths = [d.between(1, 12) for _ in range(d.between(2, 4))]
    values = [d.below(1 << w) for w in widths]
    bits, at = 0, 0
    for width, value in zip(widths, values, strict=True):
        bits |= value << at
        at += width
    while at > 32:
        at -= widths.pop()
        values.pop()
    bits &= (1 << at) - 1
    if d.fault:
        bits ^= 1 << d.below(at)
    fields = " ".join(f"unsigned f{n} : {w};" for n, w in enumerate(widths))
    return d.part(
        "union u$ u;", "u.all = 0;", *(f"u.s.f{n} = {d.hide(v)};" for n, v in enumerate(values)), f"A(u.all == {bits:#x}u);",
        outside=(f"union u$ {{ struct {{ {fields} }} s; unsigned all; }};",),
    )  # fmt: skip


@shape(UNREACH, "error", weight=2)
def any_input_fits(d: Draw) -> Part:
    width = d.between(2, 30)
    most = (1 << (width - 1)) - 1
    given = d.asked(INT, most)
    return d.part(
        "struct s$ s;", f"s.a = {given};", f"A(s.a >= {-most - 1} && s.a {'<' if d.fault else '<='} {most});",
        outside=(f"struct s$ {{ signed a : {width}; unsigned b : 3; }};",),
    )  # fmt: skip


@shape(OVERFLOW, "undefined", weight=4)
def overflow_by_promoted_type(d: Draw) -> Part:
    """A field of 31 unsigned bits is an int: twice its largest value overflows; stores to fields don't."""
    if d.fault:
        lines = d.choose((
            ("struct s$ s;", "s.c = 0;", f"s.b = {d.hide(0x7FFFFFFF, UINT)};", f"volatile unsigned r = s.b {d.choose('+*')} {d.hide(d.between(2, 9))};"),
            ("struct s$ s;", "s.c = 0;", f"s.b = {d.hide(0x40000001, UINT)};", "volatile unsigned r = s.b + s.b;"),
            ("struct s$ s;", f"s.c = {d.hide(INT.most)};", d.choose(("s.c++;", "++s.c;", "s.c += 1;"))),
            ("struct s$ s;", f"s.c = {d.hide(INT.least)};", d.choose(("s.c--;", "s.c = -s.c;", "s.c -= 3;"))),
        ))  # fmt: skip
    else:
        lines = (
            "struct s$ s;", "s.c = 0;", f"s.a = {d.hide(3)};", d.choose(("s.a++;", "s.a += 7;", "++s.a;")), f"s.b = {d.hide(0x7FFFFFFF, UINT)};",
            d.choose(("s.b = s.b + 5u;", "s.b = 0u - s.b;")),
            f"s.a = {d.hide(-4)};", d.choose(("s.a = -s.a;", "s.a--;")), f"s.d = {d.hide(127)};", "s.d++;",
        )  # fmt: skip
    return d.part(*lines, "volatile int last = s.c;", outside=("struct s$ { int a : 3; unsigned b : 31; int c : 32; signed char d : 8; };",))
