"""The preparations: which LLVM passes run over a program in which everything is defined.

No instruction combining, no pass that deletes or rewrites loops, no branch turned into a select:
engines follow the user's control flow. LLVM's passes are part of the trusted base.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import llvmlite.binding as llvm

from counterpoint.core.closure import components
from counterpoint.core.errors import InternalError
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import Site
from counterpoint.frontend.c.link import pass_builder
from counterpoint.frontend.lower.text import NAME
from counterpoint.frontend.passes import compared_pointers, out_of_bounds
from counterpoint.frontend.passes.escape_analysis import with_contained
from counterpoint.frontend.passes.undefined_values import needs_settling, settle
from counterpoint.frontend.printed import printed
from counterpoint.property import Instrument, Property

PREPARATIONS = ("modular", "outlined", "flat", "none")

_KEEP_BRANCHES = (
    "-phi-node-folding-threshold=0",
    "-two-entry-phi-node-folding-threshold=0",
    "-speculate-one-expensive-inst=false",
    "-simplifycfg-merge-cond-stores=false",
    "-simplifycfg-hoist-common=false",
    "-simplifycfg-sink-common=false",
    "-simplifycfg-hoist-cond-stores=false",
    "-bonus-inst-threshold=0",
)


@cache
def _configure() -> None:
    for option in _KEEP_BRANCHES:
        llvm.set_option("counterpoint", option)


_ADD = {
    "sroa": "add_sroa_pass",
    "inline": "add_always_inliner_pass",
    "globaldce": "add_global_dead_code_eliminate_pass",
    "globalopt": "add_global_opt_pass",
    "sccp": "add_sccp_pass",
    "simplifycfg": "add_simplify_cfg_pass",
    "dce": "add_dead_code_elimination_pass",
}


def as_written(text: str, sites: list[Site], property_: Property) -> str:
    """The module's text as `run_passes` would give it if there were no passes: every variable is in memory."""
    work = Worked(text, sites, property_)
    work.run(Stage(()))
    return work.text


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes in their order, SROA first or never. `contained`: locals may turn out to be contained behind them."""

    passes: tuple[str, ...]
    contained: bool = False


_TIDY = Stage(("simplifycfg", "dce", "globaldce"))
_PROMOTE_ONLY = Stage(("sroa",), contained=True)
_PROMOTE = (Stage(("sroa", "inline", "globaldce")), _PROMOTE_ONLY)

STAGES: dict[str, tuple[Stage, ...]] = {
    "none": (_PROMOTE_ONLY,),
    "modular": (*_PROMOTE, Stage(("sccp", "simplifycfg")), Stage(("sroa",)), _TIDY),
    "flat": (
        *_PROMOTE,
        Stage(("globalopt",)),
        Stage(("sccp", "simplifycfg", "sccp", "simplifycfg")),
        Stage(("sroa",)),
        _TIDY,
    ),
    "memory-safety": (*_PROMOTE, _TIDY),
}
STAGES["outlined"] = STAGES["modular"]


def run_passes(
    text: str,
    preparation: str,
    property_: Property,
    inlined: frozenset[str],
    sites: list[Site],
    partly: frozenset[str] = frozenset(),
) -> str:
    """The module's text after one preparation.

    `inlined` are the functions to be inlined at every call; new sites are appended to `sites`; `partly`: static
    objects with constant parts.
    Raises InternalError if LLVM finds the module malformed before or after.
    """
    _configure()
    if inlined:
        text = mark_inlined(text, inlined)
    text, constant = with_variable_globals(text)
    stages = STAGES[preparation]
    if preparation != "none" and property_.asks_for(Instrument.ACCESSES):
        stages = STAGES["memory-safety"]
    work = Worked(text, sites, property_)
    for stage in stages:
        if "globalopt" in stage.passes:
            work.rewrite(with_uses(with_unknown_initial_values(work.text), constant | partly))
        if "sccp" in stage.passes:
            work.rewrite(compared_pointers.hidden(work.text, work.round))
        work.run(stage)
        if "sccp" in stage.passes:
            work.rewrite(compared_pointers.shown(work.text))
        if "globalopt" in stage.passes:
            work.rewrite(without_uses(with_known_initial_values(work.text)))
            text, found = with_variable_globals(work.text)
            work.rewrite(text)
            constant |= found
    return with_constant_globals(work.text, constant)


MOST_ROUNDS = 4


class Worked:
    """A module that passes work on: its text, and LLVM's form of it until the text is rewritten.

    Raises InternalError where LLVM finds the text malformed.
    """

    def __init__(self, text: str, sites: list[Site], property_: Property) -> None:
        self.text = text
        self._sites = sites
        self._property = property_
        self.round = 0  # keeps new names apart
        self._module: llvm.ModuleRef | None = None

    def rewrite(self, text: str) -> None:
        if text is not self.text:
            self.text, self._module = text, None

    def run(self, stage: Stage) -> None:
        """The passes of a stage, and what belongs to SROA."""
        if stage.passes[:1] != ("sroa",):
            self._run(stage.passes)
            return
        self._take_apart(stage.passes, repeat=stage.passes == ("sroa",))
        for _ in range(MOST_ROUNDS if stage.contained else 0):
            contained = with_contained(self.text, self._sites, self.round)
            if contained is None:
                break
            self.rewrite(contained)
            self._take_apart(("sroa",), repeat=True)

    def _take_apart(self, passes: tuple[str, ...], repeat: bool) -> None:
        """SROA, and passes behind it, where no access at a constant offset leaves its local: where memory safety is
        the property, runs end before. Repeated while that shows more locals to SROA."""
        if passes == ("sroa",) and " = alloca " not in self.text:
            return
        if self._property.asks_for(Instrument.ACCESSES):
            self._run(passes)
            return
        guarded = out_of_bounds.guarded(self.text, self.round)
        for _ in range(MOST_ROUNDS):
            self.rewrite(guarded.text)
            self._run(passes)
            if not guarded.pinned:
                break
            self.rewrite(out_of_bounds.without_pins(self.text))
            if not (guarded.again and repeat):
                break
            before = guarded.pinned
            guarded = out_of_bounds.guarded(self.text, self.round)
            if guarded.pinned >= before:
                break

    def _run(self, passes: tuple[str, ...]) -> None:
        """Runs passes; undefined values are made arbitrary again behind them."""
        if self._module is None:
            self._module = _verified(self.text, "during" if self.round else "before")
        self.round += 1
        manager = llvm.create_new_module_pass_manager()
        for name in passes:
            getattr(manager, _ADD[name])()
        manager.run(self._module, pass_builder(self._module))
        self.text = printed(self._module)
        if needs_settling(self.text):
            self.rewrite(settle(self.text, self._sites, self._property, self.round))


_CONSTANT = regex(rf"^(@({NAME}) = (?:[\w()]+ )*?)constant ", re.MULTILINE)
_VARIABLE = regex(rf"^(@({NAME}) = (?:[\w()]+ )*?)global ", re.MULTILINE)


def with_variable_globals(text: str) -> tuple[str, frozenset[str]]:
    """The module with constants as variables, and which they were.

    LLVM would fold a read outside a constant into an undefined value while it is using it.
    """
    return _CONSTANT.sub(r"\1global ", text), frozenset(name for _, name in _CONSTANT.findall(text))


_SYMBOL = regex(rf"@({NAME})")
_DIRECT = regex(
    rf"^ .*\b(?:load|store) (?:atomic )?(?:volatile )?(\w+)\b.*, ptr @({NAME}), align", re.MULTILINE
)
_SCALAR = regex(rf"^@({NAME}) = .*?\bglobal (i\d+|ptr|float|double)\b", re.MULTILINE)
_INITIALISED = regex(rf"^(@({NAME}) = internal (?:[\w()]+ )*?)global ", re.MULTILINE)
_UNKNOWN_VALUE = "externally_initialized "


def with_unknown_initial_values(text: str) -> str:
    """The module where LLVM does not know what a global holds at first, unless it is a scalar that is only
    loaded and stored directly, as what it is.

    LLVM would fold a read beyond the end of a global that nothing writes to its initial value, and take the bytes
    behind it for zeros where the read begins inside.
    """
    naming = [line for line in text.split("\n") if "@" in line]
    used = Counter(name for line in naming for name in _SYMBOL.findall(line))
    scalars = {found[1]: found[2] for line in naming if (found := _SCALAR.match(line)) is not None}
    accesses = (found for line in naming if (found := _DIRECT.match(line)) is not None)
    direct = Counter(found[2] for found in accesses if found[1] == scalars.get(found[2]))
    plain = {name for name in scalars if used[name] == direct[name] + 1}
    return _INITIALISED.sub(lambda match: f"{match[1]}{'' if match[2] in plain else _UNKNOWN_VALUE}global ", text)


def with_known_initial_values(text: str) -> str:
    """Undoes `with_unknown_initial_values`."""
    return re.sub(rf"^(@.* ){_UNKNOWN_VALUE}global ", r"\1global ", text, flags=re.MULTILINE)


_USES = "llvm.compiler.used"
_USED = regex(rf"^@{re.escape(_USES)} = .*\n", re.MULTILINE)


def with_uses(text: str, names: frozenset[str]) -> str:
    """The module in which something out of sight uses these globals: LLVM neither splits nor moves them.

    What becomes of a constant must stay one: writes to it change nothing.
    """
    left = sorted(names.intersection(name for _, name in _VARIABLE.findall(text)))
    if not left:
        return text
    listed = ", ".join(f"ptr @{name}" for name in left)
    return f'{text}\n@{_USES} = appending global [{len(left)} x ptr] [{listed}], section "llvm.metadata"\n'


def without_uses(text: str) -> str:
    """Undoes `with_uses`."""
    return _USED.sub("", text)


def with_constant_globals(text: str, constant: frozenset[str]) -> str:
    """The module with these variables as constants again."""
    return _VARIABLE.sub(lambda match: f"{match[1]}{'constant' if match[2] in constant else 'global'} ", text)


def _verified(text: str, when: str) -> llvm.ModuleRef:
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise InternalError(f"the rewritten program is malformed {when} preparation: {error}") from None
    return module


_DEFINE = regex(rf"^define internal .*@({NAME})\(.*\) (#90000)", re.MULTILINE)
_INLINE_GROUP = '\nattributes #90001 = { alwaysinline nounwind null_pointer_is_valid "no-builtins" }\n'


def mark_inlined(text: str, names: frozenset[str]) -> str:
    """Marks the named functions to be inlined at every call."""

    def marked(match: re.Match[str]) -> str:
        if match[1] not in names:
            return match[0]
        return match[0][: -len("#90000")] + "#90001"

    return _DEFINE.sub(marked, text) + _INLINE_GROUP


LARGEST_INLINED = 40_000  # lines of IR before any pass

LARGE_MODEL = 1000
"""Lines of a library model with all that it calls, from which it is not inlined where it need not be."""


def inlinable_functions(bodies: dict[str, list[str]], recursive: frozenset[str], root: str) -> frozenset[str]:
    """The functions that can be inlined at every call without the program growing out of hand.

    Callees are measured before their callers, with what was inlined into them. Where a function would
    exceed LARGEST_INLINED, the callees that contribute most to it are called, not copied.
    """
    calls = {name: Counter(called_functions(lines, bodies)) for name, lines in bodies.items()}
    size: dict[str, int] = {}
    chosen: set[str] = set()
    for name in callees_first({name: list(callees) for name, callees in calls.items()}):
        added = {callee: count * size[callee] for callee, count in calls[name].items() if callee in chosen}
        size[name] = len(bodies[name]) + sum(added.values())
        for callee in sorted(added, key=lambda callee: -added[callee]):
            if size[name] <= LARGEST_INLINED or calls[name][callee] == 1:
                break
            chosen.discard(callee)
            size[name] -= added[callee]
        if name not in recursive and name != root:
            chosen.add(name)
    return frozenset(chosen)


def large_functions(bodies: dict[str, list[str]], chosen: frozenset[str]) -> frozenset[str]:
    """Those of the chosen functions, none of which calls itself, that would grow beyond LARGE_MODEL lines with the
    others inlined, as far as a function calls them that was not chosen."""
    calls = {name: called_functions(lines, bodies) for name, lines in bodies.items()}
    size: dict[str, int] = {}
    for name in callees_first({name: calls[name] for name in bodies}):
        size[name] = len(bodies[name]) + sum(size.get(callee, 0) for callee in calls[name] if callee in chosen)
    called = {callee for name in bodies.keys() - chosen for callee in calls[name]}
    return frozenset(name for name in called & chosen if size[name] > LARGE_MODEL)


def called_functions(lines: list[str], bodies: dict[str, list[str]]) -> list[str]:
    """Every mention of a defined function in these lines, in order."""
    return [found for line in lines if "@" in line for found in _CALLED.findall(line) if found in bodies]


def callees_first(calls: dict[str, list[str]]) -> list[str]:
    """All functions, each after the ones it mentions unless they mention each other."""
    order: list[str] = []
    seen: set[str] = set()
    for first in calls:
        stack = [(first, False)]
        while stack:
            name, done = stack.pop()
            if done:
                order.append(name)
            elif name not in seen:
                seen.add(name)
                stack.append((name, True))
                stack += [(callee, False) for callee in calls[name] if callee not in seen]
    return order


_CALLED = regex(rf"@({NAME})")


def recursive_functions(bodies: dict[str, list[str]]) -> frozenset[str]:
    """Functions that may call themselves, directly or through others."""
    calls = {name: called_functions(lines, bodies) for name, lines in bodies.items()}
    return frozenset(
        name
        for component in components(calls)
        for name in component
        if len(component) > 1 or name in calls[name]
    )
