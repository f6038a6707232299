"""The declaration of block graphs."""

from counterpoint.frontend.bgd import translate
from counterpoint.frontend.languages import Language

LANGUAGE = Language(name="BGD", suffix=".bgd", title="block graph", translate=translate)
