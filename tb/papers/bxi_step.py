"""Rows of the BXIv3 paper's scenario step: Figs. 14 to 16."""

from bxi_claims import (
    ALL,
    NAMES,
    above_others,
    claim,
    deficits_over_basic,
    difference_of,
    differences,
    error_less,
    errors,
    favour,
    joined,
    key,
    less_apart,
    lost_in,
    lost_of_turns,
    missing,
    missing_of,
    off_share,
    open_or_unknown,
    outliers,
    plain_and_spread,
    points,
    quartile_distance,
    served,
    share_more,
    slope_more,
    spreading,
    us,
    values,
)
from bxi_networks import ARBITERS, CAUSES, OUTLIERS, SMALL_NETWORK, STEP_BASIC, STEP_DEFICIT, TWO_CHANGES, pgft
from bxi_tables import LOADS, due, row
from experiment import Comparisons, difference, hosts_of, paired
from rows import NOT_TESTABLE, Verdict, agrees

NO_MISFITS = "at k = 1024 turns of SL 0 to 3 lose nothing in either table, so spreading changes no shares"
claim(
    "bxi-142",
    "step, RR: SL 2 to 4 get what they generate",
    lambda runs: (served(runs["step.rr"], (2, 3, 4)), points(runs["step.rr"], "accepted", (2, 3, 4))),
)
claim(
    "bxi-143",
    "step, RR: SL 0 and SL 1 get less than they generate",
    lambda runs: (
        Comparisons(
            [
                runs["step.rr"].each(lambda s, sl=sl: s[key(sl, "accepted")] - s[key(sl, "offered")]).under(-0.003)
                for sl in (0, 1)
            ]
        ),
        f"{points(runs['step.rr'], 'accepted', (0, 1))} of {points(runs['step.rr'], 'offered', (0, 1), 0)}",
    ),
    cause="SL 0 alone is short: packets take turns, so whoever asks for less "
    "than the largest equal part gets it (max-min), and 28 % is less as long as the network carries 86 % or more",
)
claim(
    "bxi-144",
    "step: basic is more accurate than RR",
    lambda runs: (
        error_less(runs["step.basic"], runs["step.rr"], "step"),
        errors(runs["step.basic"], runs["step.rr"], "step"),
    ),
)
def more_lost(parts):
    """Whether what turns lose grows with the SL, and not in SL 4 alone."""
    return parts == sorted(parts) and parts[0] < parts[3]


claim(
    "bxi-145",
    "step, basic: the longer the packets the more is lost",
    lambda runs: (
        more_lost(lost_in(runs, "step.basic"))
        and Comparisons(
            [
                runs["step.basic"].each(
                    lambda s, sl=sl: missing(s, "step", sl + 1, "hosts.median") - missing(s, "step", sl, "hosts.median")
                )
                for sl in range(4)
            ]
        ),
        "medians missing "
        + joined(
            [runs["step.basic"].each(lambda s, sl=sl: missing(s, "step", sl, "hosts.median")) for sl in ALL], 2, 100
        )
        + " % of the share; a turn loses "
        + "/".join(f"{x:.1f}" for x in lost_in(runs, "step.basic"))
        + " % of its quantum, as the last head does not fit",
    ),
    "sim, PGFT, experiment synthetic-step-basic: each SL lacks more than the one before, and what is lost of quanta grows, too",
    base=STEP_BASIC,
    cause="packets of 16 to 64 flits divide their quanta at k = 1024, so SL 4 alone loses some (bxi-154)",
)
claim(
    "bxi-146",
    "step, basic: spreading brings medians closer",
    lambda runs: (
        error_less(runs["step.basic-spread"], runs["step.basic"], "step"),
        errors(runs["step.basic-spread"], runs["step.basic"], "step"),
    ),
)


@row("bxi-147", "step, basic: spreading takes outliers in")
def _():
    plain, spread = OUTLIERS["step.basic"], OUTLIERS["step.basic-spread"]
    fewer = Comparisons([paired(plain, spread, lambda a, b: outliers(a) - outliers(b))])
    return open_or_unknown(
        fewer,
        f"outliers, shares of all SLs together: spread {spread.each(outliers).text(0)}, plain {plain.each(outliers).text(0)} of {5 * hosts_of(pgft(OUTLIERS.size())):,}",
        "sim, PGFT, experiment synthetic-outliers: 1.5 quartile distances outside the quartiles",
    )


