"""Calls: what each callee means, by name, by definition, or by the lack of one."""

from __future__ import annotations

import re
from collections.abc import Container

from counterpoint.frontend import accesses, callbacks, indirect, intrinsics, nondets, requests, variadic
from counterpoint.frontend.arithmetic import check_library_result
from counterpoint.frontend.body import KERNEL, Body
from counterpoint.frontend.irtext import Call, argument, debug_of, parse_call
from counterpoint.frontend.lower.text import unescaped, unquoted
from counterpoint.program.names import original
from counterpoint.property import Instrument

ERROR_FUNCTIONS = frozenset({"reach_error", "__VERIFIER_error"})
ASSERTION_FAILURES = frozenset(
    {"__assert_fail", "__assert", "__assert_rtn", "_assert", "__assert_func", "__assert_perror_fail"}
)
RUN_ENDS = {"abort": "i32 134", "exit": "", "_exit": "", "_Exit": "", "quick_exit": ""}

# Effects that no model here has: threads, signals, non-local jumps, processes, rounding modes.
_UNSUPPORTED = re.compile(
    r"(pthread|thrd|mtx|cnd|tss|sem)_\w+|call_once|signal|bsd_signal|sigaction|sigset|raise|kill"
    r"|(_|__sig|sig|_sig)?setjmp|(_|sig|__sig)?longjmp|atexit|at_quick_exit|on_exit|v?fork|clone"
    r"|exec[lv]\w*|posix_spawn\w*|qsort(_r)?|bsearch|fesetround|fesetenv|feholdexcept|makecontext"
    r"|swapcontext|setcontext|getcontext|mmap|shmat|dlopen|dlsym|__(mul|div)[hsdxt]c3"
)


class Errors:
    """Which functions' calls are the property's errors in this program."""

    def __init__(self, defined: Container[str], declared: Container[str], wanted: bool) -> None:
        """`defined` and `declared` are the program's functions; `wanted`: the property asks for errors."""
        has_error_function = any(name in defined or name in declared for name in ERROR_FUNCTIONS)
        has_assertion = any(name in defined or name in declared for name in ASSERTION_FAILURES)
        has_assertion |= "assert" in declared or "__VERIFIER_assert" in declared
        self.wanted = wanted
        self.functions: frozenset[str] = frozenset()
        self.assertions = self.labels = False
        if wanted:
            self.functions = ERROR_FUNCTIONS
            self.assertions = not has_error_function
            self.labels = not has_error_function and not has_assertion


def rewrite_call(body: Body, line: str, errors: Errors) -> None:
    """Replaces one `call` line by what the callee means."""
    debug = debug_of(line)
    call = parse_call(line)
    if call is None:
        inline_assembly(body, line, debug)
        return
    before = len(body.out)
    if call.callee[0] == "@":
        call_named(body, line, call, unquoted(call.callee[1:]), errors, debug)
    else:
        indirect.rewrite(body, call, debug)
    if call.result and not any(new.startswith(f"  {call.result} = ") for new in body.out[before:]):
        if body.is_dead():
            body.compute(f"freeze {call.type} poison", debug, call.result)
        else:
            body.nondet(call.type, "undefined", original(call.callee), debug, call.result)


def call_named(body: Body, line: str, call: Call, name: str, errors: Errors, debug: str) -> None:
    """A direct call of the function or intrinsic `name`."""
    if name.startswith("llvm."):
        intrinsics.rewrite(body, line, call, name, debug)
    elif name.startswith("__cp_"):
        rewrite_kernel_call(body, call, name, debug)
    elif name in errors.functions:
        body.violation("unreach-call", f"{name}() is called", debug)
    elif (function := body.shared.module.functions.get(name)) is not None:
        if body.shared.is_model(function) and body.shared.property.asks_for(Instrument.OVERFLOWS):
            check_library_result(body, call, name, debug)
        variadic.call_defined(body, line, call, function, debug)
    elif name in body.shared.module.aliases:
        body.unsupported(f"call of the indirect function {original(name)}", debug)
    elif not requested(body, call, name, errors, debug):
        call_undefined(body, call, name, errors, debug)


