"""Links of the pages lead to files and headings that are there, and the tests that pages name are there."""

import re

from common import CLEAN, FINDINGS, TOP, cpp_files

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
BLOCK = re.compile(r"^```.*?^```", re.M | re.S)
NAMED_TEST = re.compile(r"`([A-Z]\w*[a-z]\w*)\.([A-Z]\w*[a-z]\w*)`")
TEST = re.compile(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)")


def anchors_of(text):
    """Of the headings, as GitHub makes them."""
    headings = (LINK.sub("]", heading).lower() for heading in HEADING.findall(BLOCK.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


def faults_of(page, texts, tests):
    for link in LINK.findall(BLOCK.sub("", texts[page])):
        name, _, anchor = link.partition("#")
        to = (page.parent / name).resolve() if name else page
        if not link.startswith("https:") and (not to.exists() or anchor and anchor not in anchors_of(texts.get(to, ""))):
            yield f"{link} leads nowhere"
    for test in NAMED_TEST.findall(texts[page]):
        if test not in tests:
            yield f"there is no test {'.'.join(test)}"


def check_pages():
    pages = [TOP / "README.md", TOP / "tb" / "README.md", *sorted((TOP / "docs").rglob("*.md"))]
    texts = {page: page.read_text() for page in pages}
    tests = {test for file in cpp_files(".cpp") for test in TEST.findall(file.read_text())}
    faults = [f"{page.relative_to(TOP)}: {fault}" for page in pages for fault in faults_of(page, texts, tests)]
    print("".join(f"{fault}\n" for fault in faults), end="")
    print(f"{len(pages)} pages, {len(tests)} tests")
    return FINDINGS if faults else CLEAN
