"""Debug metadata: source locations, and the names of the user's variables."""

from __future__ import annotations

import re
from pathlib import Path

from counterpoint.core.patterns import regex
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.frontend.debug_fields import FILE_FIELD, FILENAME_FIELD, LINE_FIELD, NAME_FIELD, SCOPE_FIELD
from counterpoint.frontend.lower.text import quoted

_REFERENCE = r"(!\d+)"
_LOCATION = regex(
    r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: (!\d+)(?:, inlinedAt: (!\d+))?"
)
_DIRECTORY = regex(r'\bdirectory: "([^"]*)"')
_CHECKSUM = regex(r'\bchecksumkind: CSK_MD5, checksum: "([^"]*)"')
_VARIABLE = regex(rf"\bvar: {_REFERENCE}")
_VARIABLE_RECORD = regex(r"#dbg_(?:value|declare)\([^%\n]*?(%[-\w.$]+), (!\d+),")


class Locations:
    """Source locations by metadata reference (`!12`), each computed once."""

    def __init__(self, metadata: dict[str, str]) -> None:
        self._metadata = metadata
        self._locations: dict[str, SourceLocation] = {}
        self._scopes: dict[str, tuple[str, str]] = {}
        self._paths: dict[str, str] = {}
        self._here = f"{Path.cwd()}/"

    def location(self, reference: str) -> SourceLocation:
        """The place that a DILocation, DISubprogram or global variable stands for; NOWHERE if unknown."""
        known = self._locations.get(reference)
        return self._chain(reference) if known is None else known

    def _chain(self, reference: str) -> SourceLocation:
        """Computes a place with the places that it was inlined at, outermost first."""
        waiting: list[tuple[str, re.Match[str]]] = []
        outer: SourceLocation | None = None
        while True:
            known = self._locations.get(reference)
            if known is not None:
                outer = known
                break
            match = _LOCATION.match(self._metadata.get(reference, ""))
            if match is None:
                outer = self._locations[reference] = self._declared(reference)
                break
            self._locations[reference] = NOWHERE  # a cycle of broken metadata ends here
            waiting.append((reference, match))
            if match.group(4) is None:
                break
            reference = match.group(4)
        for name, match in reversed(waiting):
            line, column, scope, inlined = match.groups()
            file, function = self._scope(scope)
            around = outer if inlined else None
            place = SourceLocation(file, int(line), int(column or 0), function, around)
            outer = self._locations[name] = place
        return outer or NOWHERE

    def _declared(self, reference: str) -> SourceLocation:
        """The place of a function or global variable."""
        text = self._metadata.get(reference, "")
        variable = _VARIABLE.search(text)
        if variable is not None:
            reference = variable.group(1)
            text = self._metadata.get(reference, "")
        line = LINE_FIELD.search(text)
        if line is None:
            return NOWHERE
        file, function = self._scope(reference)
        return SourceLocation(file, int(line.group(1)), 0, function)

    def _scope(self, reference: str) -> tuple[str, str]:
        """File and function of a scope; a block of another file (an include) keeps its own file."""
        blocks: list[tuple[str, str]] = []
        function = ""
        while True:
            known = self._scopes.get(reference)
            if known is not None:
                function = known[1]
                break
            text = self._metadata.get(reference, "")
            file, outer = FILE_FIELD.search(text), SCOPE_FIELD.search(text)
            blocks.append((reference, self._path(file.group(1)) if file else NOWHERE.file))
            self._scopes[reference] = (blocks[-1][1], "")
            if "DISubprogram(" in text:
                name = NAME_FIELD.search(text)
                function = quoted(name.group(1)) if name else ""
            if "DILexicalBlock" not in text or outer is None:
                break
            reference = outer.group(1)
        for inner, path in blocks:
            self._scopes[inner] = (path, function)
        return self._scopes[blocks[0][0]] if blocks else self._scopes[reference]

    def _path(self, reference: str) -> str:
        """A file as the user would name it: relative to the working directory if it is below that.

        The compiler splits paths into directory and name where it likes.
        """
        known = self._paths.get(reference)
        if known is None:
            text = self._metadata.get(reference, "")
            name, directory = FILENAME_FIELD.search(text), _DIRECTORY.search(text)
            parts = [quoted(found.group(1)) if found else "" for found in (directory, name)]
            full = str(Path(*parts))
            known = self._paths[reference] = full.removeprefix(self._here)
        return known

    def sources(self) -> dict[str, str]:
        """The files that the compiler opened, with their MD5; what a `#line` names has none."""
        found = {}
        for reference, text in self._metadata.items():
            checksum = _CHECKSUM.search(text)
            if checksum is not None and "DIFile(" in text:
                found[self._path(reference)] = quoted(checksum.group(1))
        return found

    def variables(self, body: str) -> dict[str, tuple[str, str]]:
        """The user's names of the values of a function body, by LLVM name (`%12`), and the references of the
        variables."""
        names: dict[str, tuple[str, str]] = {}
        for value, variable in _VARIABLE_RECORD.findall(body):
            found = NAME_FIELD.search(self._metadata.get(variable, ""))
            if found is not None and value not in names:
                names[value] = quoted(found.group(1)), variable
        return names
