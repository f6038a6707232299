"""Pages of the site that are not in docs/: those at the project's root, and the API by room, from docstrings.

Run by mkdocs (`make docs`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import mkdocs_gen_files

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "counterpoint"

ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}


def write(name: str, text: str, source: Path) -> None:
    with mkdocs_gen_files.open(name, "w") as page:
        page.write(text)
    mkdocs_gen_files.set_edit_path(name, source.relative_to(ROOT))


def of_the_root(text: str) -> str:
    """Links from the root become links from docs/, and pages that are only named become links."""
    text = re.sub(r"\]\(docs/", "](", text)
    for name, page in ROOT_PAGES.items():
        text = re.sub(rf"(?<![\w`/]){name}\b", f"[{name}]({page})", text)
    return re.sub(r"(?<![\w`/(\[])docs/((?:[\w-]+/)*[\w-]+\.md)\b(?!\])", r"[docs/\1](\1)", text)


def modules(room: Path) -> Iterator[Path]:
    """The room's modules that say what they are, each package before what is in it."""
    for path in sorted(room.rglob("*.py"), key=lambda path: (path.parent, path.name != "__init__.py", path.name)):
        if ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))):
            yield path


def dotted(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folders(room: Path) -> list[Path]:
    """The room and its packages: each is a page."""
    return sorted({path.parent for path in modules(room)})


def write_api() -> None:
    summary = []
    for room in sorted(path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()):
        for folder in folders(room):
            name = dotted(folder / "__init__.py").removeprefix("counterpoint.")
            listed = [path for path in modules(room) if path.parent == folder]
            text = "\n\n".join(f"::: {dotted(path)}" for path in listed)
            write(f"api/{name}.md", f"# {name.replace('.', '/')}\n\n{text}\n", folder / "__init__.py")
            summary.append(f"* [{name.replace('.', '/')}]({name}.md)")
    with mkdocs_gen_files.open("api/SUMMARY.md", "w") as page:
        page.write("\n".join(summary) + "\n")


def write_decisions() -> None:
    with mkdocs_gen_files.open("decisions/SUMMARY.md", "w") as page:
        for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
            title = path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
            page.write(f"* [{title}]({path.name})\n")


for source, target in ROOT_PAGES.items():
    write(target, of_the_root((ROOT / source).read_text(encoding="utf-8")), ROOT / source)
write_api()
write_decisions()
