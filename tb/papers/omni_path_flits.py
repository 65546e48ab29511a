"""What rows of the Omni-Path paper read of its networks (Figs. 3 and 4), in flits of 64 bytes and of 8."""

import contextlib
import dataclasses

import omni_path_switch
from omni_path import NAMES, paper
from omni_path_networks import CARRIED_IN_8, EVERY, FULL_CHANGED, IN_8, LOADED, LOADS, SATURATED, SMALL
from rows import AGREES, NOT_TESTABLE, Verdict, decided

flit_bytes = [64]  # the last is by what run_of() counts, of full size at 1.0 and at CARRIED_IN_8


@contextlib.contextmanager
def flits_of_8_bytes():
    """Rows read runs in flits of 8 bytes meanwhile."""
    flit_bytes.append(8)
    try:
        yield
    finally:
        flit_bytes.pop()


def run_of(topology, scheduler, load):
    if flit_bytes[-1] == 8 and load == 1.0:
        return FULL_CHANGED[f"{topology} {scheduler}, flits of 8 bytes 1.0"]
    if flit_bytes[-1] == 8 and load == CARRIED_IN_8[topology]:
        return IN_8[f"{topology} {scheduler} {load}"]
    return LOADED[f"{topology} {scheduler} {load}"]


def saturated(topology, scheduler):
    """At 1.0, with more seeds where there are."""
    name = f"{topology} {scheduler}{', flits of 8 bytes' if flit_bytes[-1] == 8 else ''} 1.0"
    if LOADED.size() == "full" and name in SATURATED.stored()["points"]:
        return SATURATED[name]
    return run_of(topology, scheduler, 1.0)


def loads_of(topology, least=0.0):
    """Those that run_of() has in these flits, from the least on."""
    return [load for load in (LOADS if flit_bytes[-1] == 64 else (CARRIED_IN_8[topology], 1.0)) if load >= least]


def small_of(topology, scheduler, load):
    """The small network's: what its changes are compared with."""
    return SMALL[f"{topology} {scheduler} {load}"]


def holding():
    """How long crossbars are held in flits of either size, as measured."""
    per = {
        (size, centre): "/".join(map(str, omni_path_switch.held(size, centre)))
        for size in (64, 8)
        for centre in (False, True)
    }
    sizes = "/".join(f"{size:,}" for size in omni_path_switch.MESSAGE_BYTES)
    return f"{sizes} bytes hold an MPort's crossbar for {per[64, False]} of the paper's cycles in flits of 64 and {per[8, False]} of 8, the central one for {per[64, True]} and {per[8, True]}"


NO_TIMES = "needs how long a packet holds a crossbar beside the moving of its flits; the paper gives the events of an allocation, not their times"


def flits_row(row_id, what):
    """Decorator: the function decides this row by the networks in flits of 64 bytes and, where these are of full size, once more by those in
    flits of 8. If the two disagree the row is open.
    """

    def register(function):
        paper.row(row_id, what)(lambda: whatever_the_flit(function))
        return function

    return register


def whatever_the_flit(function):
    found = function()
    if LOADED.size() == "quick":
        return found
    with flits_of_8_bytes():
        eights = function()
    if found.verdict == eights.verdict:
        return dataclasses.replace(found, note=f"{found.note}. In flits of 8 bytes: {eights.measured}")
    return open_by_flits(
        f"in flits of 64 bytes {found.measured}; of 8 bytes {eights.measured}",
        found.note,
        *(verdict.verdict == AGREES for verdict in (found, eights)),
    )


def open_by_flits(measured, note, *holds):
    """Of what holds in flits of 64 bytes or in those of 8 and not in both."""
    one, other = ("holds" if held else "does not hold" for held in holds)
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: {NO_TIMES}. It {one} in flits of 64 bytes and {other} in the paper's of 8: {holding()}",
    )


def latencies(run, names=NAMES):
    return [run.mean(f"{name}.message_latency.mean") for name in names]


def us(run):
    return "/".join(f"{value / 1000:.2f}" for value in latencies(run)) + " us"


def shares(run):
    return "/".join(f"{100 * run.mean(f'{name}.share'):.1f}" for name in NAMES) + " %"


def shares_apart(run, other):
    """How far, in points, the SL is off whose shares differ most."""
    return 100 * max(abs(run.mean(f"{name}.share") - other.mean(f"{name}.share")) for name in NAMES)


def run_with_most(topology, scheduler):
    return max((run_of(topology, scheduler, load) for load in loads_of(topology)), key=lambda run: run.mean("accepted"))


def most(topology, scheduler):
    """The largest accepted load."""
    return run_with_most(topology, scheduler)["accepted"]


def shown_or_lacking(told, note, cause, tried):
    """Of what is not as printed: differs for a cause that is shown; without one it has no better verdict than that a cause is missing."""
    if cause:
        return decided(False, told, note, cause)
    return Verdict(NOT_TESTABLE, told, f"{note}; it differs, and what is missing is the cause: {tried}")


def carried(topology, schedulers):
    """The largest of the loads that all these schedulers carry."""
    return max(
        load
        for load in loads_of(topology)
        if all(run_of(topology, scheduler, load).mean("accepted") >= 0.99 * load for scheduler in schedulers)
    )


def told(found):
    return ", ".join(f"{t} {x:.1f}" for t, x in found.items())


def figures(ids, what, predicate, note, cause=None, register=paper.row):
    """A row for each topology; predicate(topology) returns whether it holds and what was measured, cause(topology) why not."""
    for row_id, topology in zip(ids.split(), EVERY):

        @register(row_id, f"{what}, {topology}")
        def _(topology=topology):
            held, measured = predicate(topology)
            return decided(held, measured, note, cause(topology) if cause and not held else None)


INSIDE = "the inside of the hierarchical switch, which knows no QoS"
QUICK = "the small networks' CIOQ switches; the paper's are in those of full size"
