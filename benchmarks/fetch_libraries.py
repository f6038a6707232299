"""Fetches five public C libraries without a main: `python benchmarks/fetch_libraries.py --out DIR [NAME...]`.

They are Debian source packages, as `apt-get source` gives them (it has to know sources: `Types: deb deb-src`; on a
failure `apt-get update` first). Only the original archive is unpacked, into DIR/NAME. `DIR/libraries.json` says how
each is compiled: `files`, `includes` (folders for -I), all relative to DIR, `defines` (for -D), and its lines of code.
Each file is compiled once by clang to see that this is so; status 1 if one is not.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from counterpoint.frontend.c.clang import zig


@dataclass(frozen=True, slots=True)
class Library:
    """A source package, and which of its files are the library. Paths and patterns are relative to its folder.

    `headers`: a folder that headers of the given pattern are copied to, as an installation would. `empty`: headers that
    its configuration writes, for which `defines` stand. `patched`: with Debian's patches.
    """

    package: str
    sources: tuple[str, ...]
    includes: tuple[str, ...] = (".",)
    defines: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    headers: tuple[str, str] = ("", "")
    empty: tuple[str, ...] = ()
    patched: bool = False


LIBRARIES = (
    Library("cjson", ("cJSON.c", "cJSON_Utils.c")),
    Library("http-parser", ("http_parser.c",)),
    Library(
        "yajl", ("src/*.c",), ("src", "include"), without=("src/yajl_version.c",),
        headers=("src/api/*.h", "include/yajl"),
    ),
    Library(
        "jansson", ("src/*.c",), ("src", "android"), ("HAVE_STDINT_H=1", "INITIAL_HASHTABLE_ORDER=3"),
        empty=("src/jansson_private_config.h",),
    ),
    Library("libtommath", ("bn_*.c",)),
)  # fmt: skip


def fetch(library: Library, out: Path) -> dict[str, object]:
    """Fetches and unpacks the library; gives what `libraries.json` says of it. Raises UnusableInput."""
    archive = downloaded(library.package, out, library.patched)
    folder = out / library.package
    shutil.rmtree(folder, ignore_errors=True)
    unpack(archive, folder)
    for patch in patches(archive.parent) if library.patched else ():
        apply(patch, folder)
    pattern, target = library.headers
    if pattern:
        (folder / target).mkdir(parents=True)
        for header in sorted(folder.glob(pattern)):
            shutil.copy(header, folder / target)
    for name in library.empty:
        (folder / name).touch()
    found = {file for pattern in library.sources for file in folder.glob(pattern)}
    files = sorted(found - {folder / name for name in library.without})
    if not files:
        raise UnusableInput(f"{folder}: has none of {', '.join(library.sources)}: another version than was expected")
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    return {
        "name": library.package,
        "archive": archive.name,
        "files": [str(file.relative_to(out)) for file in files],
        "includes": [str((folder / name).relative_to(out)) for name in library.includes],
        "defines": list(library.defines),
        "lines": sum(sum(bool(line.strip()) for line in text.splitlines()) for text in texts),
        "has_main": [file.name for file, text in zip(files, texts, strict=True) if re.search(r"(?m)^int main\b", text)],
    }


def downloaded(package: str, out: Path, patched: bool = False) -> Path:
    """The package's original archive in a folder beside the libraries, with that of Debian's patches, if they are
    wanted; one that is there is kept."""
    folder = out / "archives" / package
    folder.mkdir(parents=True, exist_ok=True)
    if not [*folder.glob("*.orig.tar.*z*")] or (patched and not [*folder.glob("*.debian.tar.*")]):
        only = [] if patched else ["--tar-only"]
        command = ["apt-get", "source", "-qq", "--download-only", *only, package]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        except FileNotFoundError:
            raise UnusableInput("apt-get is missing: the libraries are Debian's source packages") from None
        if done.returncode != 0:
            said = [line for line in done.stderr.splitlines() if line.startswith("E:")] or [done.stderr.strip()[-200:]]
            raise UnusableInput(f"{package}: not fetched: {said[0]} (run `apt-get update`; it needs deb-src entries)")
    archives = [file for file in sorted(folder.glob("*.orig.tar.*")) if file.suffix != ".asc"]
    if len(archives) != 1:
        raise UnusableInput(f"{folder}: expected one original archive, found {len(archives)}: empty the folder")
    return archives[0]


def unpack(archive: Path, folder: Path) -> None:
    """What is in the archive's only folder becomes what is in `folder`."""
    unpacked = folder.with_suffix(".new")
    shutil.rmtree(unpacked, ignore_errors=True)
    try:
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise UnusableInput(f"{archive}: not unpacked: {error}: remove it and try again") from None
    inside = [*unpacked.iterdir()]
    (inside[0] if len(inside) == 1 and inside[0].is_dir() else unpacked).rename(folder)
    shutil.rmtree(unpacked, ignore_errors=True)


def patches(folder: Path) -> list[Path]:
    """Debian's patches in their order, unpacked beside the archive. Raises UnusableInput."""
    archives = [*folder.glob("*.debian.tar.*")]
    if len(archives) != 1:
        raise UnusableInput(f"{folder}: expected one archive of patches, found {len(archives)}: empty the folder")
    with tarfile.open(archives[0]) as tar:
        tar.extractall(folder, filter="data")
    where = folder / "debian" / "patches"
    lines = (where / "series").read_text("utf-8").splitlines()
    return [where / line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def apply(patch: Path, folder: Path) -> None:
    """Raises UnusableInput."""
    command = ["patch", "-s", "-p1", "-i", str(patch)]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        raise UnusableInput("patch is missing") from None
    if done.returncode != 0:
        raise UnusableInput(f"{patch.name}: does not apply: {done.stdout.strip()[:200]}")


def refused(entry: dict[str, object], out: Path) -> list[str]:
    """The files that clang does not compile with the entry's options, with its first error."""
    options = [f"-I{out / str(one)}" for one in _list(entry, "includes")]
    options += [f"-D{one}" for one in _list(entry, "defines")]
    errors = []
    for file in _list(entry, "files"):
        command = [zig(), "cc", "-w", "-c", *options, str(out / file), "-o", str(out / "archives" / "try.o")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            errors.append(f"{file}: {next((x for x in done.stderr.splitlines() if 'error' in x), 'not compiled')}")
    (out / "archives" / "try.o").unlink(missing_ok=True)
    return errors


def _list(entry: dict[str, object], name: str) -> list[str]:
    value = entry[name]
    assert isinstance(value, list)
    return value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of the five; default: all")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    given = parser.parse_args()
    known = {library.package: library for library in LIBRARIES}
    if unknown := set(given.names) - set(known):
        print(f"{', '.join(sorted(unknown))}: expected some of {', '.join(known)}", file=sys.stderr)
        return 2
    entries, bad = [], []
    try:
        for name in given.names or known:
            entries.append(fetch(known[name], given.out.resolve()))
            bad += refused(entries[-1], given.out.resolve())
            files = _list(entries[-1], "files")
            print(f"{name}: {len(files)} files, {entries[-1]['lines']} lines", flush=True)
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    (given.out / "libraries.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    print("\n".join([*bad, str(given.out / "libraries.json")]))
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
