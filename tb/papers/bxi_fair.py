"""Rows of the BXIv3 paper's scenario fair: Figs. 11 to 13."""

import dataclasses
import itertools

from bxi_claims import (
    ALL,
    NAMES,
    above_others,
    apart,
    claim,
    difference_of,
    drop,
    joined,
    key,
    lost_of_turns,
    open_or_unknown,
    plain_and_spread,
    points,
    quartile_distance,
    quartiles_more,
    rank,
    ratios,
    same_side,
    seed_apart,
    served,
    slope_more,
    slope_of,
    spreading,
    us,
    values,
)
from bxi_discards import port_log
from bxi_networks import ARBITERS, BASE, CAUSES, FAIR_BASIC, FAIR_DEFICIT, SMALL_NETWORK
from bxi_tables import SIZES, row
from experiment import Comparisons, difference, paired, ratio, spearman


def spread_of(run, number, sls=ALL):
    return run.each(lambda seed: max(seed[key(sl, number)] for sl in sls) - min(seed[key(sl, number)] for sl in sls))


claim(
    "bxi-115",
    "fair, RR: medians of SL 1 to 4 alike",
    lambda runs: (spread_of(runs["fair.rr"], "hosts.median", range(1, 5)).mean <= 0.01, points(runs["fair.rr"])),
)


def loaded_more():
    run = CAUSES["1.2 times the load"]["fair.rr"]
    return (
        "what one sample of Fig. 11 is, or the load at which SL 1 is short in some hosts alone. With 1.2 times the load on 64 hosts minima sink "
        f"({points(run, 'hosts.min')}; rank correlation {rank(run, 'hosts.min', range(1, 5)):.2f}), but medians are {100 * spread_of(run, 'hosts.median', range(1, 5)).mean:.2f} points apart, which the same sentence has alike"
    )


claim(
    "bxi-116",
    "fair, RR: least shares sink with the packets, medians of SL 1 to 4 alike",
    lambda runs: (
        rank(runs["fair.rr"], "hosts.min", range(1, 5)) >= 0.8
        and spread_of(runs["fair.rr"], "hosts.median", range(1, 5)).mean <= 0.01,
        f"minima {points(runs['fair.rr'], 'hosts.min')}; rank correlation with the SL {rank(runs['fair.rr'], 'hosts.min', range(1, 5)):.2f}",
    ),
    "sim, PGFT; SL 0 alone is short, and of SL 1 to 4 each host gets what it offers but for the few packets under way",
    needs=loaded_more,
)
claim(
    "bxi-117",
    "fair, RR: SL 0 gets least",
    lambda runs: (
        Comparisons(
            [
                runs["fair.rr"]
                .each(lambda s: s["sl0.hosts.median"] - min(s[key(sl, "hosts.median")] for sl in range(1, 5)))
                .under()
            ]
        ),
        points(runs["fair.rr"]),
    ),
)
claim(
    "bxi-118",
    "fair: RR favours long packets, basic short ones",
    lambda runs: (
        Comparisons(
            [
                slope_of(runs["fair.rr"], "hosts.median"),
                slope_of(runs["fair.basic"], "hosts.median").under(),
            ]
        ),
        f"points an SL: RR {slope_of(runs['fair.rr'], 'hosts.median').text(3, 100)}, basic {slope_of(runs['fair.basic'], 'hosts.median').text(3, 100)}",
    ),
)
claim(
    "bxi-119",
    "fair, basic: SL 4 gets less than 20 %",
    lambda runs: (
        Comparisons(
            [
                runs["fair.basic"]
                .each(lambda s: s["sl4.hosts.median"] - min(0.2, *(s[key(sl, "hosts.median")] for sl in range(4))))
                .under()
            ]
        ),
        points(runs["fair.basic"]),
    ),
)


