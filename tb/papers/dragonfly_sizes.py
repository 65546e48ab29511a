"""How rows of the dragonfly paper's networks are decided on few nodes and on the machine, and how the page shows both.

A row whose points were run on the paper's nodes, too, is decided twice by the same function: from several seeds on few nodes
and from fewer on the machine. Where the two disagree the machine has the last word.
"""

import dataclasses

import plots
from dragonfly import paper
from dragonfly_latency_networks import EARLY_CALLS
from experiment import simultaneous
from rows import NOT_TESTABLE, Verdict, decided


class NotRun(Exception):
    """The machine has no run of a point, or none that decides."""


class Points:
    """Points of an experiment on few nodes and of those that have them on the paper's; `Points.machine` says which are looked up, `Points.asked` the
    experiments of the machine that were."""

    machine, asked = False, []

    @staticmethod
    def seeds():
        """Of the experiments that were asked, in words."""
        counts = sorted({experiment.stored()["seeds"] for experiment in Points.asked})
        return "one seed" if counts == [1] else " and ".join(map(str, counts)) + " seeds"

    def __init__(self, few, *large):
        self.few, self.large = few, large

    def __getitem__(self, point):
        if not Points.machine:
            return self.few[point]
        for experiment in self.large:
            if experiment.size() == "full" and point in experiment.stored()["points"]:
                Points.asked.append(experiment)
                return experiment[point]
        raise NotRun(point)

    def __str__(self):
        return "experiment " + (
            (
                " and ".join(experiment.name for experiment in self.large if experiment in Points.asked)
                + f", 8,320 nodes, {Points.seeds()}"
            )
            if Points.machine
            else self.few.name
        )


def on_the_machine(function):
    """The verdict from the runs on the paper's nodes; None where a point is missing there or the row has no such runs."""
    Points.machine, Points.asked = True, []
    try:
        verdict = function()
        return dataclasses.replace(verdict, note=str(verdict.note)) if Points.asked else None
    except NotRun:
        return None
    finally:
        Points.machine = False


def where_run(cause):
    """What needs points of which the machine may have no run, a cause or more of a text: none then, and few nodes show it."""

    def told():
        try:
            return cause()
        except NotRun:
            return None

    return told


BOTH = {}  # row: its function, of all that few nodes decide


def row(row_id, what):
    """Decorator: the function decides this row, on few nodes and on the machine."""

    def register(function):
        BOTH[row_id] = function
        paper.row(row_id, what)(lambda: settled(function))
        return function

    return register


def same_verdict(few, machine):
    """Whether both sizes say the same: a cause that few nodes show and the machine does not is none."""
    return few.verdict == machine.verdict and few.explained and machine.explained


def settled(function):
    few, machine = function(), on_the_machine(function)
    few = dataclasses.replace(few, note=str(few.note))
    if machine is None:
        return few
    if same_verdict(few, machine):
        return dataclasses.replace(
            few,
            note=f"{few.note}. On the paper's nodes, {Points.seeds()}: {machine.measured}"
            + (f" ({machine.cause})" if machine.cause else ""),
        )
    verdict = (
        machine
        if machine.explained
        else Verdict(
            NOT_TESTABLE, machine.measured, f"{machine.note}: needs the run on the paper's nodes that shows it"
        )
    )
    return dataclasses.replace(
        verdict,
        measured=f"{machine.measured}; on 144 nodes {few.measured}",
        note=f"{verdict.note}. 144 nodes would say {few.verdict}: {few.note}",
    )


def beyond(found, bound=0, sign=1):
    """Whether it is above the bound by more than its interval, with -1 below; one run on the machine stands for itself."""
    return sign * (found.mean - bound) > (found.reach if found.seeds > 1 else 0)


def percent(found, digits=1):
    return found.text(digits, 100, "%")


