"""What a recorded command of a compiler says: the options that give a file its meaning, and for which machine.

Options without a word here change no meaning (warnings, optimisation, where output goes), or clang here has its own.
Targets: those of https://clang.llvm.org/docs/CrossCompilation.html; bare machines and glibc are the same machine with
musl's headers, which are the ones at hand.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from counterpoint.core.documents import read_text
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass

_PATHS: Final = ("-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I")
_WITH_VALUE: Final = (*_PATHS, "-D", "-U")
_MEANING: Final = regex(
    r"-std=.+|-f(no-)?(signed|unsigned)-char|-f(no-)?short-(enums|wchar)|-fpack-struct(=\d+)?|-malign-double"
    r"|-f(no-)?ms-extensions|-fgnu89-inline|-f(no-)?common|-(f|fno-)?trigraphs|-ffreestanding|-f(no-)?hosted"
    r"|-m(no-)?ms-bitfields|-f(no-)?writable-strings"
)
_FOREIGN_MEANING: Final = regex(
    r"-funsigned-bitfields|-fno-signed-bitfields|-fsso-struct=.*|-fsingle-precision-constant|-fshort-double"
)
"""What changes the meaning of types in gcc, and what clang does not know."""

_LAUNCHERS: Final = frozenset({"ccache", "sccache", "distcc", "icecc", "env", "nice", "time"})
_MOST_NESTED: Final = 8
"""Files of options that name each other."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a file is compiled for: a target triple, or a data model of this machine's kind; with `options` that mean
    what its compiler means. `name` is what the command calls it, "" for the host."""

    name: str = ""
    data_model: str | None = None
    target: str | None = None
    options: tuple[str, ...] = ()


HOST: Final = Machine(data_model="LP64")


def words_of(words: Sequence[str], base: Path, nested: int = 0) -> Iterator[str]:
    """The words with those of files of options (`@FILE`, where there is one) in place, and without the mark of clang's
    inner ones. Raises UnusableInput."""
    for word in words:
        if word == "-Xclang":
            continue
        path = base / word[1:]
        if not word.startswith("@") or not os.path.exists(path):  # noqa: PTH110 (of any length)
            yield word
            continue
        if nested == _MOST_NESTED:
            raise UnusableInput(f"{path}: is named by too many other files of options")
        try:
            inside = shlex.split(read_text(path, "file of options"))
        except ValueError:
            raise UnusableInput(f"{path}: is no file of options as a shell reads it") from None
        yield from words_of(inside, base, nested + 1)


def options_of(words: Sequence[str], base: Path) -> tuple[str, ...]:
    """Those that give the file its meaning, paths made absolute, each as one word. Raises UnusableInput for one that
    clang does not know."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        word = word.removeprefix("-Wp,") if word.startswith(("-Wp,-D", "-Wp,-U")) else word
        option = next((known for known in _WITH_VALUE if word.startswith(known)), None)
        if word == "-include-pch":
            next(rest, "")
        elif word == "-ansi":
            found.append("-std=c90")
        elif _FOREIGN_MEANING.fullmatch(word):
            raise UnusableInput(f"{word} changes what types mean, and is not known here: check the file without -p")
        elif _MEANING.fullmatch(word):
            found.append(word)
        elif option is not None and (value := word[len(option) :] or next(rest, "")):
            found.append(option + (str(base / value) if option in _PATHS else value))
    return tuple(found)


# ---------------------------------------------------------------- the machine

_TARGETS: Final = {
    "aarch64": "aarch64-linux-musl", "arm64": "aarch64-linux-musl", "aarch64_be": "aarch64_be-linux-musl",
    "arm": "arm-linux-musleabi", "thumb": "arm-linux-musleabi", "armeb": "armeb-linux-musleabi",
    "hexagon": "hexagon-linux-musl", "loongarch64": "loongarch64-linux-musl", "m68k": "m68k-linux-musl",
    "mips": "mips-linux-musleabi", "mipsel": "mipsel-linux-musleabi", "mips64": "mips64-linux-muslabi64",
    "mips64el": "mips64el-linux-muslabi64", "powerpc": "powerpc-linux-musleabi", "ppc": "powerpc-linux-musleabi",
    "powerpc64": "powerpc64-linux-musl", "powerpc64le": "powerpc64le-linux-musl", "ppc64le": "powerpc64le-linux-musl",
    "riscv32": "riscv32-linux-musl", "riscv64": "riscv64-linux-musl", "s390x": "s390x-linux-musl",
}  # fmt: skip
_SAME_BUT: Final = {
    "-mbig-endian": {"arm": "armeb", "armeb": "armeb", "aarch64": "aarch64_be", "aarch64_be": "aarch64_be"},
    "-mlittle-endian": {"arm": "arm", "aarch64": "aarch64", "riscv32": "riscv32", "riscv64": "riscv64"},
    "-EB": {"mips": "mips", "mipsel": "mips", "mips64": "mips64", "mips64el": "mips64"},
    "-EL": {"mips": "mipsel", "mipsel": "mipsel", "mips64": "mips64el", "mips64el": "mips64el"},
    "-m32": {"powerpc64": "powerpc", "powerpc": "powerpc", "x86_64": "i686", "i686": "i686"},
    "-m64": {"powerpc": "powerpc64", "powerpc64": "powerpc64", "x86_64": "x86_64", "i686": "x86_64", "s390x": "s390x"},
    "-mx32": {},
    "-m16": {},
}
"""Options that make another machine of some, and go with no other."""

