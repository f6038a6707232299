"""How a harness and its program are compiled, so that another compiler's build fails where ours did; and where not.

Flags are those that gcc and clang share.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite, Site
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.property import Kind, check_kind

_ZEROED = "-ftrivial-auto-var-init=zero"
_AROUND_MAIN = "-Wl,--wrap=main"
"""The harness's main calls the program's, and clears what that leaves on the stack."""

_FIRST_COUNTS = "-Wl,-z,muldefs"
_UNREACHED = "-Wl,--unresolved-symbols=ignore-all"
"""What code that no run reaches calls need not be there (only where code is at fixed addresses)."""


@dataclass(frozen=True, slots=True)
class Build:
    """What the program was compiled from: words for the preprocessor as the user gave them. `seen_natively`: our own
    native code fails as well."""

    files: tuple[str, ...] = ("program.c",)
    words: tuple[str, ...] = ()
    std: str = "gnu11"
    entry: str = "main"
    pointer_bits: int = 64
    seen_natively: bool = True


_ANY = Kind("", "", build=("-fwrapv",))


def kind_of(name: str) -> Kind:
    """The kind of check of that name; of a violation that no check states, one of which nothing is known."""
    return check_kind(name) or _ANY


def command(build: Build, check: CheckSite | None, inputs: Iterable[Input], sites: Sequence[Site]) -> str:
    """The line for a shell; the harness is the file `harness.c`, first, for its error functions count."""
    name = "" if check is None else "shift" if "shift" in check.message else check.kind
    kind = kind_of(name)
    flags = ["-g", "-O0", "-w", "-no-pie", f"-std={build.std}", *build.words]
    flags += ["-m32"] if build.pointer_bits == 32 else []
    flags += kind.build
    flags += [_ZEROED] if any(_kind(sites, given) == "uninitialised" for given in inputs) else []
    flags += [_AROUND_MAIN] if kind.lost else []
    flags += [_FIRST_COUNTS] if name == "unreach-call" else []
    files = [f"./{name}" if name.startswith(("-", "@")) else name for name in build.files]
    words = ["cc", *flags, _UNREACHED, "-x", "c", "harness.c", *files, "-lm", "-o", "failing"]
    return f"{' '.join(map(shlex.quote, words))} && ./failing"


def limits(build: Build, check: CheckSite | None, inputs: Iterable[Input], sites: Sequence[Site]) -> list[str]:
    """Why a build may not fail as our runs did, each reason once; none if nothing is known that keeps it from that."""
    return list(dict.fromkeys([*_of_the_check(build, check), *_of_the_inputs(inputs, sites)]))


def _of_the_check(build: Build, check: CheckSite | None) -> Iterator[str]:
    if build.entry != "main":
        yield f"runs start at {build.entry}: call it from a main of your own"
    if not build.seen_natively:
        yield "machine code does not tell to which object a pointer belongs: our own does not fail either"
    if check is None:
        return
    if unsure := kind_of(check.kind).unsure:
        yield unsure
    if check.kind == "valid-deref" and "const" in check.message:
        yield "a local that is const lies in memory that can be written"
    if "label ERROR" in check.message:
        yield "nothing is seen of a label that is reached: put a call of abort() behind it"


def _of_the_inputs(inputs: Iterable[Input], sites: Sequence[Site]) -> Iterator[str]:
    for given in inputs:
        site = sites[given.site] if 0 <= given.site < len(sites) else None
        match given:
            case ScalarInput(_, value) if site is not None and site.kind == "argument" and site.name == "argc":
                if value != 1:
                    yield f"argc is {value}: run it with that many words"
            case _ if _is_given(site, given) or not _matters(given):
                pass
            case _:
                yield f"the value of {_describe(site)} cannot be given"


def absent(inputs: Iterable[Input], sites: Sequence[Site]) -> frozenset[str]:
    """The weak symbols that nothing defines in the run (frontend/definition/weak_symbols.py)."""
    chosen = [(sites[given.site], given) for given in inputs if _kind(sites, given) == "external"]
    return frozenset(
        site.name.removesuffix(_EXISTS)
        for site, given in chosen
        if site.name.endswith(_EXISTS) and isinstance(given, ScalarInput) and given.value == 0
    )


def _is_given(site: Site | None, given: Input) -> bool:
    if site is not None and site.kind == "external" and site.name.endswith(_EXISTS):
        return True
    if site is None or site.kind not in ("call", "undefined"):
        return False
    return site.name.isidentifier() and (isinstance(given, ScalarInput) or site.name == MEMORY)


_EXISTS = " exists"
MEMORY = "__VERIFIER_nondet_memory"


def _matters(given: Input) -> bool:
    """Zeros are what such a build has there, too."""
    return bool(given.contents) if isinstance(given, MemoryInput) else given.value != 0


def _kind(sites: Sequence[Site], given: Input) -> str:
    return sites[given.site].kind if 0 <= given.site < len(sites) else ""


def _describe(site: Site | None) -> str:
    if site is None:
        return "a read outside of any object"
    words = {"uninitialised": "uninitialised", "heap": "contents of the block of", "undef": "the undefined result of"}
    return f"{words.get(site.kind, site.kind)} {site.name} ({site.at})"
