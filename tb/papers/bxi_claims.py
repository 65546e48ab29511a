"""How a claim of the BXIv3 paper on fair, step or 2powers is decided: numbers of runs SL by SL, and the causes that are tried."""

import dataclasses
import math

from bxi_networks import (
    BASE,
    CAUSES,
    FAIR_320,
    LATE,
    LONGER,
    LONGER_80,
    MISFITS,
    SHORT_TURNS,
    SHORT_WINDOW,
    SHORT_WINDOW_2POWERS,
    SMALL,
    SMALL_NETWORK,
    VARIANTS,
    arbiter_of,
)
from bxi_tables import K, SIZES, due, plain, row
from experiment import Comparisons, difference, paired, ratio, spearman
from rows import NOT_TESTABLE, Verdict, agrees, decided

NAMES = {
    "rr": "RR",
    "basic": "basic",
    "basic-spread": "basic, spread",
    "deficit": "deficits",
    "deficit-spread": "deficits, spread",
}
ALL = range(5)


def key(sl, number):
    return f"sl{sl}.{number}"


def values(run, number, sls=ALL):
    """Means over the seeds, SL by SL."""
    return [run.mean(key(sl, number)) for sl in sls]


def points(run, number="hosts.median", sls=ALL, digits=2):
    return "/".join(f"{100 * value:.{digits}f}" for value in values(run, number, sls)) + " %"


def us(run, number, sls=ALL):
    return "/".join(f"{value / 1000:.2f}" for value in values(run, number, sls)) + " us"


def joined(found, digits=2, scale=1):
    return "/".join(x.text(digits, scale) for x in found)


def differences(first, second, number, sls=ALL):
    """Intervals of first - second, SL by SL."""
    return [difference(first, second, key(sl, number)) for sl in sls]


def ratios(first, second, number, sls=ALL):
    """Intervals of first / second, SL by SL."""
    return [ratio(first, second, key(sl, number)) for sl in sls]


def spreading(runs, name, number, sls=ALL):
    """What spreading the entries of a table makes of a number, spread over plain."""
    return ratios(runs[f"{name}-spread"], runs[name], number, sls)


def deficits_over_basic(runs, name, number, sls=ALL):
    return ratios(runs[f"{name}.deficit"], runs[f"{name}.basic"], number, sls)


def plain_and_spread(runs, name, number):
    return f"plain {us(runs[name], number)}, spread {us(runs[f'{name}-spread'], number)}"


def slope(seed, number):
    """Least squares over the SL."""
    middle = sum(ALL) / len(ALL)
    return sum((sl - middle) * seed[key(sl, number)] for sl in ALL) / sum((sl - middle) ** 2 for sl in ALL)


def slope_of(run, number):
    return run.each(lambda seed: slope(seed, number))


def slope_more(first, second, number):
    """Interval of how much steeper the first is."""
    return paired(first, second, lambda a, b: slope(a, number) - slope(b, number))


def ranked(run, number, sls=ALL):
    """Interval of the rank correlation with the SL."""
    return run.each(lambda seed: spearman(list(sls), [seed[key(sl, number)] for sl in sls]))


def rank(run, number, sls=ALL):
    return ranked(run, number, sls).mean


def error(run, name):
    """Sum over the SLs of what the median is off its share, in points."""
    return run.each(
        lambda seed: sum(abs(100 * seed[key(sl, "hosts.median")] - 100 * float(due(name)[sl])) for sl in ALL)
    )


def error_less(first, second, name, among=None):
    """Comparison of the sums of errors, as parts of a link."""
    return Comparisons(
        [
            paired(
                first,
                second,
                lambda a, b: sum(
                    abs(b[key(sl, "hosts.median")] - due(name)[sl]) - abs(a[key(sl, "hosts.median")] - due(name)[sl])
                    for sl in ALL
                ),
            )
        ],
        among,
    )


def errors(first, second, name):
    return f"sum of errors {error(first, name).text(2)} against {error(second, name).text(2)} points"


def off_share(runs, name, kind, sls=ALL):
    """Points that the worst of the medians is off its share."""
    return max(abs(100 * (runs[f"{name}.{kind}"].mean(key(sl, "hosts.median")) - float(due(name)[sl]))) for sl in sls)


def share_more(run, name, sl):
    """Interval of how much more of what is delivered an SL gets than its share."""
    return run.each(lambda seed: seed[key(sl, "share")] - float(due(name)[sl]))


class Watched:
    """Runs, and which of their points somebody asked for."""

    def __init__(self, runs):
        self.runs, self.points = runs, set()

    def __getitem__(self, point):
        self.points.add(point)
        return self.runs[point]

    def __getattr__(self, name):
        return getattr(self.runs, name)


UNKNOWN = "tested, not confirmed; cause unknown"
CLAIMS = {}  # row: its predicate


def waits(held):
    """Whether what a predicate says of runs needs more seeds."""
    return isinstance(held, Comparisons) and held.open


def contradicted(held):
    return not held and not waits(held)


