"""Takes the promises out of clang's IR: flags, attributes and metadata that make a value poison or a
run undefined, so that no LLVM pass can rely on them.

Works on the printed text as a whole; lines keep their number and order.
"""

from __future__ import annotations

import re

from counterpoint.core.patterns import regex

_PROMISES = regex(
    r" (?:nuw|nsw|exact|inbounds|nusw|nneg|samesign|disjoint|noundef|nonnull|signext|zeroext|noext|inreg"
    r"|noalias|nofree|nocapture|readonly|readnone|writeonly|returned|immarg|writable|dead_on_unwind"
    r"|allocalign|allocptr|swiftself|noreturn|dso_local|dso_preemptable|local_unnamed_addr|unnamed_addr"
    r"|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc"
    r"|ccc|fastcc|coldcc|x86_stdcallcc|x86_fastcallcc|x86_thiscallcc|x86_vectorcallcc|x86_regcallcc"
    r"|arm_aapcscc|arm_apcscc|arm_aapcs_vfpcc|hidden|protected)(?= )"
    r"| (?:range|captures|dereferenceable|dereferenceable_or_null|nofpclass|initializes|inrange)"
    r"\((?:[^()\n]|\([^()\n]*\))*\)"
    r"|(?<= call) align [0-9]+(?= )"
    r"| #[0-9]+(?=[ ,\n])"
    r"|, ![a-ce-z][\w.]* ![0-9]+|, !d(?!bg )[\w.]* ![0-9]+|, ![a-z][\w.]* !\{\}"
)
_CLANG_ONLY = regex(r" (?:noalias|nocapture|readonly|writeonly|noundef|nonnull)(?=[,)])")
_VOLATILE = regex(r"^(  (?:%[^ ]+ = load|store)) volatile (?!.*ptr inttoptr )", re.MULTILINE)


def strip_promises(text: str, keep_volatile: bool = False) -> str:
    """The module without promises in its functions. Declared intrinsics keep LLVM's own definition.

    Unless `keep_volatile`, volatile stays only on accesses to constant addresses: elsewhere it is ordinary memory.
    """
    start = text.find("\ndefine ")
    if start < 0:
        return text
    end = text.find("\nattributes #", start)
    end = len(text) if end < 0 else end
    body = _PROMISES.sub("", text[start:end])
    body = _CLANG_ONLY.sub("", body)
    if " volatile " in body and not keep_volatile:
        body = _VOLATILE.sub(r"\1 ", body)
    return text[:start] + body + text[end:]
