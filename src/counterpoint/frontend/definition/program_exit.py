"""How a run ends: by which functions, and what runs before it is over.

Returning from the entry function and `exit` run the handlers of atexit and on_exit, the last first, then the
destructors; `quick_exit` runs the handlers of at_quick_exit; `abort`, `_exit` and `_Exit` run nothing.
"""

from __future__ import annotations

from counterpoint.frontend.c.link_roots import AT_EXIT, AT_QUICK_EXIT
from counterpoint.frontend.definition import constructors
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.irtext import Call, FunctionText, argument
from counterpoint.program.model import LOST
from counterpoint.property import Instrument

RUN_ENDS = {"abort": "i32 134", "exit": "", "_exit": "", "_Exit": "", "quick_exit": "", "err": "", "errx": "",
            "verr": "", "verrx": ""}  # fmt: skip
"""Functions that end the run, with the code it ends with; "": it is the first argument."""

TRAPS = frozenset({"llvm.trap", "llvm.debugtrap"})
"""What `__builtin_trap` and `__builtin_debugtrap` are: they end the run as `abort` does."""

ORDERLY = frozenset({"exit", "err", "errx", "verr", "verrx"})
"""Those that run handlers and destructors; after them nothing may be left that was to be freed."""

_LEAVE = "__cp_leave"
_LEAVING = "__cp_leaving"


def end_run(body: Body, call: Call, name: str, debug: str) -> None:
    """A call of one of RUN_ENDS."""
    code = RUN_ENDS[name]
    if not code:
        arguments = [argument(text) for text in call.arguments]
        code = f"i32 {arguments[0][1]}" if arguments and arguments[0][0] == "i32" else "i32 0"
    stop(body, name, code, debug)


def stop(body: Body, name: str, code: str, debug: str) -> None:
    """What the function `name`, one of RUN_ENDS, does with the exit code `code` (`i32 N`)."""
    if name in ORDERLY:
        leave(body, code, debug)
        return
    if name == "quick_exit" and AT_QUICK_EXIT in body.shared.module.functions:
        body.emit(f"call void @{AT_QUICK_EXIT}({code})", debug)
    end_at_once(body, code, debug)


def end_at_once(body: Body, code: str, debug: str) -> None:
    """The end of a run by `abort` and the like: nothing runs any more, and what is still held is not lost."""
    check_leaks(body, debug, (LOST,))
    body.stop(debug, code)


def leave(body: Body, code: str, debug: str) -> None:
    """The end of a run by `exit` or by returning from the entry function; what follows in the block is dead."""
    if body.shared.leaves:
        body.emit(f"call void @{_LEAVE}({code})", debug)
        body.dead_rest()
    else:
        check_leaks(body, debug)
        body.stop(debug, code)


def prepare(shared: Rewriting) -> None:
    """Finds out whether anything runs at the end."""
    module = shared.module
    shared.leaves = AT_EXIT in module.functions or bool(constructors.destructors(module))


def write_leave(shared: Rewriting, debug: str) -> None:
    """Adds the function that runs handlers and destructors, if there are any."""
    if not shared.leaves:
        return
    module = shared.module
    header = f"define internal void @{_LEAVE}(i32 %code) #90000 {{"
    function = FunctionText(_LEAVE, header, [], "void", [("i32", "%code")], False)
    body = Body(shared, function)
    module.globals[_LEAVING] = f"@{_LEAVING} = internal global i8 0, align 1"
    before = body.compute(f"load i8, ptr @{_LEAVING}, align 1")
    again, first = body.fresh_label("again"), body.fresh_label("first")
    leaving = body.compute(f"icmp ne i8 {before}, 0")
    body.emit(f"br i1 {leaving}, label %{again}, label %{first}")
    body.split(again)
    body.undefined("exit is called by what runs at the end", debug)
    body.emit("unreachable")
    body.split(first)
    body.emit(f"store i8 1, ptr @{_LEAVING}, align 1")
    if AT_EXIT in module.functions:
        body.emit(f"call void @{AT_EXIT}(i32 %code)")
    for entry in reversed(constructors.destructors(module)):
        constructors.call(body, entry, [], debug)
    check_leaks(body, debug)
    body.stop(debug, "i32 %code")
    body.out.append("  unreachable")
    body.finish()
    module.functions[_LEAVE] = function


def check_leaks(
    body: Body, debug: str, kinds: tuple[str, ...] = ("valid-memcleanup", LOST)
) -> None:
    """The property's checks of these kinds, at the end of a run."""
    for kind in kinds:
        if body.shared.property.asks_for(Instrument.LEAKS) and kind in body.shared.property.kinds:
            what = "is never freed" if kind == "valid-memcleanup" else "is lost: nothing points to it"
            index = body.shared.tables.check(kind, f"allocated memory {what}", debug)
            body.kernel("__cp_check_leak", f"i32 {index}", debug)


def drop_leak_checks(shared: Rewriting) -> None:
    """Without a heap nothing can be lost: the checks of a program that nowhere allocates go."""
    if "__cp_check_leak" not in shared.kernel or "__cp_allocate" in shared.kernel:
        return
    if "__cp_allocate_zeroed" not in shared.kernel:
        for function in shared.module.functions.values():
            function.lines = [line for line in function.lines if "call void @__cp_check_leak(" not in line]