def early_and_late():
    """Why shares of the plain table of 2powers at k = 1024 hang on the window, or None if the runs do not show it."""
    before, late, spread, short = LATE["2powers.deficit, before"], LATE["2powers.deficit"], LATE["2powers.deficit-spread"], LONGER_80["2powers.deficit"]
    turn = plain("2powers")[0][1]
    stops = before.mean("sl0.stops.host"), late.mean("sl0.stops.host")
    got = [100 * run.mean("sl0.hosts.median") for run in (before, late, spread, short)]
    if not (LATE.size() == "full" and got[0] - got[1] > 5 and stops[1] > 10 * stops[0] and max(abs(x - 100 * float(due("2powers")[0])) for x in got[2:]) < 1):
        return None
    return (
        f"SL 0's plain turn is of {turn:,} flits, and its median is {got[0]:.1f} % from 0.6 to 0.8 ms and {got[1]:.1f} from 1.0 to 1.2. Between these PFC's stops reach the hosts, which send all that their links carry: "
        f"SL 0 is stopped there {stops[0]:,.0f} times in the first 0.8 ms and {stops[1] - stops[0]:,.0f} times in the 0.4 after, and a turn that is stopped ends with what is left of it. Spread, in entries of {K:,} flits, it has {got[2]:.1f} % as late, and in turns "
        f"of {16 * 80:,}, k = 80, {got[3]:.1f} from 0.8 to 1.6 ms"
    )


def window_of_runs(runs):
    """In words."""
    window = runs.describe(runs.size())
    return f"{window['measure_us']} us behind {window['warmup_us']}"


WINDOWS = (LATE, LONGER, SHORT_WINDOW_2POWERS, SHORT_WINDOW, BASE)  # other windows than most runs', those with more seeds first


def in_other_windows(predicate, base):
    """What the predicate says in each other window of the same size that has the runs it reads, by the window."""
    found = {}
    for runs in WINDOWS:
        try:
            if base.size() == runs.size() == "full" and window_of_runs(runs) not in (*found, window_of_runs(base)):
                found[window_of_runs(runs)] = predicate(runs)
        except KeyError:
            continue  # not all runs are there
    return found


def of_windows(held, measured, window, others, note):
    """The verdict of a row that the window turns, or None. The paper gives none: what holds in one and not in another is open."""
    turned = {
        window: text
        for window, (holds_too, text) in others.items()
        if (held and contradicted(holds_too)) or (contradicted(held) and holds_too)
    }
    if not turned:
        return None
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: it hangs on the window, which the paper does not give: {'it holds' if held else 'it does not hold'} in {window} and "
        f"{'does not' if held else 'does'} in {' and '.join(f'{window} ({text})' for window, text in turned.items())}",
    )


def claim(row_id, what, predicate, note="sim, PGFT", cause=None, base=BASE, needs=None, across=False, changes=None, why=None):
    """A row that the synthetic runs decide. predicate(runs) returns whether it holds, best as Comparisons, and what was measured; it is
    asked again of each run with one change, and a change that makes it hold is the cause that is named, beside `cause`, a text or a
    function that makes it from runs. What is changed in the small network is compared with that network.
    Comparisons that are open decide nothing, and the row waits for more seeds. base: the runs that decide, if some have more seeds than
    the others. needs: what would show the cause, a text or a function, if nothing that was run does. across: it compares scenarios, for which another k in each is more
    than one change. changes: the runs of base's size with one change, by its name, if base is of another window than most. why: a function that says why it hangs
    on the window, if it does."""
    CLAIMS[row_id] = predicate

    @row(row_id, what)
    def _():
        held, measured = predicate(base)
        full = base.size() == "full"
        hanging = of_windows(held, measured, window_of_runs(base), in_other_windows(predicate, base), note)
        if hanging:
            return dataclasses.replace(hanging, note=hanging.note + (f". {why()}" if why else ""))
        small = predicate(SMALL_NETWORK)

        def asked(changes):
            """What the predicate says of runs, by the name of what is changed."""
            found = {}
            for name, runs in changes.items():
                if across and runs in (SHORT_TURNS, VARIANTS["k smaller"]):
                    continue
                read = Watched(runs)
                try:
                    said = predicate(read)
                except KeyError:
                    continue  # not all runs are there
                scenarios = {point.partition(".")[0] for point in read.points}
                if runs is SHORT_TURNS and len(scenarios) == 1:
                    name = f"k = {SMALL[scenarios.pop()]}"  # of the three that it changes
                found[name] = said
            return found

        larger = (
            asked(
                changes
                or {
                    "k = 320, 256 and 80": SHORT_TURNS,
                    "k = 300": MISFITS,
                    "k = 320": FAIR_320,
                }
            )
            if full
            else {}
        )
        other = asked({**VARIANTS, **CAUSES})
        on_small = "on 64 hosts " if full else ""
        if held:
            against = [name for name, (holds_too, _) in larger.items() if contradicted(holds_too)]
            broken = [name for name, (holds_too, _) in other.items() if small[0] and contradicted(holds_too)]
            return decided(
                True,
                measured,
                note
                + "".join(
                    [
                        f"; not with {', nor with '.join(against)}" if against else "",
                        f"; {on_small}not with {', nor with '.join(broken)}" if broken else "",
                    ]
                ),
            )
        if waits(held):
            return Verdict(
                NOT_TESTABLE,
                measured,
                f"{note}: the difference is {held.left_open()}" + ("" if full else ", or full size"),
            )
        mended = [
            f"with {name} as the one change it holds ({text})"
            for name, (holds_too, text) in larger.items()
            if holds_too
        ]
        if contradicted(small[0]):
            smaller = {name: text for name, (holds_too, text) in other.items() if holds_too}
            if mended and smaller:
                mended.append("on 64 hosts also with " + ", ".join(name.rstrip(",") for name in smaller))
            else:
                mended += [
                    f"with {name} as the one change it holds{' on 64 hosts' if full else ''} ({text})"
                    for name, text in smaller.items()
                ]
        told = cause() if callable(cause) else cause
        causes = [*([told] if told else []), *mended]
        if not causes and (needs or isinstance(held, Comparisons)):
            wanted = needs() if callable(needs) else needs or "a run with one change that shows why"
            return Verdict(
                NOT_TESTABLE,
                measured,
                f"{note}: {UNKNOWN}; needs {wanted}",
            )
        return decided(False, measured, note, "; ".join(causes) or None)


