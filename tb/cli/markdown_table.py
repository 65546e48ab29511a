"""Tables of the pages in docs/."""


def markdown_table(header, rows):
    """As text; a cell is what str() makes of it."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)
