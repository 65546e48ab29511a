"""What rows of the Omni-Path paper read of its networks (Figs. 3 and 4), in flits of 64 bytes and of 8."""

import contextlib
import dataclasses

import omni_path_switch
from omni_path import NAMES, paper
from omni_path_networks import (
    CARRIED_IN_8,
    EIGHT_VLS,
    EVERY,
    FULL_CHANGED,
    IN_8,
    LOADED,
    LOADS,
    LONG,
    LONG_CHANGED,
    LONGER,
    LONGER_LOADS,
    PRINTED_8_VLS,
    SATURATED,
    SMALL,
    WINDOW,
)
from rows import AGREES, DIFFERS, NOT_TESTABLE, Verdict, decided

flit_bytes = [64]  # the last is by what run_of() counts, of full size at 1.0 and at CARRIED_IN_8
windows = [LONGER]  # what run_of() reads first where there are runs in it, if that is the last
read_longer = set()  # of these, by name


@contextlib.contextmanager
def short_window():
    """Rows read nothing of the longer window meanwhile."""
    windows.append(WINDOW)
    try:
        yield
    finally:
        windows.pop()


@contextlib.contextmanager
def flits_of_8_bytes():
    """Rows read runs in flits of 8 bytes meanwhile, of which there are none in the longer window."""
    flit_bytes.append(8)
    try:
        with short_window():
            yield
    finally:
        flit_bytes.pop()


def longer_read():
    """Whether rows read the longer window."""
    return windows[-1] == LONGER and LOADED.size() == "full"


def in_longer(name):
    """The run of full size of this name in the longer window, if there is one and rows read it."""
    if longer_read():
        for experiment in (LONG, LONG_CHANGED):
            if name in experiment.stored()["points"]:
                read_longer.add(name)
                return experiment[name]
    return None


def changed(name):
    """A network of full size with something changed, in the longer window if there is one."""
    return in_longer(name) or FULL_CHANGED[name]


def run_of(topology, scheduler, load):
    if flit_bytes[-1] == 8 and load == 1.0:
        return FULL_CHANGED[f"{topology} {scheduler}, flits of 8 bytes 1.0"]
    if flit_bytes[-1] == 8 and load == CARRIED_IN_8[topology]:
        return IN_8[f"{topology} {scheduler} {load}"]
    name = f"{topology} {scheduler} {load}"
    return in_longer(name) or LOADED[name]


def with_8_vls(topology, scheduler):
    """At 1.0 under RR or SBT as printed with the eight VLs of Table 7, in the window of `loads`; the small networks have their own number."""
    if LOADED.size() == "quick":
        return run_of(topology, scheduler, 1.0)
    if flit_bytes[-1] == 8:
        return PRINTED_8_VLS[f"{topology} {scheduler}, flits of 8 bytes"]
    return PRINTED_8_VLS[f"{topology} sbt"] if scheduler == "sbt" else EIGHT_VLS[f"{topology} {scheduler}"]


def saturated(topology, scheduler):
    """At 1.0 in the window of `loads`, with more seeds where there are."""
    name = f"{topology} {scheduler}{', flits of 8 bytes' if flit_bytes[-1] == 8 else ''} 1.0"
    if LOADED.size() == "full" and name in SATURATED.stored()["points"]:
        return SATURATED[name]
    with short_window():
        return run_of(topology, scheduler, 1.0)


def loads_of(topology, least=0.0):
    """Those that run_of() has in these flits and in either window, from the least on."""
    return [load for load in (LOADS if flit_bytes[-1] == 64 else (CARRIED_IN_8[topology], 1.0)) if load >= least]


def all_loads_of(topology, scheduler):
    """Those that run_of() has in these flits and this window."""
    more = [load for load in LONGER_LOADS if in_longer(f"{topology} {scheduler} {load}")]
    return sorted({*loads_of(topology), *more})


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
    return f"Packets of {sizes} bytes hold an MPort's crossbar for {per[64, False]} of the paper's cycles in flits of 64 and {per[8, False]} of 8, the central one for {per[64, True]} and {per[8, True]}"


NO_TIMES = "needs how long a packet holds a crossbar beside the moving of its flits; the paper gives the events of an allocation, not their times"