def difference_of(run, first, second):
    """Interval of the difference of two numbers of one run."""
    return run.each(lambda seed: seed[first] - seed[second])


def above_others(run, sl, number):
    """Intervals of how far an SL is above each of the others."""
    return [difference_of(run, key(sl, number), key(other, number)) for other in ALL if other != sl]


def lost_of_turns(name, kind, k, sls=ALL, digits=0):
    """What a turn of each SL loses where its queue always has packets, as the last head does not fit, in percent."""
    turns = {entry["queue"]: entry["weight"] for entry in arbiter_of(name, kind, k)["table"]}
    return "/".join(f"{100 * (turns[sl] % SIZES[sl]) / turns[sl]:.{digits}f}" for sl in sls)


def lost_in(runs, point):
    """The same of a plain table of these runs, numbers."""
    scenario = getattr(runs, "runs", runs).points(runs.size())[point]
    turns = {entry["queue"]: entry["weight"] for entry in scenario["arbiter"]["table"]}
    return [100 * (turns[sl] % SIZES[sl]) / turns[sl] for sl in ALL]


def quartile_distance(seed, sls=ALL):
    """Quartiles over hosts apart, sum over the SLs."""
    return sum(seed[key(sl, "hosts.q3")] - seed[key(sl, "hosts.q1")] for sl in sls)


def quartiles_more(runs, name):
    """Interval of how much farther apart they are when spread."""
    return paired(runs[f"{name}-spread"], runs[name], lambda a, b: quartile_distance(a) - quartile_distance(b))


def drop(runs, name, kind, number, sl):
    return 1 - runs[f"{name}.{kind}-spread"].mean(key(sl, number)) / runs[f"{name}.{kind}"].mean(key(sl, number))


def same_side(first, second):
    """An Interval above 0 where two others are on the same side of 0, below it where they are on different ones: that of the two which is
    closer to 0 for how far it reaches."""
    closer = min(first, second, key=lambda found: abs(found.mean) / found.half if found.half else math.inf)
    sign = 1 if first.mean * second.mean > 0 else -1
    return dataclasses.replace(closer, mean=sign * abs(closer.mean))


def apart(run, number):
    found = values(run, number)
    return max(found) / min(found)


def seed_apart(seed, number):
    return max(seed[key(sl, number)] for sl in ALL) / min(seed[key(sl, number)] for sl in ALL)


def less_apart(first, second, number):
    """Interval of how much less the largest SL is over the least in the first."""
    return paired(first, second, lambda a, b: seed_apart(b, number) - seed_apart(a, number))


def served(run, sls):
    return all(abs(run.mean(key(sl, "accepted")) - run.mean(key(sl, "offered"))) <= 0.003 for sl in sls)


def missing(seed, name, sl, number="accepted"):
    """The part of its share that an SL does not get."""
    return 1 - seed[key(sl, number)] / float(due(name)[sl])


def missing_of(run, name):
    return [run.each(lambda seed, sl=sl: missing(seed, name, sl)).mean for sl in ALL]


def favour(run, name, number="accepted"):
    """Interval of the rank correlation of the SL with what is missing of its share."""
    return run.each(lambda seed: spearman(list(ALL), [missing(seed, name, sl, number) for sl in ALL]))


def open_or_unknown(found, measured, note):
    """The verdict of Comparisons whose opposite nothing explains that was run."""
    if found:
        return agrees(measured, note)
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: "
        + (
            f"the difference is {found.left_open()}"
            if found.open
            else f"{UNKNOWN}; needs a run with one change that shows why"
        ),
    )


def outliers(seed, sls=ALL):
    """Hosts whose share is an outlier, 1.5 quartile distances outside the quartiles, of some SLs together."""
    return sum(seed[key(sl, side)] for sl in sls for side in ("below", "above"))
