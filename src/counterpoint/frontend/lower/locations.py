"""Debug metadata: source locations, and the names of the user's variables."""

from __future__ import annotations

import re

from counterpoint.core.source import NOWHERE, SourceLocation

_REFERENCE = r"(!\d+)"
_LOCATION = re.compile(
    r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: (!\d+)(?:, inlinedAt: (!\d+))?"
)
_LINE = re.compile(r"\bline: (\d+)")
_SCOPE = re.compile(rf"\bscope: {_REFERENCE}")
_FILE = re.compile(rf"\bfile: {_REFERENCE}")
_NAME = re.compile(r'\bname: "([^"]*)"')
_FILENAME = re.compile(r'\bfilename: "([^"]*)"')
_VARIABLE = re.compile(rf"\bvar: {_REFERENCE}")
_VARIABLE_RECORD = re.compile(r"#dbg_(?:value|declare)\([^%\n]*?(%[-\w.$]+), (!\d+),")


class Locations:
    """Source locations by metadata reference (`!12`), each computed once."""

    def __init__(self, metadata: dict[str, str]) -> None:
        self._metadata = metadata
        self._locations: dict[str, SourceLocation] = {}
        self._scopes: dict[str, tuple[str, str]] = {}

    def location(self, reference: str) -> SourceLocation:
        """The place that a DILocation, DISubprogram or global variable stands for; NOWHERE if unknown."""
        known = self._locations.get(reference)
        if known is None:
            self._locations[reference] = NOWHERE  # a cycle of broken metadata ends here
            known = self._locations[reference] = self._read(reference)
        return known

    def _read(self, reference: str) -> SourceLocation:
        text = self._metadata.get(reference, "")
        match = _LOCATION.match(text)
        if match is not None:
            line, column, scope, inlined = match.groups()
            file, function = self._scope(scope)
            outer = self.location(inlined) if inlined else None
            return SourceLocation(file, int(line), int(column or 0), function, outer)
        variable, line_of = _VARIABLE.search(text), _LINE.search(text)
        if variable is not None:
            return self.location(variable.group(1))
        if line_of is None:
            return NOWHERE
        file, function = self._scope(reference)
        return SourceLocation(file, int(line_of.group(1)), 0, function)

    def _scope(self, reference: str) -> tuple[str, str]:
        """File and function of a scope; a block of another file (an include) keeps its own file."""
        known = self._scopes.get(reference)
        if known is not None:
            return known
        self._scopes[reference] = (NOWHERE.file, "")
        text = self._metadata.get(reference, "")
        file, outer, name = _FILE.search(text), _SCOPE.search(text), _NAME.search(text)
        function = ""
        if "DISubprogram(" in text:
            function = name.group(1) if name else ""
        elif "DILexicalBlock" in text and outer is not None:
            function = self._scope(outer.group(1))[1]
        path = _FILENAME.search(self._metadata.get(file.group(1), "")) if file else None
        self._scopes[reference] = (path.group(1) if path else NOWHERE.file, function)
        return self._scopes[reference]

    def variables(self, body: str) -> dict[str, str]:
        """The user's names of the values of a function body, by LLVM name (`%12`)."""
        names: dict[str, str] = {}
        for value, variable in _VARIABLE_RECORD.findall(body):
            found = _NAME.search(self._metadata.get(variable, ""))
            if found is not None and value not in names:
                names[value] = found.group(1)
        return names
