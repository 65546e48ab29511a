"""Rows of the papers, each decided by a check: a function that measures and returns a verdict.

A check raises Unexpected when our own measurement is not what its verdict rests on, so a broken
reference turns up as a failed row and never as another verdict.
"""

import contextlib
import csv
import dataclasses
import fcntl
import json
import os
import pathlib
import re

import experiment as experiments
from whole_file import write_whole

HERE = pathlib.Path(__file__).resolve().parent
AGREES, DIFFERS, NOT_TESTABLE = "agrees", "differs", "not-testable"


class Unexpected(Exception):
    pass


@dataclasses.dataclass
class Verdict:
    verdict: str
    measured: str
    note: str
    explained: bool = True  # a difference whose cause is not known has a place on no page that ships
    cause: str = ""  # of a difference that `decided` tells, which the note ends with


def agrees(measured, note):
    return Verdict(AGREES, str(measured), note)


def differs(measured, note):
    return Verdict(DIFFERS, str(measured), note)


def not_testable(note):
    return Verdict(NOT_TESTABLE, "", note)


def decided(condition, measured, note, cause=None):
    """Of an experiment: agrees, or differs for a cause that was shown (a text, or a function that returns one)."""
    if condition:
        return agrees(measured, note)
    cause = cause() if callable(cause) else cause
    return Verdict(
        DIFFERS,
        str(measured),
        f"{note}; cause: {cause}" if cause else f"{note}; the cause is not known",
        cause is not None,
        cause or "",
    )


def by_comparisons(found, measured, note, cause=None):
    """`decided` by the Comparisons of an experiment, or by another condition beside them; what their intervals leave open waits for more seeds."""
    if isinstance(found, experiments.Comparisons) and found.open:
        return Verdict(NOT_TESTABLE, str(measured), f"{note}: {found.left_open()}")
    return decided(found, measured, note, cause)


def same(measured, expected, what=""):
    if measured != expected:
        raise Unexpected(f"{what}: {short(measured)}, not {short(expected)}")
    return measured


def short(value):
    text = str(value)
    return text if len(text) < 200 else text[:200] + " ..."


def near(measured, expected, tolerance, what=""):
    """Numbers or lists of numbers, each within the tolerance."""
    pairs = zip(measured, expected, strict=True) if isinstance(expected, (list, tuple)) else [(measured, expected)]
    for got, wanted in pairs:
        if not abs(got - wanted) <= tolerance:
            raise Unexpected(f"{what}: {measured}, not {expected} within {tolerance}")
    return measured


def holds(condition, what):
    if not condition:
        raise Unexpected(f"does not hold: {what}")


def percent(parts, digits=2):
    if isinstance(parts, (int, float)):
        parts = [parts]
    return "/".join(f"{100 * part:.{digits}f}" for part in parts) + " %"


def _times():
    return json.loads(experiments.TIMES.read_text()) if experiments.TIMES.exists() else {}


