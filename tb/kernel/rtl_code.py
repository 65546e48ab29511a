"""The code of RTL: its text without comments, and a digest that stays while only comments change."""

import hashlib
import re


def code(text):
    """The text without comments, each piece of code in the line and column where it was."""
    return re.sub(r"[ \t]*//[^\n]*", "", text)


def digest(texts):
    """Of the code in the texts of some files; comments, where lines end and how wide a gap is make no difference."""
    return hashlib.sha256("\0".join(" ".join(code(text).split()) for text in texts).encode()).hexdigest()[:12]


def named_by(texts, files):
    """Of the files, {path: text}, those that define a module or package that the texts name, or that these name in turn."""
    defined = {name: path for path, text in files.items()
               for name in re.findall(r"^[ \t]*(?:module|package|interface)[ \t]+(\w+)", code(text), re.M)}
    found, left = set(), list(texts)
    while left:
        named = {defined[name] for name in re.findall(r"\w+", code(left.pop())) if name in defined} - found
        found |= named
        left += [files[path] for path in named]
    return sorted(found)
