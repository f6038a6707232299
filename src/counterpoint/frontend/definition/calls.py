"""Calls: what each callee means, by name, by definition, or by the lack of one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import NAME_FIELD
from counterpoint.frontend.definition import (
    accesses,
    assembly,
    call_types,
    callbacks,
    checker_functions,
    indirect_calls,
    initialised,
    intrinsics,
    nondets,
    outside_calls,
    program_exit,
    variable_arguments,
    weak_symbols,
)
from counterpoint.frontend.definition.arithmetic import check_library_result
from counterpoint.frontend.definition.body import KERNEL, Body
from counterpoint.frontend.definition.va_arg import TAKE
from counterpoint.frontend.irtext import Call, FunctionText, ModuleText, argument, debug_of, parse_call
from counterpoint.frontend.lower.text import quoted, unquoted
from counterpoint.program.names import original
from counterpoint.property import Instrument

ERROR_FUNCTIONS = frozenset({"reach_error", "__VERIFIER_error"})
ASSERTION_FAILURES = frozenset(
    {"__assert_fail", "__assert", "__assert_rtn", "_assert", "__assert_func", "__assert_perror_fail"}
)

ASSERTIONS = frozenset({"assert", "__VERIFIER_assert"})
"""Without a definition: assertions that were meant to be macros, or that verifiers know."""

# Effects that no model here has: threads, signals, non-local jumps, processes, rounding modes.
_UNSUPPORTED = regex(
    r"(pthread|thrd|mtx|cnd|tss|sem)_\w+|call_once|signal|bsd_signal|sigaction|sigset|raise|kill"
    r"|(_|__sig|sig|_sig)?setjmp|(_|sig|__sig)?longjmp|[vr]?fork|_Fork|forkpty|daemon|clone[23]?"
    r"|exec[lv]\w*|posix_spawn\w*|qsort(_r)?|bsearch|fesetround|fesetenv|feholdexcept|makecontext"
    r"|swapcontext|setcontext|getcontext|mmap|shmat|dlopen|dlsym|__(mul|div)[hxt]c3"
)

CLAIMS = ("__CPROVER_assert", "__ESBMC_assert")
"""Assertions that other verifiers know, which do not end a run: errors whatever else is one."""

# Functions that compilers define themselves: what is left of these is another compiler's.
_COMPILERS = ("__builtin_", "__sync_", "__atomic_", "__c11_")


class Errors:
    """Which functions' calls are the property's errors in this program.

    `functions` are symbols: the error functions of each file, also those that linking or an assembler label renamed.
    """

    def __init__(self, module: ModuleText, metadata: Mapping[str, str], wanted: bool) -> None:
        """`wanted`: the property asks for errors."""
        defined, declared = module.functions, module.declared
        found = {name for name in (*defined, *declared) if error_name(module, metadata, name)}
        has_assertion = any(name in defined or name in declared for name in ASSERTION_FAILURES)
        has_assertion |= any(name in declared for name in ("assert", "__VERIFIER_assert", *CLAIMS))
        self.wanted = wanted
        self.functions: frozenset[str] = frozenset(found) if wanted else frozenset()
        self.assertions = wanted and not found
        self.labels = wanted and not found and not has_assertion




def error_name(module: ModuleText, metadata: Mapping[str, str], symbol: str) -> str:
    """The error function of C that a symbol stands for, or "".

    C's names have no dots: what follows one was added where functions of several files had the same name.
    """
    function = module.functions.get(symbol)
    found = re.search(r"!dbg (!\d+)", module.declared.get(symbol, ""))
    place = function.debug if function is not None else found[1] if found is not None else ""
    named = NAME_FIELD.search(metadata.get(place, ""))
    names = (symbol.partition(".")[0], quoted(named[1]) if named else "")
    return next((name for name in names if name in ERROR_FUNCTIONS), "")


def fail_when_called(function: FunctionText) -> None:
    """A defined error function is an error however it is called: its body becomes the error."""
    place = f", !dbg {function.debug}" if function.debug else ""
    function.lines = [f"  call void {call_types.symbol(function.name)}(){place}", "  unreachable"]


def rewrite_call(body: Body, line: str, errors: Errors) -> None:
    """Replaces one `call` line by what the callee means."""
    debug = debug_of(line)
    call = parse_call(line)
    if call is None:
        assembly.rewrite(body, line, debug)
        return
    before = len(body.out)
    if call.callee[0] == "@":
        call_named(body, line, call, unquoted(call.callee[1:]), errors, debug)
    else:
        indirect_calls.rewrite(body, call, debug)
    if call.result and not any(new.startswith(f"  {call.result} = ") for new in body.out[before:]):
        if body.is_dead():
            body.compute(f"freeze {call.type} poison", debug, call.result)
        else:
            body.nondet(call.type, "undefined", original(call.callee), debug, call.result)


def call_named(body: Body, line: str, call: Call, name: str, errors: Errors, debug: str) -> None:
    """A direct call of the function or intrinsic `name`."""
    if name.startswith("llvm."):
        intrinsics.rewrite(body, line, call, name, debug)
    elif name == TAKE:
        variable_arguments.take(body, call, debug)
    elif name.startswith("__cp_") and name not in body.shared.module.functions:
        rewrite_kernel_call(body, call, name, debug)
    elif name in errors.functions:
        called = error_name(body.shared.module, body.shared.tables.metadata, name)
        body.violation("unreach-call", f"{called}() is called", debug)
    elif (function := body.shared.module.functions.get(name)) is not None:
        check_library_result(body, call, function, debug)
        call_types.call_defined(body, line, call, function, debug)
    elif name in body.shared.module.aliases:
        body.unsupported(f"call of the indirect function {original(name)}", debug)
    elif not requested(body, call, name, errors, debug):
        if name in body.shared.weak and body.function.name != name:  # its stand-in is only called if it is there
            weak_symbols.require(body, body.shared.weak[name], debug)
        call_undefined(body, call, name, errors, debug)


def never_returns(body: Body, line: str) -> bool:
    """Whether a line calls a defined function whose code has no return."""
    call = parse_call(line) if "call " in line else None
    if call is None or call.callee[0] != "@":
        return False
    function = body.shared.module.functions.get(unquoted(call.callee[1:]))
    return function is not None and not any(line.startswith("  ret ") for line in function.lines)


def call_undefined(body: Body, call: Call, name: str, errors: Errors, debug: str) -> None:
    """A function without a definition: one that verifiers know, or one that returns anything."""
    if name.startswith("__ubsan_handle_"):
        body.unsupported("an operation that C leaves undefined", debug)
    elif name in ASSERTION_FAILURES:
        if errors.assertions:
            body.violation("unreach-call", "an assertion fails", debug)
        else:
            program_exit.end_at_once(body, "i32 134", debug)
    elif name in ERROR_FUNCTIONS and name != "reach_error":
        program_exit.end_at_once(body, "i32 134", debug)
    elif name in ASSERTIONS and call.arguments:
        assert_argument(body, call, errors.assertions, debug)
    elif name in CLAIMS and call.arguments:
        if errors.wanted:
            assert_argument(body, call, True, debug)
        else:
            outside_calls.return_anything(body, call, original(name), debug)
    elif name in ("__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume") and call.arguments:
        body.kernel("__cp_assume", f"i1 {_truth(body, call.arguments[0], debug)}", debug)
    elif name.startswith("__VERIFIER_nondet_"):
        nondets.rewrite(body, call, name, debug)
    elif name.startswith("__VERIFIER_atomic_") and call.type == "void":
        pass
    elif name in program_exit.RUN_ENDS:
        program_exit.end_run(body, call, name, debug)
    elif _UNSUPPORTED.fullmatch(name) is not None:
        body.unsupported(f"call of {name}", debug)
    elif name.startswith(_COMPILERS):
        body.unsupported(f"call of {name}, which this compiler does not know", debug)
    elif name in body.shared.noreturn:
        body.shared.tables.undefined.setdefault(original(name), body.shared.tables.at(debug))
        body.shared.tables.assume(f"the undefined function {original(name)} ends the run, as its declaration says")
        program_exit.end_at_once(body, "i32 0", debug)
    elif callbacks.takes_function(body, call, name) and not (
        body.shared.callbacks and callbacks.rewrite(body, call, name, debug)
    ):
        body.shared.tables.undefined.setdefault(original(name), body.shared.tables.at(debug))
        body.unsupported(f"call of the undefined function {original(name)} with a function pointer", debug)
    else:
        body.shared.tables.undefined.setdefault(original(name), body.shared.tables.at(debug))
        body.shared.tables.assume(f"the undefined function {original(name)} returns any value and changes nothing")
        outside_calls.return_anything(body, call, original(name), debug)


def requested(body: Body, call: Call, name: str, errors: Errors, debug: str) -> bool:
    """A call by which the program speaks to the checker; False if it is none after all."""
    if not name.startswith(checker_functions.PREFIX):
        return False
    has_truth = name.removeprefix(checker_functions.PREFIX) in checker_functions.CONDITIONAL and call.arguments
    truth = _truth(body, call.arguments[0], debug) if has_truth else ""
    return checker_functions.rewrite(body, call, name, truth, debug, errors.wanted)


def assert_argument(body: Body, call: Call, counts: bool, debug: str) -> None:
    """An undefined `assert` that is called like a function."""
    holds = _truth(body, call.arguments[0], debug)
    if counts:
        index = body.shared.tables.check("unreach-call", "an assertion fails", debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)
    elif body.shared.property.asks_for(Instrument.LEAKS):
        with body.where_not(holds, ""):  # no branch of the source
            program_exit.end_at_once(body, "i32 134", debug)
    else:
        body.kernel("__cp_assume", f"i1 {holds}", debug)
    if call.type != "void":
        body.nondet(call.type, "undefined", "assert", debug, call.result)


def _truth(body: Body, text: str, debug: str) -> str:
    """The C truth value of an argument as an i1."""
    type_, value = argument(text)
    if type_ == "i1":
        return value
    if type_ in ("float", "double"):
        return body.compute(f"fcmp une {type_} {value}, 0.0", debug)
    return body.compute(f"icmp ne {type_} {value}, {'null' if type_ == 'ptr' else '0'}", debug)


def rewrite_kernel_call(body: Body, call: Call, name: str, debug: str) -> None:
    """A kernel call in a library model: its literal index becomes a site or check of its own.

    There 0 stands for an input, 1 for a value that the model only approximates.
    """
    function = body.function.name
    arguments = [" ".join(argument(text)) for text in call.arguments]
    if name == "__cp_stop":
        program_exit.stop(body, function, arguments[0], debug)
        return
    if name == "__cp_unsupported":
        body.unsupported(f"call of {function}", debug)
        return
    if name == "__cp_free" and body.shared.property.asks_for(Instrument.FREES):
        index = body.shared.tables.check("valid-free", "this is no block that can be freed", debug)
        body.kernel("__cp_check_free", f"{arguments[0]}, i32 {index}", debug)
    if name == "__cp_check_apart":
        accesses.check_overlap(body, call, debug)
        return
    if name == "__cp_havoc":
        size_type, size = argument(call.arguments[1])
        accesses.check_access(body, argument(call.arguments[0])[1], size_type, size, debug, "write")
    if name == "__cp_allocate" and body.shared.property.asks_for(Instrument.INITIALISED):
        body.shared.tables.assume(initialised.ASSUMED)
    if name.startswith(("__cp_nondet", "__cp_havoc", "__cp_allocate")):
        kind = "heap" if name.startswith("__cp_allocate") else "input"
        if arguments[-1] == "i32 1":
            kind = "approximated"
            body.shared.tables.assume(f"the library function {function} may return any value")
        index = body.site(kind, function, call.type, debug)
        arguments[-1] = f"i32 {index}"
    if name in KERNEL or name.startswith("__cp_nondet_i"):
        body.kernel(name, ", ".join(arguments), debug, call.result)
    else:
        body.unsupported(f"call of {name}", debug)
