"""For each row of docs/soundness.md: one place whose change breaks it, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Break:
    """`row`: how the row begins. In `file` (below src/counterpoint) `old`, which stands there once, becomes `new`.

    `guards` are pytest's arguments: files, tests, `-k` with an expression.
    """

    row: str
    file: str
    old: str
    new: str
    guards: tuple[str, ...]


BREAKS = (
    Break(
        "Integers are two's complement",
        "property/no_overflow.py",
        '"-fsanitize=signed-integer-overflow",',
        '"-fwrapv",',
        ("tests/test_bmc.py", "-k", "overflow"),
    ),
    Break(
        "What C leaves undefined in an expression",
        "frontend/arithmetic.py",
        'bad = body.compute(f"icmp eq {type_} {right}, 0", debug)',
        'bad = "false"',
        ("tests/test_frontend_rewriting.py", "tests/test_frontend_meaning.py"),
    ),
    Break(
        "In Simple C every operation is defined",
        "frontend/requests.py",
        'body.compute(f"select i1 {negative}, i32 1, i32 -1", debug)',
        'body.compute(f"select i1 {negative}, i32 -1, i32 1", debug)',
        ("tests/test_simplec.py",),
    ),
    Break(
        "The data model is LP64 for files",
        "frontend/task.py",
        'PLAIN_DATA_MODEL = "LP64"',
        'PLAIN_DATA_MODEL = "ILP32"',
        ("tests/test_frontend_input.py", "tests/test_cli.py"),
    ),
    Break(
        "A signed left shift overflows",
        "frontend/arithmetic.py",
        'exact = body.compute(f"icmp eq {type_} {back}, {left}", debug)',
        'exact = body.compute(f"icmp eq {type_} {left}, {left}", debug)',
        ("tests/test_frontend_meaning.py", "-k", "overflow or shift"),
    ),
    Break(
        "The amount of a shift is tested as it is written",
        "frontend/arithmetic.py",
        'fits = check.fits if check is not None else "true"',
        'fits = "true"',
        ("tests/test_regression.py", "-k", "wide_amounts"),
    ),
    Break(
        "Bit-fields are computed with as clang promotes them",
        "frontend/shifts.py",
        'HANDLER = "@__ubsan_handle_shift_out_of_bounds("',
        'HANDLER = "@__ubsan_handle_nothing("',
        ("tests/test_regression.py", "-k", "bit_fields"),
    ),
    Break(
        "In a block graph the grammar's operators without a sign are signed",
        "frontend/bgd/operations.py",
        "{signed(left, type_)} {_COMPARED_SIGNED[operator]} {signed(right, type_)}",
        "{left} {_COMPARED_SIGNED[operator]} {right}",
        ("tests/test_bgd.py",),
    ),
    Break(
        "A local without an initialiser holds one arbitrary value",
        "frontend/locals.py",
        'fill(body, local.name, local.type, pieces, ("uninitialised", name), debug)',
        "pass",
        ("tests/test_bmc.py", "-k", "uninitialised"),
    ),
    Break(
        "Each entry of a block makes its locals anew",
        "frontend/locals.py",
        'END = "  #cp_end "',
        'END = "  #cp_begin "',
        ("tests/test_regression.py", "-k", "lifetimes"),
    ),
    Break(
        "Thread-local variables are ordinary ones",
        "frontend/intrinsics.py",
        '"llvm.threadlocal", ',
        "",
        ("tests/test_regression.py", "-k", "thread_locals"),
    ),
    Break(
        "Type-based aliasing rules are not used",
        "semantics/stored.py",
        "low = 8 * (size - start - length) if big_endian else 8 * start",
        "low = 8 * (size - start - length)",
        ("tests/test_bmc.py", "tests/test_regression.py", "-k", "bytes or union"),
    ),
    Break(
        "`volatile` memory is ordinary memory",
        "frontend/volatile.py",
        'return "" if accesses.is_numeric(body, address) else match[1] + line[match.end() :]',
        "return match[1] + line[match.end() :]",
        ("tests/test_regression.py", "-k", "volatile"),
    ),
    Break(
        "Floats are IEEE 754",
        "semantics/instructions/floats.py",
        "below = m.fp_lt(rest, m.const(0, form.width), form)",
        "below = m.fp_lt(m.const(0, form.width), rest, form)",
        ("tests/test_semantics_operations.py",),
    ),
    Break(
        "Programs have one thread",
        "frontend/calls.py",
        'r"(pthread|thrd|mtx|cnd|tss|sem)_',
        'r"(thrd|mtx|cnd|tss|sem)_',
        ("tests/test_regression.py", "-k", "threads_and_jumps"),
    ),
    Break(
        "`setjmp`, signals and the like are UNSUPPORTED",
        "frontend/calls.py",
        'r"|(_|__sig|sig|_sig)?setjmp|',
        'r"|',
        ("tests/test_regression.py", "-k", "threads_and_jumps"),
    ),
    Break(
        "Places that no run with a meaning in C reaches",
        "frontend/indirect.py",
        'not_callable(body, "the called pointer is null or no function of this type", debug)',
        "body.stop(debug)",
        ("tests/test_regression.py", "-k", "undefined"),
    ),
    Break(
        "Constructors and `.preinit_array`",
        "frontend/sections.py",
        "return sorted([*tables, *listed], key=lambda entry: entry.priority)",
        "return sorted([*tables, *listed], key=lambda entry: -entry.priority)",
        ("tests/test_regression.py", "-k", "before_main or ends_of_runs"),
    ),
    Break(
        "No symbol of a program begins with `__cp_`",
        "frontend/reserved.py",
        "if found is not None:\n        raise",
        "if False:\n        raise",
        ("tests/test_calls.py",),
    ),
    Break(
        "A function without a definition returns an arbitrary value",
        "frontend/calls.py",
        'body.nondet(call.type, "undefined", name, debug, call.result)',
        'body.compute(f"freeze {call.type} zeroinitializer", debug, call.result)',
        ("tests/test_bmc.py", "-k", "undefined or external"),
    ),
    Break(
        "An undefined function that is declared noreturn",
        "frontend/calls.py",
        "elif name in body.shared.noreturn:",
        "elif False:",
        ("tests/test_regression.py", "-k", "undefined"),
    ),
    Break(
        "An undefined function that is handed a function",
        "frontend/calls.py",
        'body.unsupported(f"call of the undefined function {original(name)} with a function pointer", debug)',
        "return_anything(body, call, name, debug)",
        ("tests/test_callbacks.py",),
    ),
    Break(
        "An arbitrary pointer is null or the address of external memory",
        "semantics/step.py",
        'if isinstance(type_, PointerType) and not (world.memory_safety and kind in ("uninitialised", "undef")):',
        "if isinstance(type_, PointerType) and world.fresh < 0:",
        ("tests/test_bmc.py", "-k", "external or constant"),
    ),
    Break(
        "The address of a weak function or object",
        "frontend/weak.py",
        'there = body.nondet("i1", "external", f"{original(name)} exists", "")',
        'there = "true"',
        ("tests/test_regression.py", "-k", "weak"),
    ),
    Break(
        "Objects declared `extern` without a definition",
        "frontend/start.py",
        "    for symbol in list(module.globals):\n        make_external_arbitrary(body, symbol)\n",
        "",
        ("tests/test_frontend_meaning.py",),
    ),
    Break(
        "`malloc` and its kin succeed",
        "frontend/libc/heap.c",
        "if (__builtin_mul_overflow(count, size, &total)) return no_memory();\n    return ALLOCATE_ZEROED(total);",
        "total = count * size;\n    return ALLOCATE_ZEROED(total);",
        ("tests/test_libc_models.py", "tests/test_regression.py", "-k", "heap or allocation"),
    ),
    Break(
        "Printing writes nothing",
        "frontend/link.py",
        'rb"%[-+ #0-9.*hlqjzt]*n"',
        'rb"%[-+ #0-9.*hlqjzt]*never"',
        ("tests/test_regression.py", "-k", "printf_counts"),
    ),
    Break(
        "A call through a function pointer goes to a function",
        "frontend/indirect.py",
        'not_callable(body, "the called pointer is null or no function of this type", debug)',
        "body.stop(debug)",
        ("tests/test_regression.py", "tests/test_frontend_meaning.py", "-k", "undefined or unknown_function"),
    ),
    Break(
        "Models of libc functions",
        "frontend/libc/string_length.c",
        "    size_t n = 0;\n    while (s[n]) n++;",
        "    size_t n = 0;\n    while (s[n + 1]) n++;",
        ("tests/test_libc_models.py", "-k", "strlen"),
    ),
    Break(
        "A library function that is called without a declaration",
        "frontend/undeclared.py",
        'return "".join(f"{_BY_NAME[name]}\\n" for name in _known(_UNDECLARED.findall(said)))',
        'return ""',
        ("tests/test_regression.py", "-k", "undeclared"),
    ),
    Break(
        "A pointer is a number, base of its object plus offset",
        "semantics/addresses.py",
        "aligned = build.eq(build.bvand(base, max(1, thing.alignment) - 1, bits), 0, bits)",
        "aligned = build.eq(build.bvand(base, 4095, bits), 0, bits)",
        ("tests/test_addresses.py",),
    ),
    Break(
        "Objects so large that 64 of them would not fit",
        "semantics/addresses.py",
        "        if small == 0 or len(placed) >= MAX_PLACED:\n            continue\n",
        "",
        ("tests/test_addresses.py",),
    ),
    Break(
        "Proofs about loops and recursion: no run uses up",
        "semantics/summary.py",
        "above = build.and_(build.ule(past.counter, base, bits), build.ule(base, external_base(bits), bits))",
        "above = build.ule(base, external_base(bits), bits)",
        ("tests/test_cutpoint.py",),
    ),
    Break(
        "A call of a function with loops or recursion",
        "semantics/contracts.py",
        "    _forget(points, callee.name, name, state, world)\n",
        "",
        ("tests/test_houdini.py", "tests/test_evidence_induction.py"),
    ),
    Break(
        "An access belongs to the object that its pointer was derived from",
        "semantics/memory.py",
        "if size > thing.size:\n                return 0",
        "if size > thing.size + 1:\n                return 0",
        ("tests/test_bmc.py", "-k", "memory"),
    ),
    Break(
        "String literals and static objects that are defined `const`",
        "semantics/memory.py",
        "if thing.code or (write and thing.constant):",
        "if thing.code:",
        ("tests/test_regression.py", "-k", "write_to_constant"),
    ),
    Break(
        "The bytes that an index adds to an address are computed exactly",
        "frontend/exact.py",
        "    if not conditions:\n        return line\n",
        "    return line\n",
        ("tests/test_regression.py", "-k", "wrapped_address"),
    ),
    Break(
        "A variable-length array has positive lengths",
        "frontend/extents.py",
        "limit = (1 << body.shared.pointer_bits - 1) - 1",
        "limit = (1 << body.shared.pointer_bits) - 1",
        ("tests/test_regression.py", "-k", "array_sizes"),
    ),
    Break(
        "A call of an error function is a violation however it is made",
        "frontend/calls.py",
        "self.functions: frozenset[str] = frozenset(found) if wanted else frozenset()",
        'self.functions: frozenset[str] = frozenset(found & {"reach_error"}) if wanted else frozenset()',
        ("tests/test_regression.py", "tests/test_calls.py", "-k", "error or calls"),
    ),
    Break(
        "Inline assembly with an empty template does nothing",
        "frontend/assembly.py",
        "return not self.template.strip()",
        "return False",
        ("tests/test_regression.py", "-k", "inline_assembly"),
    ),
    Break(
        "Other inline assembly is UNSUPPORTED where a run meets it",
        "frontend/assembly.py",
        "return not self.template.strip()",
        "return True",
        ("tests/test_regression.py", "tests/test_bmc.py", "-k", "inline_assembly or unsupported"),
    ),
    Break(
        "What a model only approximates",
        "portfolio/judge.py",
        "    if hangs_on:\n        parts",
        "    if False:\n        parts",
        ("tests/test_regression.py", "-k", "approximated"),
    ),
    Break(
        "A number made into a pointer",
        "semantics/pointers.py",
        "if not mentioned_objects(address) or self.surely_inside(address):\n            return address",
        "if self.world.fresh >= 0:\n            return address",
        ("tests/test_regression.py", "-k", "owners or guard or cast"),
    ),
    Break(
        "Source and target of `memcpy`",
        "frontend/accesses.py",
        "if not body.shared.property.asks_for(Instrument.ACCESSES) or target == source:",
        "if target:",
        ("tests/test_regression.py", "-k", "overlapping"),
    ),
    Break(
        "Computing an out-of-bounds pointer is no violation",
        "semantics/memory.py",
        "if size > thing.size:\n                return 0",
        "if size > thing.size + 1:\n                return 0",
        ("tests/test_bmc.py", "-k", "memory"),
    ),
    Break(
        "Leaks (`valid-memtrack`)",
        "semantics/leaks.py",
        "return build.conjunction([build.or_(build.not_(memory.alive[i]), reached[i]) for i in heap])",
        "return 1",
        ("tests/test_bmc.py", "-k", "memory"),
    ),
    Break(
        "In a vector each lane is an operation of its own",
        "frontend/lanes.py",
        'body.kernel("__cp_check", f"i1 {inside}, i32 {index}", debug)',
        "pass",
        ("tests/test_regression.py", "-k", "vector"),
    ),
    Break(
        "`main` gets `argc` >= 1",
        "frontend/start.py",
        'positive = body.compute(f"icmp sgt {type_} {value}, 0")',
        'positive = body.compute(f"icmp sge {type_} {value}, 0")',
        ("tests/test_regression.py", "tests/test_frontend_meaning.py", "-k", "argument"),
    ),
    Break(
        "A stream is an object outside the program",
        "frontend/libc/stream.h",
        "if (*(byte *)stream != STREAM_OPEN && *nowhere) return;",
        "if (*(byte *)stream == STREAM_OPEN && *nowhere) return;",
        ("tests/test_regression.py", "-k", "streams"),
    ),
    Break(
        "A pointer's owner goes with it",
        "semantics/pointers.py",
        "return build.owned(build.add(build.plain(base), offset, bits), base, 0, bits)",
        "return build.add(build.plain(base), offset, bits)",
        ("tests/test_regression.py", "-k", "difference or strayed or memory or memcpy or chosen"),
    ),
    Break(
        "Across a loop or a call by contract pointers are addresses",
        "semantics/strays.py",
        '    """When some pointer that is kept across the cut point has strayed."""\n'
        "    world = state.memory.shared.world\n    if not world.memory_safety:",
        '    """When some pointer that is kept across the cut point has strayed."""\n'
        "    world = state.memory.shared.world\n    if world:",
        ("tests/test_regression.py", "-k", "kept_across or heap_blocks"),
    ),
    Break(
        "Locals that are defined `const`",
        "frontend/constant_locals.py",
        "return known is not None and known != atom[1]",
        "return False",
        ("tests/test_regression.py", "-k", "write_to_constant_local"),
    ),
)
