"""The code of RTL: its text without comments, and a digest that stays while only comments change."""

import hashlib
import re


def code(text):
    """The text without comments, each piece of code in the line and column where it was."""
    return re.sub(r"[ \t]*//[^\n]*", "", text)


def digest(texts):
    """Of the code in the texts of some files; comments and where lines end make no difference."""
    return hashlib.sha256("\0".join("".join(code(text).split()) for text in texts).encode()).hexdigest()[:12]