def by_medians(run):
    """Interval of the rank correlation of the SL with what is missing of its share in the median of hosts."""
    return favour(run, "step", "hosts.median")


@row("bxi-148", "step, deficits: more accurate than basic, whatever the packets")
def _():
    plain, basic = STEP_DEFICIT["step.deficit"], STEP_BASIC["step.basic"]
    accurate = error_less(plain, basic, "step") and off_share(STEP_DEFICIT, "step", "deficit") <= 1
    order = favour(plain, "step")
    measured = (
        errors(plain, basic, "step")
        + "; missing "
        + "/".join(f"{100 * x:.1f}" for x in missing_of(plain, "step"))
        + f" % of the share, rank correlation with the packets {order.text(2)}"
    )
    note = (
        "sim, PGFT, experiments synthetic-step-deficit and synthetic-step-basic: a smaller sum, each median within a point, and a rank correlation with what is missing of the share in the mean over hosts of 0.5 or less; "
        f"by the medians over hosts {by_medians(plain).text(2)}, on 64 hosts {favour(SMALL_NETWORK['step.deficit'], 'step').text(2)} and {by_medians(SMALL_NETWORK['step.deficit']).text(2)}"
    )
    if accurate and abs(order.mean) <= 0.5:
        return agrees(measured, note)
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}; {'it is more accurate, but' if accurate else 'and'} whether packet size still matters depends on a bound that the paper does not give: the order of five SLs decides",
    )


def spread_quartiles(runs):
    return [runs["step.deficit-spread"].each(lambda s, sl=sl: quartile_distance(s, [sl])).mean for sl in ALL]


