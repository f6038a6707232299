"""The declaration of Simple C."""

from counterpoint.frontend.languages import Language
from counterpoint.frontend.simplec import translate

LANGUAGE = Language(
    name="SimpleC",
    suffix=".sc",
    title="program in Simple C",
    translate=translate,
    properties=("unreach-call",),
    limit="Simple C has assertions only",
)
