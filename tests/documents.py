"""What the project's documents mention: files, folders and commands, as far as they can be read mechanically."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "counterpoint"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ROOMS = frozenset(path.name for path in SOURCES.iterdir() if path.is_dir())

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_QUOTED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_FILE = re.compile(r"[\w.{},*-]+(?:/[\w.{},*-]+)*\.(?:py|md|lark|js|css|toml)|[\w.-]+/[\w./-]+\.json")
_SUFFIXES = ("py", "md", "lark", "js", "css", "toml", "json", "c", "h")
_FOLDER = re.compile(r"[\w-]+(?:/[\w-]+)*/?")
_BARE_PAGE = re.compile(r"(?<![\w/`(<.-])((?:docs/|decisions/)?[\w/-]+\.md)\b")


@dataclass(frozen=True, slots=True)
class Mention:
    """`name` as it stands at `line` of a document; `folders`: those that its section named before. `definition`: what
    the file is said to define (`file.py: name`)."""

    document: Path
    line: int
    name: str
    folders: tuple[Path, ...]
    definition: str = ""

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}:{self.line}: `{self.name}`"

    def exists(self) -> bool:
        """One with a folder is found from the root, the package, the tests or the document; a bare one in a folder
        that the section has named."""
        return all(any(self.found(one)) for one in _alternatives(self.name))

    def defines(self) -> bool:
        pattern = re.compile(rf"^(?:(?:def|class) {self.definition}\b|{self.definition}\b.* = )", re.M)
        return any(pattern.search(path.read_text(encoding="utf-8")) for path in self.found(self.name))

    def found(self, name: str) -> Iterator[Path]:
        starts = [ROOT, self.document.parent, *self.folders]
        if "/" in name:
            starts += [SOURCES, ROOT / "tests"]
        for start in starts:
            yield from start.glob(name.rstrip("/"))


def mentions(document: Path) -> Iterator[Mention]:
    """Files in backticks and links, pages of docs/ anywhere, and folders that begin with a room's name.

    Folders that stand before the first section are known in all of them.
    """
    folders: list[Path] = []
    everywhere: list[Path] | None = None
    for number, line in enumerate(_prose(document.read_text(encoding="utf-8")).split("\n"), start=1):
        if line.startswith("##"):
            everywhere = folders if everywhere is None else everywhere
            folders = list(everywhere)
        quoted = [name for text in _QUOTED.findall(line) for name in text.split(", ")]
        for name in quoted:
            folders += _folders(name, folders)
        quoted = [name for name in quoted if not _placeholder(name)]
        files = [name for name in quoted if _FILE.fullmatch(name)]
        files += [name for name in _LINK.findall(line) if "://" not in name]
        files += _BARE_PAGE.findall(re.sub(r"\[[^\]]*\]\([^)]*\)", "", _QUOTED.sub("", line)))
        files += [name for name in quoted if _FOLDER.fullmatch(name) and name.split("/")[0] in ROOMS and "/" in name]
        for name in files:
            yield Mention(document, number, name, tuple(folders))
        for name, definition in re.findall(r"`([\w./]+\.py): (\w+)`", line):
            yield Mention(document, number, name, tuple(folders), definition)
        for module, definition in re.findall(r"`([\w/]+/\w+)\.([a-z]\w+)`", line):
            if module.split("/")[0] in ROOMS and definition not in _SUFFIXES:
                yield Mention(document, number, f"{module}.py", tuple(folders), definition)


def _prose(text: str) -> str:
    """The text with code blocks emptied, lines kept."""
    return _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)


def _folders(name: str, known: list[Path]) -> list[Path]:
    """The folder that a mention of a file or folder makes known for bare names behind it."""
    folder = name.rstrip("/") if "." not in name.rsplit("/", 1)[-1] else name.rpartition("/")[0]
    if not folder or not re.fullmatch(r"[\w./-]+", folder) or ("/" not in name):
        return []
    return [path for start in (SOURCES, ROOT, *known) if (path := start / folder).is_dir()]


def _placeholder(name: str) -> bool:
    return re.search(r"\b[A-Z]{2,}\.", name) is not None and not (ROOT / name).exists()


def _alternatives(name: str) -> Iterator[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`."""
    parts = re.split(r"\{([^{}]*)\}", name)
    choices = [part.split(",") if number % 2 else [part] for number, part in enumerate(parts)]
    return ("".join(one) for one in product(*choices))


@dataclass(frozen=True, slots=True)
class Command:
    document: Path
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {shlex.join(self.words)}"


def blocks(document: Path, language: str) -> list[str]:
    return [text for named, text in _FENCE.findall(document.read_text(encoding="utf-8")) if named == language]


def commands(document: Path) -> Iterator[Command]:
    """The commands of the shell blocks (```sh), without comments and redirections."""
    for block in blocks(document, "sh"):
        for line in block.replace("\\\n", " ").split("\n"):
            words = shlex.split(line, comments=True)
            if ">" in words:
                words = words[: words.index(">")]
            if words:
                yield Command(document, tuple(words))


def synopses(document: Path) -> Iterator[tuple[str, str]]:
    """From blocks without a language: each subcommand of `counterpoint` with an option that its usage names."""
    for block in blocks(document, ""):
        subcommand = ""
        for line in block.split("\n"):
            if found := re.match(r"counterpoint (\w+)", line):
                subcommand = found[1]
            if subcommand:
                yield from ((subcommand, option) for option in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", line))


@dataclass(frozen=True, slots=True)
class Written:
    """A file that a page shows: the block behind a paragraph that ends in its name."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a page, and what it prints there."""

    words: tuple[str, ...]
    output: str


_NAMED = re.compile(r"`([\w./-]+)`:\n\n$")


def steps(document: Path) -> Iterator[Written | Shown]:
    """What a page has its reader write and run, in that order: files, and commands of `counterpoint`."""
    text = document.read_text(encoding="utf-8")
    fences = list(_FENCE.finditer(text))
    for number, fence in enumerate(fences):
        before = text[fences[number - 1].end() if number else 0 : fence.start()]
        named = _NAMED.search(before)
        if fence[1] in ("c", "json") and named is not None:
            yield Written(named[1], fence[2])
        elif fence[1] == "sh":
            lines = [tuple(shlex.split(line, comments=True)) for line in fence[2].replace("\\\n", " ").splitlines()]
            behind = fences[number + 1] if number + 1 < len(fences) else None
            follows = behind is not None and behind[1] == "" and not text[fence.end() : behind.start()].strip()
            for line in lines:
                if line[:1] == ("counterpoint",):
                    yield Shown(line[1:], behind[2] if behind is not None and follows and line == lines[-1] else "")