claim(
    "bxi-149",
    "step, deficits, spread: little variance",
    lambda runs: (
        all(x <= 0.01 for x in spread_quartiles(runs)),
        f"quartiles apart {'/'.join(f'{100 * x:.2f}' for x in spread_quartiles(runs))} points",
    ),
)
claim(
    "bxi-150",
    "step, deficits: spreading raises the largest shares",
    lambda runs: (
        Comparisons(differences(runs["step.deficit-spread"], runs["step.deficit"], "hosts.max")),
        "maxima, spread less plain "
        + joined(differences(runs["step.deficit-spread"], runs["step.deficit"], "hosts.max"), 2, 100)
        + " points",
    ),
    "sim, PGFT, experiment synthetic-step-deficit: maxima over hosts; their 95th percentile, proposed besides, is not kept",
    base=STEP_DEFICIT,
)
claim(
    "bxi-151",
    "step, RR: SL 0 waits longest",
    lambda runs: (
        Comparisons(above_others(runs["step.rr"], 0, "packet_latency.mean")),
        us(runs["step.rr"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-152",
    "RR: SL 0 waits longer in step than in fair",
    lambda runs: (
        Comparisons([difference(runs["step.rr"], runs["fair.rr"], "sl0.packet_latency.mean")]),
        f"{runs['step.rr']['sl0.packet_latency.mean'].text(1, 0.001)} against {runs['fair.rr']['sl0.packet_latency.mean'].text(1, 0.001)} us",
    ),
)
claim(
    "bxi-153",
    "step, basic: SL 0 waits least",
    lambda runs: (
        Comparisons([x.under() for x in above_others(runs["step.basic"], 0, "packet_latency.mean")]),
        us(runs["step.basic"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-154",
    "step, basic: SL 0 gains bandwidth that SL 2 to 4 lose",
    lambda runs: (
        Comparisons(
            [
                share_more(runs["step.basic"], "step", 0),
                *(share_more(runs["step.basic"], "step", sl).under() for sl in (2, 3, 4)),
            ]
        ),
        f"shares of what is delivered {points(runs['step.basic'], 'share')}; of a link {points(runs['step.basic'], 'accepted')}",
    ),
    "sim, PGFT, experiment synthetic-step-basic",
    cause="packets of 16 to 64 flits divide their quanta at k = 1024, so SL 4 alone loses, to all others (backlogged 33.47/26.78/20.08/13.39/6.28 %, bxi-062); what SL 2 and 3 lack of a link is what the network does not carry",
    base=STEP_BASIC,
)
claim(
    "bxi-155",
    "step, basic: spreading brings means closer and raises SL 0's",
    lambda runs: (
        Comparisons(
            [
                less_apart(runs["step.basic-spread"], runs["step.basic"], "packet_latency.mean"),
                difference(runs["step.basic-spread"], runs["step.basic"], "sl0.packet_latency.mean"),
            ]
        ),
        plain_and_spread(runs, "step.basic", "packet_latency.mean"),
    ),
    cause=NO_MISFITS,
)
claim(
    "bxi-156",
    "step, basic: spreading lowers the largest latency",
    lambda runs: (
        Comparisons(
            [
                paired(
                    runs["step.basic-spread"],
                    runs["step.basic"],
                    lambda a, b: max(b[key(sl, "packet_latency.mean")] for sl in ALL)
                    - max(a[key(sl, "packet_latency.mean")] for sl in ALL),
                )
            ]
        ),
        f"largest mean {max(values(runs['step.basic-spread'], 'packet_latency.mean')) / 1000:.1f} against "
        f"{max(values(runs['step.basic'], 'packet_latency.mean')) / 1000:.1f} us",
    ),
    cause=NO_MISFITS,
)
claim(
    "bxi-157",
    "step, basic: spreading lowers SL 0's lower quartile and minimum",
    lambda runs: (
        Comparisons(
            [
                difference(runs["step.basic-spread"], runs["step.basic"], f"sl0.hosts.{what}").under()
                for what in ("q1", "min")
            ]
        ),
        ", ".join(
            f"{what} {difference(runs['step.basic-spread'], runs['step.basic'], f'sl0.hosts.{what}').text(2, 100, 'points')}"
            for what in ("q1", "min")
        ),
    ),
    "sim, PGFT, experiment synthetic-step-basic",
    cause=NO_MISFITS,
    base=STEP_BASIC,
)


def width(run, number="packet_latency.mean"):
    return max(values(run, number)) - min(values(run, number))


def equal_overload():
    """Why shares that are exact leave waits apart that no arbiter has ten times as far apart, by the paper's loads and shares."""
    grow = [1 - float(share) / (load / 100) for share, load in zip(due("step"), LOADS["step"], strict=True)]
    far = max(grow) - min(grow)
    if 10 * far <= 1:
        return None
    return (
        "the paper's own loads: SL 0 to 4 offer 1.05/1.05/1.05/1.125/1.2 of their shares (Table 6), so with exact shares, which deficits give, their waits grow with "
        + "/".join(f"{100 * x:.1f}" for x in grow)
        + f" % of the time that passes, {100 * far:.1f} points apart; as no wait grows with more than 100 %, no arbiter's are more than {1 / far:.1f} times as far apart"
    )


claim(
    "bxi-159",
    "step: deficits make latencies differ ten times less",
    lambda runs: (
        width(runs["step.deficit"]) <= 0.1 * width(runs["step.basic"]),
        f"largest less least mean: {width(runs['step.deficit']) / 1000:.1f} against {width(runs['step.basic']) / 1000:.1f} us, {width(runs['step.deficit']) / width(runs['step.basic']):.2f} times",
    ),
    "sim, PGFT; the paper's window is not known, but both grow with it",
    cause=equal_overload,
)


def over_others(runs, kind):
    """What spreading makes of SL 0's mean latency over that of the others."""
    spread, plain = (values(runs[f"step.{table}"], "packet_latency.mean") for table in (f"{kind}-spread", kind))
    return (spread[0] / sum(spread[1:])) / (plain[0] / sum(plain[1:]))


claim(
    "bxi-161",
    "step: spreading does not help SL 0's latency",
    lambda runs: (
        all(over_others(runs, kind) >= 0.9 for kind in ("basic", "deficit")),
        "SL 0 over the others, spread over plain: "
        + ", ".join(f"{NAMES[kind]} {over_others(runs, kind):.2f}" for kind in ("basic", "deficit"))
        + "; SL 0 alone "
        + ", ".join(
            f"{NAMES[kind]} {joined(spreading(runs, f'step.{kind}', 'packet_latency.mean', [0]))}"
            for kind in ("basic", "deficit")
        ),
    ),
    cause="it does, as Sect. 3.4 says it should and the paper's own fair shows (bxi-136), the more so the longer the turns",
)
claim(
    "bxi-162",
    "step, spread: SL 0 behind SL 1 on average, not at p99",
    lambda runs: (
        Comparisons(
            [
                difference_of(runs[f"step.{kind}-spread"], *names)
                for kind in ("basic", "deficit")
                for names in (
                    ("sl0.packet_latency.mean", "sl1.packet_latency.mean"),
                    ("sl1.packet_latency.p99", "sl0.packet_latency.p99"),
                )
            ]
        ),
        "deficits: "
        + us(runs["step.deficit-spread"], "packet_latency.mean", (0, 1))
        + ", p99 "
        + us(runs["step.deficit-spread"], "packet_latency.p99", (0, 1)),
    ),
    cause="SL 0 and SL 1 offer 1.05 of their shares alike and SL 0's turns come twice as often, so its mean is lower, too",
)
claim(
    "bxi-163",
    "step: SL 0's network latency depends on the arbiter",
    lambda runs: (
        max(x := [runs[f"step.{kind}"].mean("sl0.network_latency.mean") for kind in ARBITERS]) - min(x)
        > 0.2 * sum(x) / 5,
        ", ".join(
            f"{NAMES[kind]} {runs[f'step.{kind}'].mean('sl0.network_latency.mean') / 1000:.2f} us" for kind in ARBITERS
        ),
    ),
)
claim(
    "bxi-164",
    "step, basic: lower network latency of SL 0 and 1 than under RR",
    lambda runs: (
        Comparisons(differences(runs["step.rr"], runs["step.basic"], "network_latency.mean", (0, 1))),
        f"basic {us(runs['step.basic'], 'network_latency.mean', (0, 1))}, RR {us(runs['step.rr'], 'network_latency.mean', (0, 1))}",
    ),
    cause="under RR SL 1 gets all that it generates (bxi-143) and waits for nobody; a table that gives it 26.7 % of 28 % makes it wait",
)

claim(
    "bxi-165",
    "step: deficits hardly change the network latency of SL 2 to 4",
    lambda runs: (
        all(abs(x.mean - 1) < 0.2 for x in deficits_over_basic(runs, "step", "network_latency.mean", (2, 3, 4))),
        "deficits over basic " + joined(deficits_over_basic(runs, "step", "network_latency.mean", (2, 3, 4))),
    ),
)
claim(
    "bxi-166",
    "step, basic: spreading lessens the bias to short packets",
    lambda runs: (
        Comparisons([slope_more(runs["step.basic"], runs["step.basic-spread"], "network_latency.mean")]),
        plain_and_spread(runs, "step.basic", "network_latency.mean"),
    ),
    cause="a turn of SL 0 comes every 1,024 flits instead of 10,240 and SL 4's no more often (bxi-067), so spreading adds to the bias",
)
claim(
    "bxi-167",
    "step, deficits: spreading raises SL 2 to 4 and gains SL 0 and 1 little or nothing",
    lambda runs: (
        Comparisons(
            [
                x.over(bound)
                for x, bound in zip(spreading(runs, "step.deficit", "network_latency.mean"), (0.9, 0.9, 1, 1, 1), strict=True)
            ]
        ),
        "spread over plain " + joined(spreading(runs, "step.deficit", "network_latency.mean")),
    ),
    "sim, PGFT: SL 0 and 1 gain less than a tenth, or lose, and SL 2 to 4 rise",
)


def tails_stay(runs):
    """Whether spreading changes no 99th percentile by a tenth, and by how much it does, with basic and with deficits."""
    found = {kind: spreading(runs, f"step.{kind}", "network_latency.p99") for kind in ("basic", "deficit")}
    return (
        all(abs(x.mean - 1) < 0.1 for changes in found.values() for x in changes),
        "spread over plain " + ", ".join(f"{NAMES[kind]} {joined(changes)}" for kind, changes in found.items()),
    )


def short_turns():
    """What of it the turns of Table 1 give on 64 hosts."""
    runs = CAUSES["k = 100, as Table 1 has it,"]
    basic, deficits = (spreading(runs, f"step.{kind}", "network_latency.p99") for kind in ("basic", "deficit"))
    if not all(abs(x.mean - 1) < 0.1 for x in deficits):
        return ""
    return (
        f"; with k = 100 alone, as Table 1 has it, it leaves the tails of deficits alone there ({joined(deficits)}), not those of basic, whose spread turns of SL 0 lose "
        f"{lost_of_turns('step', 'basic-spread', 100, [0])} % as heads do not fit ({joined(basic)})"
    )


claim(
    "bxi-168",
    "step, p99 of the network latency: spreading is irrelevant",
    tails_stay,
    "sim, PGFT; p99 follows the means, as the row says, and these change (bxi-167)",
    needs=lambda: "a run with one change in which spreading leaves it alone"
    + "".join(f"; on 64 hosts it takes two, {name}" for name, runs in TWO_CHANGES.items() if tails_stay(runs)[0])
    + short_turns(),
)