def on_64_hosts(runs, kind):
    """What spreading adds to SL 4's median there, if these are the runs that decide."""
    if runs not in (FAIR_BASIC, FAIR_DEFICIT) or runs.size() != "full":
        return ""
    few = difference(SMALL_NETWORK[f"fair.{kind}-spread"], SMALL_NETWORK[f"fair.{kind}"], "sl4.hosts.median")
    return f"; on 64 hosts spreading adds {few.text(3, 100)} to its median"


claim(
    "bxi-121",
    "fair, basic: spreading makes SL 4's loss smaller",
    lambda runs: (
        Comparisons([difference(runs["fair.basic-spread"], runs["fair.basic"], "sl4.hosts.median")]),
        "points that SL 4 is short of 20 %: "
        + ", ".join(
            f"{what} {runs[f'fair.{kind}'].each(lambda s: 20 - 100 * s['sl4.hosts.median']).text(3)}"
            for what, kind in (("spread", "basic-spread"), ("plain", "basic"))
        )
        + ", "
        + difference(runs["fair.basic-spread"], runs["fair.basic"], "sl4.hosts.median").text(3, 100)
        + " less"
        + on_64_hosts(runs, "basic"),
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    base=FAIR_BASIC,
)
claim(
    "bxi-123",
    "fair, basic: spreading makes shares vary more over hosts",
    lambda runs: (
        Comparisons([quartiles_more(runs, "fair.basic")]),
        "quartiles apart, mean over SLs: "
        + " against ".join(
            runs[f"fair.{kind}"].each(quartile_distance).text(2, 20, "points")
            for kind in ("basic-spread", "basic")
        ),
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    base=FAIR_BASIC,
)
claim(
    "bxi-125",
    "fair, deficits: medians even",
    lambda runs: (
        Comparisons([runs["fair.deficit"].each(lambda s: seed_apart(s, "hosts.median") - 1).under(0.01)]),
        f"{points(runs['fair.deficit'])}; apart {spread_of(runs['fair.deficit'], 'hosts.median').text(2, 100, 'points')}, the largest over the least "
        + runs["fair.deficit"].each(lambda s: seed_apart(s, "hosts.median") - 1).text(2, 100, "%"),
    ),
)


def found_empty():
    """Of SL 4's turns at a port with deficits, spread and plain: how often in 1,000 cycles its queue is looked at and found empty."""
    counts = [port_log("fair", kind) for kind in ("deficit-spread", "deficit")]
    return [[1000 * found[what][4] / found["cycles"] for found in counts] for what in ("visits", "idle")]


def emptier(runs):
    """What the paper's reason says, by a port: the runs have no such counters."""
    spread, plain = found_empty()[1]
    return spread > plain


def looked_at():
    (spread, plain), (empty, empty_plain) = found_empty()
    if not (spread < plain and empty < empty_plain):
        return None
    return (
        f"SL 4 has one entry of 31 instead of one of 5, so a port looks at its queue {spread:.1f} times in 1,000 cycles instead of {plain:.1f}. "
        "That it gets less holds, the reason, that its queue is empty more often, does not (as bxi-124)"
    )


claim(
    "bxi-126",
    "fair, deficits: spreading lowers SL 4, whose queue is found empty more often",
    lambda runs: (
        emptier(runs)
        and Comparisons([difference(runs["fair.deficit-spread"], runs["fair.deficit"], "sl4.hosts.median").under()]),
        "median of SL 4 "
        + difference(runs["fair.deficit-spread"], runs["fair.deficit"], "sl4.hosts.median").text(3, 100, "points")
        + on_64_hosts(runs, "deficit")
        + (
            "; visits that find its queue empty, in 1,000 cycles of one port at the paper's load: spread {:.2f}, plain {:.2f}".format(*found_empty()[1])
            if runs is FAIR_DEFICIT
            else ""
        ),
    ),
    "sim, PGFT, experiment synthetic-fair-deficit",
    cause=looked_at,
    base=FAIR_DEFICIT,
)


def first_apart(run, number="packet_latency.mean"):
    found = values(run, number)
    return found[0] > 2 * max(found[1:]) and max(found[1:]) / min(found[1:]) <= 2


claim(
    "bxi-127",
    "fair, RR: SL 0 waits longest, no such gap among the others",
    lambda runs: (first_apart(runs["fair.rr"]), us(runs["fair.rr"], "packet_latency.mean")),
)


def waiting(run, flits=False, number="packet_latency.mean"):
    """Little: packets (flits) of each SL under way, a host."""
    return [
        run.mean(key(sl, "accepted")) / 1.28 * run.mean(key(sl, number)) / (1 if flits else SIZES[sl]) for sl in ALL
    ]


def first_short(run):
    """Whether all but SL 0 get what they offer."""
    return served(run, range(1, 5)) and not served(run, [0])


claim(
    "bxi-128",
    "fair, RR: packets pile up in SL 0",
    lambda runs: (
        waiting(runs["fair.rr"])[0] >= 2 * max(waiting(runs["fair.rr"])[1:])
        and max(waiting(runs["fair.rr"], True)) <= 2 * min(waiting(runs["fair.rr"], True)),
        "packets a host "
        + "/".join(f"{x:.0f}" for x in waiting(runs["fair.rr"]))
        + ", flits "
        + "/".join(f"{x:.0f}" for x in waiting(runs["fair.rr"], True)),
    ),
    "sim, PGFT: accepted rate x mean latency (Little); asked are twice as many packets as the next SL has, and flits of all SLs within a factor 2",
    cause=lambda: (
        "packets do pile up, but not as they are short: SL 0 alone is short of bandwidth (bxi-117), so what is not carried of it waits at hosts, in flits, too"
        if first_short(BASE["fair.rr"])
        else None
    ),
)
def steps_up(run, number):
    """Intervals of how much each SL is above the one before."""
    return [difference_of(run, key(sl + 1, number), key(sl, number)) for sl in range(4)]


def second_above_third(number):
    """Why latencies of basic do not rise with the SL, if SL 2 is the one that is above the next."""
    found = values(FAIR_BASIC["fair.basic"], number)
    if found[2] <= found[3]:
        return None
    return (
        "SL 2, whose turns packets of 48 flits do not fill at k = 1024, is above SL 3, whose packets of 64 do: as heads do not fit turns of SL 0 to 4 lose "
        f"{lost_of_turns('fair', 'basic', 1024)} %, spread {lost_of_turns('fair', 'basic-spread', 1024)}"
    )


claim(
    "bxi-129",
    "fair, basic: latency rises with the SL",
    lambda runs: (
        Comparisons(steps_up(runs["fair.basic"], "packet_latency.mean")),
        us(runs["fair.basic"], "packet_latency.mean"),
    ),
    "sim, PGFT, experiment synthetic-fair-basic: each SL above the one before",
    cause=lambda: second_above_third("packet_latency.mean"),
    base=FAIR_BASIC,
)
claim(
    "bxi-130",
    "fair, basic: short packets pile up less in the network",
    lambda runs: (
        Comparisons([difference(runs["fair.basic"], runs["fair.rr"], "sl0.network_latency.mean").under()]),
        f"SL 0's packets a host in the network: {waiting(runs['fair.basic'], number='network_latency.mean')[0]:.0f} against "
        f"{waiting(runs['fair.rr'], number='network_latency.mean')[0]:.0f}",
    ),
    "sim, PGFT: accepted rate x network latency (Little)",
)


def unlike(found):
    """The Interval of a difference on whose side nothing depends: above 0 where it is on either."""
    return dataclasses.replace(found, mean=abs(found.mean))


claim(
    "bxi-132",
    "fair, basic: spreading takes SL 4's jump away, and means differ among all SLs",
    lambda runs: (
        Comparisons(
            [
                ratio(runs["fair.basic-spread"], runs["fair.basic"], "sl4.packet_latency.mean").under(0.7),
                *above_others(runs["fair.basic"], 4, "packet_latency.mean"),
                *(
                    unlike(difference_of(runs["fair.basic-spread"], *(key(sl, "packet_latency.mean") for sl in pair)))
                    for pair in itertools.combinations(ALL, 2)
                ),
            ]
        ),
        "SL 4 spread over plain "
        + ratio(runs["fair.basic-spread"], runs["fair.basic"], "sl4.packet_latency.mean").text(2)
        + f"; means {plain_and_spread(runs, 'fair.basic', 'packet_latency.mean')}",
    ),
    "sim, PGFT, experiment synthetic-fair-basic",
    cause=lambda: "SL 4 has one entry in either table. As heads do not fit turns of SL 0 to 4 lose "
    f"{lost_of_turns('fair', 'basic', 1024)} % at k = 1024, spread {lost_of_turns('fair', 'basic-spread', 1024)}, so SL 4's jump stays; with k = 300 {lost_of_turns('fair', 'basic', 300)} and {lost_of_turns('fair', 'basic-spread', 300)}",
    base=FAIR_BASIC,
)
claim(
    "bxi-133",
    "fair, p99: it rises with the SL with and without spreading",
    lambda runs: (
        Comparisons(
            [x for kind in ("basic", "basic-spread") for x in steps_up(runs[f"fair.{kind}"], "packet_latency.p99")]
        ),
        "; ".join(
            f"{NAMES[kind]} {us(runs[f'fair.{kind}'], 'packet_latency.p99')}" for kind in ("basic", "basic-spread")
        ),
    ),
    "sim, PGFT, experiment synthetic-fair-basic: each SL above the one before",
    cause=lambda: second_above_third("packet_latency.p99"),
    base=FAIR_BASIC,
)
claim(
    "bxi-134",
    "fair, deficits: latency rises with the packets",
    lambda runs: (
        rank(runs["fair.deficit"], "packet_latency.mean") > 0.8,
        us(runs["fair.deficit"], "packet_latency.mean"),
    ),
)
claim(
    "bxi-135",
    "fair: waits in the network rise with the SL, more so with deficits than under RR",
    lambda runs: (
        Comparisons(
            [
                slope_more(runs["fair.deficit"], runs["fair.rr"], "network_latency.mean"),
                slope_of(runs["fair.deficit"], "network_latency.mean").over(1.28 * 16),
            ]
        ),
        f"deficits {us(runs['fair.deficit'], 'network_latency.mean')}, RR {us(runs['fair.rr'], 'network_latency.mean')}",
    ),
    "sim, PGFT; under RR, which does not know sizes, it is short packets that stall",
)


def mean_over(first, second, sl):
    return first[key(sl, "packet_latency.mean")] / second[key(sl, "packet_latency.mean")]


claim(
    "bxi-136",
    "fair, deficits: spreading lowers the means of SL 0 to 2 most",
    lambda runs: (
        Comparisons(
            [
                *(x.under(1) for x in spreading(runs, "fair.deficit", "packet_latency.mean", range(3))),
                paired(
                    runs["fair.deficit-spread"],
                    runs["fair.deficit"],
                    lambda a, b: min(mean_over(a, b, sl) for sl in (3, 4))
                    - max(mean_over(a, b, sl) for sl in range(3)),
                ),
            ]
        ),
        "spread over plain " + joined(spreading(runs, "fair.deficit", "packet_latency.mean")),
    ),
    "sim, PGFT, experiment synthetic-fair-deficit",
    base=FAIR_DEFICIT,
)
claim(
    "bxi-137",
    "fair, deficits: differences are larger at p99",
    lambda runs: (
        Comparisons(
            [
                runs[f"fair.{kind}"].each(
                    lambda s: seed_apart(s, "packet_latency.p99") - seed_apart(s, "packet_latency.mean")
                )
                for kind in ("deficit", "deficit-spread")
            ]
        ),
        "largest over least SL: "
        + ", ".join(
            f"{what} p99 {apart(runs[f'fair.{kind}'], 'packet_latency.p99'):.2f}, mean {apart(runs[f'fair.{kind}'], 'packet_latency.mean'):.2f}"
            for what, kind in (("plain", "deficit"), ("spread", "deficit-spread"))
        )
        + "; drop by spreading, SL 0 to 2: p99 "
        + "/".join(f"{100 * drop(runs, 'fair', 'deficit', 'packet_latency.p99', sl):.0f}" for sl in range(3))
        + " %, mean "
        + "/".join(f"{100 * drop(runs, 'fair', 'deficit', 'packet_latency.mean', sl):.0f}" for sl in range(3))
        + " %",
    ),
    "sim, PGFT, experiment synthetic-fair-deficit; by the ratio of the SLs, in either table; what spreading saves is a smaller part at p99, so read so it does not hold",
    base=FAIR_DEFICIT,
)


def latencies_alike(run):
    """Rank correlation of packet and network latencies of the SLs."""
    return spearman(values(run, "packet_latency.mean"), values(run, "network_latency.mean"))


def idle_ns(sl, hops=3):
    """An idle network's latency over `hops` switches: flits, wires, pipelines (docs/networks.md)."""
    return 1.28 * (SIZES[sl] + (hops + 1) * 20 + hops * 9)


def least_stalling(runs):
    """Network latency over an idle network's, the least of all arbiters and SLs."""
    return min(
        runs[f"fair.{kind}"].mean(key(sl, "network_latency.mean")) / idle_ns(sl) for kind in ARBITERS for sl in ALL
    )


claim(
    "bxi-138",
    "fair: network latency follows packet latency",
    lambda runs: (
        all(latencies_alike(runs[f"fair.{kind}"]) >= 0.8 for kind in ARBITERS),
        "rank correlation " + ", ".join(f"{NAMES[kind]} {latencies_alike(runs[f'fair.{kind}']):.2f}" for kind in ARBITERS),
    ),
)
claim(
    "bxi-139",
    "fair: network latency is mostly stalling",
    lambda runs: (
        least_stalling(runs) >= 2,
        f"least ratio to an idle network's {least_stalling(runs):.2f}",
    ),
)


def spread_orders(runs):
    """Rank correlation of the SLs' network latencies with basic and with deficits, spread."""
    return spearman(*(values(runs[f"fair.{kind}-spread"], "network_latency.mean") for kind in ("basic", "deficit")))


def spread_ratios(runs):
    return ratios(runs["fair.basic-spread"], runs["fair.deficit-spread"], "network_latency.mean")


claim(
    "bxi-140",
    "fair: spread, basic and deficits behave alike",
    lambda runs: (
        all(abs(x.mean - 1) < 0.2 for x in spread_ratios(runs)) and spread_orders(runs) >= 0.9,
        f"basic over deficits {joined(spread_ratios(runs))}, rank correlation {spread_orders(runs):.2f}",
    ),
)


@row("bxi-141", "fair, p99 of the network latency: spreading acts as on packet latency")
def _():
    runs = {
        f"fair.{kind}": found[f"fair.{kind}"]
        for found, kinds in ((FAIR_BASIC, ("basic", "basic-spread")), (FAIR_DEFICIT, ("deficit", "deficit-spread")))
        for kind in kinds
    }

    def drops(kind, what):
        return [x.under(1) for x in spreading(runs, f"fair.{kind}", f"{what}_latency.p99")]

    found = Comparisons(
        [
            same_side(*pair)
            for kind in ("basic", "deficit")
            for pair in zip(drops(kind, "network"), drops(kind, "packet"), strict=True)
        ]
    )
    return open_or_unknown(
        found,
        "drops by spreading: "
        + "; ".join(
            f"{NAMES[kind]} "
            + ", ".join(f"{what} {joined(drops(kind, what), 0, 100)} %" for what in ("network", "packet"))
            for kind in ("basic", "deficit")
        ),
        f"sim, PGFT, experiments synthetic-fair-basic and synthetic-fair-deficit; {len(found.shown)} of {len(found)} to the same side, {len(found.turned) or 'none'} to the other",
    )