_INTEL: Final = {"i686": "ILP32", "x86_64": "LP64"}
_OTHER_SYSTEM: Final = regex(r"mingw|windows|win32|cygwin|msvc|msys|x32$|ilp32")
"""In triples of systems with other widths than Linux has on the same machine."""

_COMPILER: Final = regex(r"(?P<machine>.+)-(?:gcc|clang|cc|c99|c11|tcc)(?:-[\d.]+)?")
_OWN_MACHINES: Final = regex(
    r"armcc|armclang|armcl|tiarmclang|icc\w+|sdcc|xc(?:8|16|32)(?:-\w+)?|(?:clang-)?cl|cl\d\w*|emcc"
)
"""Compilers for other machines that do not name them."""

_FOREIGN: Final = regex(
    r"(?:avr|msp430|xtensa|sparc|sh\d|rx|rl78|h8300|nios2|microblaze|or1k|tricore|wasm|pru|alpha|ia64|arc|csky)\w*(?:-|$)"
)
"""Machines that are none of the table."""

_BARE_ARM: Final = regex(r"(?:arm|thumb)\w*-(?:\w+-)?(?:none-)?eabi(?:hf)?")
"""Whose compilers take the smallest type for an enum (AAPCS, section 8.1.3), as those for Linux do not."""


def machine_of(words: Sequence[str]) -> Machine:
    """What the command's options, or else its compiler's name, say; HOST where they say nothing. Raises UnusableInput
    for a machine that cannot be meant here."""
    named = _asked_for(words) or _by_name(words)
    options = [word for word in words if word in _SAME_BUT]
    if not named and not options:
        return HOST
    machine = _architecture(named) if named else "x86_64"
    for option in options:
        machine = _SAME_BUT[option].get(machine, "")
    if machine.startswith("riscv"):
        machine = next((f"riscv{width}" for word in words for width in _widths(word)), machine)
    said = " ".join(filter(None, (named, *dict.fromkeys(options))))
    if machine in _INTEL and not _OTHER_SYSTEM.search(named):
        return Machine(said, data_model=_INTEL[machine])
    if machine not in _TARGETS or _OTHER_SYSTEM.search(named):
        raise UnusableInput(f"is compiled for {said}, no machine that is known here: give --target or --data-model")
    return Machine(said, target=_TARGETS[machine], options=("-fshort-enums",) * bool(_BARE_ARM.fullmatch(named)))


def _widths(word: str) -> Iterator[str]:
    """32 or 64, where a word says it of RISC-V."""
    if found := re.fullmatch(r"-march=rv(32|64)\w*|-mabi=(?:i|)lp(32|64)\w*", word):
        yield found[1] or found[2]


def _asked_for(words: Sequence[str]) -> str:
    """The value of --target; "" where there is none."""
    found = ""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("--target="):
            found = word.removeprefix("--target=")
        elif word in ("-target", "--target"):
            found = after
    return found


def _by_name(words: Sequence[str]) -> str:
    """The machine in a compiler's name, as in `arm-none-eabi-gcc`; "" where it names none."""
    names = (re.split(r"[/\\]", word)[-1].removesuffix(".exe") for word in words if "=" not in word)
    compiler = next((name for name in names if name not in _LAUNCHERS), "")
    if _OWN_MACHINES.fullmatch(compiler):
        return compiler
    found = _COMPILER.fullmatch(compiler)
    machine = found["machine"] if found is not None else ""
    known = _architecture(machine) in (*_TARGETS, *_INTEL) or _FOREIGN.match(machine) is not None
    return machine if known else ""


def _architecture(triple: str) -> str:
    """The first part of a triple, as the table has it: `armv7l` is arm, `i586` i686."""
    first = triple.partition("-")[0].lower()
    if first in _TARGETS:
        return first
    if re.fullmatch(r"i[3-9]86|x86", first):
        return "i686"
    if first in ("amd64", "x86_64"):
        return "x86_64"
    if found := re.fullmatch(r"(arm|thumb)(v\d\w*)(eb)?", first):
        return "armeb" if found[3] or first.endswith("eb") else "arm"
    if first in ("mipsisa32r2el", "mips32el"):
        return "mipsel"
    return re.sub(r"^(riscv(?:32|64)).*", r"\1", first)