def call_undefined(body: Body, call: Call, name: str, errors: Errors, debug: str) -> None:
    """A function without a definition: one that verifiers know, or one that returns anything."""
    if name.startswith("__ubsan_handle_"):
        body.unsupported("an operation that C leaves undefined", debug)
    elif name in ASSERTION_FAILURES:
        if errors.assertions:
            body.violation("unreach-call", "an assertion fails", debug)
        else:
            body.stop(debug, "i32 134")
    elif name in ERROR_FUNCTIONS and name != "reach_error":
        body.stop(debug, "i32 134")
    elif name in ("assert", "__VERIFIER_assert") and call.arguments:
        assert_argument(body, call, errors.assertions, debug)
    elif name in ("__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume") and call.arguments:
        body.kernel("__cp_assume", f"i1 {_truth(body, call.arguments[0], debug)}", debug)
    elif name.startswith("__VERIFIER_nondet_"):
        nondets.rewrite(body, call, name, debug)
    elif name.startswith("__VERIFIER_atomic_") and call.type == "void":
        pass
    elif name in RUN_ENDS:
        end_run(body, call, name, debug)
    elif _UNSUPPORTED.fullmatch(name) is not None:
        body.unsupported(f"call of {name}", debug)
    elif callbacks.takes_function(body, call, name) and not (
        body.shared.callbacks and callbacks.rewrite(body, call, name, debug)
    ):
        body.unsupported(f"call of the undefined function {original(name)} with a function pointer", debug)
    else:
        body.shared.tables.assume(f"the undefined function {original(name)} returns any value and changes nothing")
        return_anything(body, call, name, debug)


def requested(body: Body, call: Call, name: str, errors: Errors, debug: str) -> bool:
    """A call by which the program speaks to the checker; False if it is none after all."""
    if not name.startswith(requests.PREFIX):
        return False
    has_truth = name.removeprefix(requests.PREFIX) in requests.CONDITIONAL and call.arguments
    truth = _truth(body, call.arguments[0], debug) if has_truth else ""
    return requests.rewrite(body, call, name, truth, debug, errors.wanted)


def return_anything(body: Body, call: Call, name: str, debug: str) -> None:
    """The effect of an undefined function: an arbitrary result, also one returned through memory."""
    name = original(name)
    if call.arguments and "sret(" in call.arguments[0]:
        type_ = re.search(r"sret\(((?:[^()]|\([^()]*\))*)\)", call.arguments[0])
        if type_ is not None:
            address = argument(call.arguments[0])[1]
            size = body.shared.types.size(body.shared.types.parse(type_[1]))
            index = body.site("undefined", name, type_[1], debug)
            body.kernel("__cp_havoc", f"ptr {address}, {body.shared.word} {size}, i32 {index}", debug)
    if call.type != "void":
        body.nondet(call.type, "undefined", name, debug, call.result)


def end_run(body: Body, call: Call, name: str, debug: str) -> None:
    """exit and its relatives; only exit leaves a state in which lost memory is looked for."""
    if name == "exit":
        check_leaks(body, debug)
    code = RUN_ENDS[name]
    if not code:
        arguments = [argument(text) for text in call.arguments]
        code = f"i32 {arguments[0][1]}" if arguments and arguments[0][0] == "i32" else "i32 0"
    body.stop(debug, code)


def check_leaks(body: Body, debug: str) -> None:
    """The property's checks at the end of a run."""
    for kind in ("valid-memcleanup", "valid-memtrack"):
        if body.shared.property.asks_for(Instrument.LEAKS) and kind in body.shared.property.kinds:
            what = "is never freed" if kind == "valid-memcleanup" else "is lost: nothing points to it"
            index = body.shared.tables.check(kind, f"allocated memory {what}", debug)
            body.kernel("__cp_check_leak", f"i32 {index}", debug)


def assert_argument(body: Body, call: Call, counts: bool, debug: str) -> None:
    """An undefined `assert` that is called like a function."""
    holds = _truth(body, call.arguments[0], debug)
    if counts:
        index = body.shared.tables.check("unreach-call", "an assertion fails", debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)
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
        if function == "exit":
            check_leaks(body, debug)
        body.stop(debug, arguments[0])
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
    if name.startswith(("__cp_nondet", "__cp_havoc", "__cp_allocate")):
        kind = "heap" if name.startswith("__cp_allocate") else "input"
        if arguments[-1] == "i32 1":
            kind = "undefined"
            body.shared.tables.assume(f"the library function {function} may return any value")
        index = body.site(kind, function, call.type, debug)
        arguments[-1] = f"i32 {index}"
    if name in KERNEL or name.startswith("__cp_nondet_i"):
        body.kernel(name, ", ".join(arguments), debug, call.result)
    else:
        body.unsupported(f"call of {name}", debug)


_ASSEMBLY = re.compile(
    r'^  (?:(%[^ ]+) = )?(?:tail )?call (.*?) asm (?:sideeffect )?(?:alignstack )?(?:inteldialect )?"([^"]*)"'
    r', "([^"]*)"\((.*)\)'
)


def inline_assembly(body: Body, line: str, debug: str) -> None:
    """An empty template without operands orders memory accesses only; any other is UNSUPPORTED."""
    match = _ASSEMBLY.match(line)
    if match is not None and match[2] == "void" and not unescaped(match[3]).strip() and not match[5]:
        return
    body.unsupported("inline assembly", debug)
    body.out.append(line)