def flits_row(row_id, what):
    """Decorator: the function decides this row by the networks in flits of 64 bytes and, where these are of full size, once more by those in
    flits of 8. If the two disagree the row is open.
    """

    def register(function):
        paper.row(row_id, what)(lambda: whatever_the_flit(function))
        return function

    return register


def windows_row(row_id, what):
    """Decorator: the function decides this row by the longer window and by the shorter one, in flits of 64 bytes."""

    def register(function):
        paper.row(row_id, what)(lambda: whatever_the_window(function))
        return function

    return register


def in_windows(function):
    """What a row says by the longer window, where that has runs that it reads, and by the shorter one."""
    read_longer.clear()
    longer = function()
    if not read_longer:
        return longer, longer
    with short_window():
        return longer, function()


def whatever_the_window(function):
    longer, short = in_windows(function)
    return longer if short is longer else in_both_windows(longer, longer, short, short.measured)


def whatever_the_flit(function):
    """And whatever the window: where the longer one is read, the shorter one, which flits of 8 bytes have, has to say the same."""
    longer, short = in_windows(function)
    if LOADED.size() == "quick":
        return longer
    # Of two that say something else the note of the one that agrees has no cause.
    note = (short if (longer.verdict, short.verdict) == (DIFFERS, AGREES) else longer).note
    with flits_of_8_bytes():
        eights = function()
    if short.verdict == eights.verdict:
        where = "" if short is longer else f", {in_window()}"
        told = dataclasses.replace(longer, note=f"{note}. In flits of 8 bytes{where}: {eights.measured}")
        measured = short.measured
    else:
        measured = f"in flits of 64 bytes {short.measured}; of 8 bytes {eights.measured}"
        told = open_by_flits(measured, note, *(verdict.verdict == AGREES for verdict in (short, eights)))
    return told if short is longer else in_both_windows(told, longer, short, measured)


def in_window(window=WINDOW):
    return f"in {window[1]} us behind {window[0]}"


def judged_where():
    """What a note says of intervals, which the longer window has none of with a seed or two."""
    return f" {in_window()}, and by means in the longer window" if LOADED.size() == "full" else ""


def in_both_windows(told, longer, short, measured):
    """What is told, with what either window says: open if they disagree. measured: in the shorter one, whatever the flit."""
    if (longer.verdict == AGREES) == (short.verdict == AGREES):
        if told.measured == measured:  # open by flits already
            where, other = LONGER, longer.measured
        else:
            where, other = WINDOW, short.measured
        more = f". In {in_window(where)[3:]}: {other}" if longer.measured != short.measured else ""
        return dataclasses.replace(told, note=told.note + more)
    return Verdict(
        NOT_TESTABLE,
        f"{in_window(LONGER)} {longer.measured}; {in_window()} {measured}",
        f"{told.note}; it hangs on the window, too, which the paper does not give: {in_window(LONGER)} it {verb(longer)}, {in_window()}, where networks beyond what they carry have not settled, it {verb(short)}",
    )


def verb(verdict):
    return {AGREES: "holds", DIFFERS: "does not hold", NOT_TESTABLE: "is open"}[verdict.verdict]


def open_by_flits(measured, note, *holds):
    """Of what holds in flits of 64 bytes or in those of 8 and not in both."""
    one, other = ("holds" if held else "does not hold" for held in holds)
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: {NO_TIMES}. It {one} in flits of 64 bytes and {other} in the paper's of 8, which hold crossbars otherwise (Figs. 3 and 4)",
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
    return max((run_of(topology, scheduler, load) for load in all_loads_of(topology, scheduler)), key=lambda run: run.mean("accepted"))


def most(topology, scheduler):
    """The largest accepted load."""
    return run_with_most(topology, scheduler)["accepted"]


def shown_or_lacking(told, note, cause, tried):
    """Of what is not as printed: differs for a cause that is shown; without one it has no better verdict than that a cause is missing."""
    if cause:
        return decided(False, told, note, cause)
    return Verdict(NOT_TESTABLE, told, f"{note}; tested, not confirmed; cause unknown: {tried}")


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
    for row_id, topology in zip(ids.split(), EVERY, strict=True):

        @register(row_id, f"{what}, {topology}")
        def _(topology=topology):
            held, measured = predicate(topology)
            return decided(held, measured, note, cause(topology) if cause and not held else None)


INSIDE = "the inside of the hierarchical switch, which knows no QoS"
QUICK = "the small networks' CIOQ switches; the paper's are in those of full size"