@contextlib.contextmanager
def _alone():
    """Nobody else stores meanwhile: what another process reads and writes back would lose what is stored here."""
    experiments.MEASURED.mkdir(parents=True, exist_ok=True)
    folder = os.open(experiments.MEASURED, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


class Paper:
    """The rows of one paper: those of its catalogue, and who decides them."""

    def __init__(self, name, title, tables=None):
        self.name, self.title = name, title
        with open(HERE / "catalogue" / f"{name}.csv", newline="") as file:
            self.catalogue = {line["id"]: line for line in csv.DictReader(file)}
        self.checks = {}  # id: (what is claimed, function)
        self.missing = {}  # id: note
        self.sections = []  # (heading, function that returns Markdown)
        self.findings = {}  # number: function that returns a sentence or two in Markdown
        self.experiments = {}  # name: Experiment
        self.figures = {}  # file name: SVG, of the sections made so far
        self._measured = None

    def row(self, row_id, what):
        """Decorator: the function decides this row."""

        def register(function):
            self._free(row_id)
            self.checks[row_id] = (what, function)
            return function

        return register

    def needs(self, ids, note):
        """Rows that cannot be decided yet; ids such as "bxi-020 bxi-115..bxi-141"."""
        for row_id in expand(ids):
            row_id = row_id if row_id in self.catalogue else None
            if row_id is None:
                raise ValueError(f"{ids}: unknown row")
            self._free(row_id)
            self.missing[row_id] = note

    def section(self, heading):
        """Decorator: the function returns a table of the paper beside ours, for the page."""

        def register(function):
            self.sections.append((heading, function))
            return function

        return register

    def finding(self, number):
        """Decorator: the function returns one of the findings of the summary, with its numbers from what is measured. It
        raises Unexpected when these do not bear what it says."""

        def register(function):
            self.findings[number] = function
            return function

        return register

    def experiment(self, name, what, points, seeds, **keys):
        """An Experiment of this paper."""
        self.experiments[name] = experiments.Experiment(self, name, what, points, seeds, **keys)
        return self.experiments[name]

    def in_lockstep(self, name, reference, shows, **keys):
        """The Lockstep of another Experiment of this paper."""
        self.experiments[name] = experiments.Lockstep(self, name, reference, shows, **keys)
        return self.experiments[name]

    def figure(self, name, title, svg):
        """Markdown that shows a plot, which is written beside the page."""
        self.figures[f"{self.name}-{name}.svg"] = svg
        return f"![{title}](plots/{self.name}-{name}.svg)"

    def measured(self):
        """What is stored of the experiments, by name."""
        if self._measured is None:
            path = experiments.MEASURED / f"{self.name}.json"
            self._measured = json.loads(path.read_text()) if path.exists() else {}
        return self._measured

    def store(self, name, results):
        """Keeps the results of one experiment, with those of the others as they are; a line for each number."""
        with _alone():
            self._store(name, results)

    def _store(self, name, results):
        self._measured = None  # another process may have stored meanwhile
        measured = {**self.measured(), name: results}
        self._measured = {key: measured[key] for key in self.experiments if key in measured}
        text = []
        for key, value in self._measured.items():
            points = []
            for point, kept in value["points"].items():
                samples = ",\n".join(
                    f"    {json.dumps(number)}: {json.dumps(values)}" for number, values in kept["samples"].items()
                )
                points.append(
                    f'   {json.dumps(point)}: {{"scenario": "{kept["scenario"]}", "samples": {{\n{samples}}}}}'
                )
            head = ", ".join(f'"{word}": {json.dumps(value[word])}' for word in ("size", "seeds", "engine"))
            text.append(f' {json.dumps(key)}: {{{head}, "points": {{\n' + ",\n".join(points) + "}}")
        write_whole(experiments.MEASURED / f"{self.name}.json", "{\n" + ",\n".join(text) + "\n}\n")

    def times(self):
        """Seconds that a seed of each experiment took of a core when it was run last, by name."""
        return _times().get(self.name, {})

    def store_time(self, name, seconds):
        """Keeps the time of one experiment, or what is kept of it if that is None."""
        if seconds is None:
            return
        with _alone():
            times = _times()
            own = {**times.get(self.name, {}), name: round(seconds)}
            times[self.name] = {key: own[key] for key in self.experiments if key in own}
            write_whole(experiments.TIMES, json.dumps(dict(sorted(times.items())), indent=1) + "\n")

    def _free(self, row_id):
        if row_id not in self.catalogue:
            raise ValueError(f"{row_id}: not in the catalogue")
        if row_id in self.checks or row_id in self.missing:
            raise ValueError(f"{row_id}: decided twice")

    def undecided(self):
        return [row_id for row_id in self.catalogue if row_id not in self.checks and row_id not in self.missing]

    def decide(self, row_id):
        if row_id in self.missing:
            return not_testable(self.missing[row_id])
        return self.checks[row_id][1]()


def expand(ids):
    for item in ids.split():
        first, _, last = item.partition("..")
        if not last:
            yield first
            continue
        prefix, low = re.fullmatch(r"(.*?)(\d+)", first).groups()
        high = re.fullmatch(r"(.*?)(\d+)", last).group(2)
        for number in range(int(low), int(high) + 1):
            yield f"{prefix}{number:0{len(low)}d}"
