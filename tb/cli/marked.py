"""Parts of pages that scripts make: what stands between <!-- KIND: NAME --> and <!-- end -->."""

import re
import sys

from whole_file import write_whole


class Unmarked(Exception):
    """A page has not each part of a kind once: one line."""


def part_of(kind):
    """A pattern of such parts: the mark, which has the name in it, what stands there, and the end."""
    return re.compile(rf"(<!-- {kind}: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page, kind, parts):
    """The page, a file, as a text in which the parts of this kind are made anew: `parts` has whole lines for each name."""
    text = page.read_text(encoding="utf-8")
    part = part_of(kind)
    if sorted(match[2] for match in part.finditer(text)) != sorted(parts):
        raise Unmarked(f"{page}: has not each of the marks <!-- {kind}: {' -->, '.join(parts)} --> once, each with its <!-- end -->")
    return part.sub(lambda match: match[1] + parts[match[2]] + match[3], text)


def fill(page, kind, parts):
    """Writes what filled() gives. A page that is not marked ends the program with one line."""
    try:
        write_whole(page, filled(page, kind, parts))
    except Unmarked as fault:
        sys.exit(str(fault))


def faults(page, kind, parts, command):
    """Why the page is not what filled() gives, a line, or none; `command` would write it."""
    try:
        if page.read_text(encoding="utf-8") == filled(page, kind, parts):
            return []
    except Unmarked as fault:
        return [str(fault)]
    return [f"{page}: is not what docs/data say; run {command}"]