def at_most(bounds, measured, note, cause=None):
    """A verdict by intervals and the bound that each has: agrees if all means are within theirs, differs if one is beyond by more than
    its interval as one of so many, and else open."""
    over = simultaneous([found.over(bound) for found, bound in bounds])
    if any(found.mean > 0 for found in over) and not any(beyond(found) for found in over):
        return Verdict(NOT_TESTABLE, measured, f"{note}: within its 95 % interval, needs more seeds")
    return decided(all(found.mean <= 0 for found in over), measured, note, cause)


def off_one(found):
    """How far a ratio is from 1, either way."""
    return dataclasses.replace(found, mean=abs(found.mean - 1))


def both_sizes():
    """Verdicts on few nodes and on the machine by row, of the rows that have both."""
    found = {
        row_id: (function(), on_the_machine(function))
        for row_id, function in sorted(BOTH.items(), key=lambda item: int(item[0].partition("-")[2]))
    }
    return {row_id: pair for row_id, pair in found.items() if pair[1]}


def large_points(*experiments):
    """Runs on the paper's nodes by point."""
    return {
        point: experiment[point]
        for experiment in experiments
        if experiment.size() == "full"
        for point in experiment.stored()["points"]
    }


# --- the page -------------------------------------------------------------------------------------


@paper.section("Size")
def _():
    both = both_sizes()
    changed = [
        f"{row_id} ({few.verdict} on 144 nodes, {machine.verdict} on 8,320{'' if machine.explained else ', where no run shows the cause'})"
        for row_id, (few, machine) in both.items()
        if not same_verdict(few, machine)
    ]
    lines = [
        "Most experiments below have networks of 144 nodes, in the proportions of the paper's 8,320 (4 terminal, 3 local, 2 global links a router, 9 groups, one link between any "
        "two): more of the traffic stays in its group, 11 % instead of 1.5, and jobs of 20 nodes load links less evenly than those of 1,760.",
        "",
    ]
    if both:
        large = [
            experiment
            for experiment in paper.experiments.values()
            if experiment.name.startswith("machine") and experiment.size() == "full"
        ]
        same = [row_id.removeprefix("dfly-") for row_id, (few, machine) in both.items() if same_verdict(few, machine)]
        lines += [
            "The experiments "
            + ", ".join(f"{experiment.name} (seeds: {experiment.stored()['seeds']})" for experiment in large)
            + f" are of the paper's nodes. The {len(both)} rows whose points they have are decided on both sizes by the same rule; runs of machine-rates, machine-oversubscribed, machine-shares, machine-placements and machine-lighter end when the window does that their rows are of, those of machine-links after 14 us, those of machine-rotated and machine-pairs after {EARLY_CALLS} calls. "
            f"{len(same)} have the same verdict on both, and their notes say what the machine gave: dfly-{', '.join(same)}. Where the two disagree the machine has the last word: "
            + (", ".join(changed) if changed else "nowhere")
            + ". dfly-87 has runs of its own there. The other rows of networks need points that were run on 144 nodes only."
        ]
    return "\n".join(lines)


def figures_twice(name, alternative, title, curves, few, machine):
    """A figure of a run on 144 nodes and, where there is one, of that on the paper's."""
    figures = [paper.figure(name, f"{alternative}, 144 nodes", curves(few, f"{title}, 144 nodes"))]
    return figures + (
        [paper.figure(f"{name}-machine", f"{alternative}, 8,320 nodes", curves(machine, f"{title}, 8,320 nodes"))]
        if machine
        else []
    )


def over_time(run, names, title):
    ends = run.series("ends_us")
    return plots.curves(
        title,
        "us",
        "% of the global bandwidth",
        {name: [(end, 200 * value) for end, value in zip(ends, run.series(f"{name}.got"), strict=True)] for name in names},
    )


def stalls_plot(run, title):
    ends = run.series("ends_us")
    series = {}
    for number in range(4):
        for colour in ("green", "yellow", "red"):
            values = run.series(f"series.{colour}.{number}")
            if sum(values) > 0 and len(series) < 8:
                series[f"{colour} {number}"] = [(end, value / 1000) for end, value in zip(ends, values, strict=True)]
    return plots.curves(title, "us", "thousand stall cycles a slice", series)
