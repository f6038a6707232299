"""Text of others (source, names, messages of a compiler) as it may stand on a terminal or in a report."""

from __future__ import annotations

LONGEST = 1_000
"""Characters of a line that are shown."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks by Unicode's word, but nothing is seen of them."""


def shown(text: str) -> str:
    """The text in one line, with nothing in it that a terminal obeys or hides: controls, escapes, changes of direction
    and what has no width become `\\xNN` or `\\uNNNN`; bytes that are no text, too. Tabs become blanks. Idempotent."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() and c not in _INVISIBLE else _escape(c) for c in text)


def cut(text: str) -> str:
    """The text, or the start of one that is longer than LONGEST."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _escape(character: str) -> str:
    code = ord(character)
    if character == "\t":
        return " "
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name (os.fsdecode)
        return f"\\x{code & 0xFF:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
