"""Assembly outside of functions, which may define, rename, place and change whatever the C code names.

Where it names something that the program names as well, no run has a meaning here: UNSUPPORTED. Otherwise, or where
the user says that assembly has no effect (`--asm outputs-only`), it does nothing, which the result says. It is taken
out of the module, so that nothing of it gets into native code.
"""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.body import Body, Rewriting
from counterpoint.frontend.irtext import ModuleText
from counterpoint.frontend.lower.text import unescaped
from counterpoint.program.names import original

ASSUMED = "the assembly outside of functions has no effect on the program"
_HEAD = "module asm "
_WORD = regex(r"\w+")
_WITH_SIGNS = regex(r"(?![$])[\w.$]+")


def taken_out(module: ModuleText) -> str:
    """The assembly of the module, which has none afterwards."""
    lines = [line for line in module.preamble if line.startswith(_HEAD)]
    module.preamble = [line for line in module.preamble if not line.startswith(_HEAD)]
    quoted = (line[len(_HEAD) :].strip()[1:-1] for line in lines)
    return "\n".join(unescaped(text).decode("utf-8", "replace") for text in quoted)


def refuse(body: Body, debug: str) -> None:
    """Where a run starts: it is UNSUPPORTED if the assembly names what the program names."""
    shared: Rewriting = body.shared
    if not shared.file_assembly.strip():
        return
    module = shared.module
    words = {*_WORD.findall(shared.file_assembly), *_WITH_SIGNS.findall(shared.file_assembly)}
    known = {original(name) for name in (*module.globals, *module.functions, *module.declared, *module.aliases)}
    named = sorted(known & words)
    if named and not shared.assembly:
        body.unsupported(f"assembly outside of functions, which names `{named[0]}`", debug)
        return
    shared.tables.assume(ASSUMED)
