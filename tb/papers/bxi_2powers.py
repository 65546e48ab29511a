"""Rows of the BXIv3 paper's scenario 2powers: Figs. 17 to 19."""

import math

from bxi_claims import (
    ALL,
    CLAIMS,
    NAMES,
    above_others,
    apart,
    claim,
    deficits_over_basic,
    differences,
    early_and_late,
    error,
    error_less,
    errors,
    joined,
    key,
    less_apart,
    lost_of_turns,
    open_or_unknown,
    outliers,
    points,
    quartile_distance,
    quartiles_more,
    rank,
    ranked,
    ratios,
    same_side,
    served,
    share_more,
    spreading,
    us,
    values,
)
from bxi_networks import (
    BASE,
    CAUSES,
    FAIR_1280,
    OUTLIERS_2POWERS,
    SHORT_TURNS,
    SHORT_WINDOW,
    SHORT_WINDOW_2POWERS,
    SHORT_WINDOW_300,
    SMALL,
    SMALL_NETWORK,
    TWO_POWERS_PLAIN,
    arbiter_of,
    pgft,
)
from bxi_tables import K, SIZES, SIZE_MIX, WEIGHTS, due, exact_shares, of, plain, row
from experiment import Comparisons, hosts_of, interval, paired
from rows import NOT_TESTABLE, Verdict, agrees, percent, same

claim(
    "bxi-169",
    "2powers, RR: more than 20 % only where the others leave it",
    lambda runs: (
        runs["2powers.rr"].mean("sl0.hosts.median") < 0.466 and served(runs["2powers.rr"], range(1, 5)),
        points(runs["2powers.rr"], "accepted"),
    ),
)


def at_its_share():
    """Of SL 1, in a shorter window and in the small network."""
    asked = CLAIMS["bxi-170"]
    (short, shorter), (few, _), (held, measured) = (
        asked(runs) for runs in (SHORT_WINDOW, SMALL_NETWORK, CAUSES["k = 160"])
    )
    if not held or not short.shown == few.shown == [0, 2, 3, 4]:
        return None
    backlogged = exact_shares(arbiter_of("2powers", "basic"), SIZE_MIX)
    return (
        f"two things. A plain turn of SL 0 is of {plain('2powers')[0][1]:,} flits, which costs it the more the later the window (bxi-257): in one of 200 us behind 40 it is above its share and SL 2 to 4 are below ({shorter}). "
        "SL 1 is at its share there and on 64 hosts, "
        + share_more(SMALL_NETWORK["2powers.basic"], "2powers", 1).text(2, 100)
        + f" points off: of what SL 2 and 4 lose to misfits at k = 1024 it gains {100 * float(backlogged[1] - due('2powers')[1]):.2f} (backlogged {percent(list(map(float, backlogged)))}, analyze). With k = 160 as the one change on these all five hold ({measured})"
    )


claim(
    "bxi-170",
    "2powers, basic: SL 0 and 1 above their shares, SL 2 to 4 below",
    lambda runs: (
        Comparisons(
            [
                *(share_more(runs["2powers.basic"], "2powers", sl) for sl in (0, 1)),
                *(share_more(runs["2powers.basic"], "2powers", sl).under() for sl in (2, 3, 4)),
            ]
        ),
        "shares of what is delivered " + points(runs["2powers.basic"], "share"),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain",
    cause=at_its_share,
    base=TWO_POWERS_PLAIN,
)


def long_less_short(runs):
    """How much more spreading changes what the less changed of SL 3 and 4 gets than the more changed of SL 0 and 1."""
    plain, spread = runs["2powers.basic"], runs["2powers.basic-spread"]
    change = [x.mean - 1 for x in spreading(runs, "2powers.basic", "hosts.median")]
    long, short = min((3, 4), key=lambda sl: abs(change[sl])), max((0, 1), key=lambda sl: abs(change[sl]))

    def size(a, b, sl):
        return (a[key(sl, "hosts.median")] / b[key(sl, "hosts.median")] - 1) * math.copysign(1, change[sl])

    return paired(spread, plain, lambda a, b: size(a, b, long) - size(a, b, short))


claim(
    "bxi-171",
    "2powers, basic: spreading changes long packets most",
    lambda runs: (
        Comparisons([long_less_short(runs)]),
        "medians, spread over plain " + joined(spreading(runs, "2powers.basic", "hosts.median"), 3),
    ),
    "sim, PGFT, 200 us behind 40, experiment synthetic-short-window-2powers: in later windows SL 0's plain turn of 16,384 flits costs it some of its share (bxi-257) and so makes up most of the change. "
    "SL 4 changes most, SL 3 no more than SL 1",
    base=SHORT_WINDOW_2POWERS,
    changes={"k = 300": SHORT_WINDOW_300},
)
claim(
    "bxi-173",
    "2powers: deficits are more accurate",
    lambda runs: (
        error_less(runs["2powers.deficit"], runs["2powers.basic"], "2powers"),
        errors(runs["2powers.deficit"], runs["2powers.basic"], "2powers"),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain",
    why=early_and_late,
    base=TWO_POWERS_PLAIN,
)
claim(
    "bxi-174",
    "2powers, deficits: spreading varies more and is no more accurate",
    lambda runs: (
        Comparisons([quartiles_more(runs, "2powers.deficit")], among=2)
        and not error_less(runs["2powers.deficit-spread"], runs["2powers.deficit"], "2powers", among=2),
        "quartiles apart, sum: "
        + " against ".join(
            runs[f"2powers.{kind}"].each(quartile_distance).text(2, 100)
            for kind in ("deficit-spread", "deficit")
        )
        + f" points; errors {error(runs['2powers.deficit-spread'], '2powers').text(2)} against {error(runs['2powers.deficit'], '2powers').text(2)}",
    ),
    cause=early_and_late,
)
claim(
    "bxi-175",
    "2powers, RR: SL 0 waits ten times longer or more",
    lambda runs: (
        Comparisons(
            [
                runs["2powers.rr"].each(
                    lambda s: s["sl0.packet_latency.mean"]
                    - 10 * max(s[key(sl, "packet_latency.mean")] for sl in range(1, 5))
                )
            ]
        ),
        f"{us(runs['2powers.rr'], 'packet_latency.mean')}: {values(runs['2powers.rr'], 'packet_latency.mean')[0] / max(values(runs['2powers.rr'], 'packet_latency.mean')[1:]):.0f} times",
    ),
    "sim, PGFT; the factor grows with the window, as SL 0 gets less than it offers (bxi-169)",
)
claim(
    "bxi-176",
    "2powers, basic: latencies of SL 2 to 4 above RR's",
    lambda runs: (
        Comparisons(differences(runs["2powers.basic"], runs["2powers.rr"], "packet_latency.mean", (2, 3, 4))),
        us(runs["2powers.basic"], "packet_latency.mean", (2, 3, 4))
        + " against "
        + us(runs["2powers.rr"], "packet_latency.mean", (2, 3, 4)),
    ),
)
claim(
    "bxi-177",
    "2powers, deficits: packet latencies alike",
    lambda runs: (
        apart(runs["2powers.deficit"], "packet_latency.mean") <= 1.5,
        us(runs["2powers.deficit"], "packet_latency.mean"),
    ),
    "sim, PGFT; all SLs offer 1.24 of their shares, so with exact shares all waits grow alike",
    why=early_and_late,
)


def alike(runs):
    """Whether spreading does the same to basic and deficits within 20 % and to the same side, and what it does."""
    found = {kind: spreading(runs, f"2powers.{kind}", "packet_latency.mean") for kind in ("basic", "deficit")}
    pairs = list(zip(*found.values(), strict=True))
    return (
        all(abs(basic.mean / deficit.mean - 1) <= 0.2 for basic, deficit in pairs)
        and Comparisons([same_side(basic.over(1), deficit.over(1)) for basic, deficit in pairs]),
        "; ".join(f"{NAMES[kind]} {joined(changes)}" for kind, changes in found.items()),
    )


claim(
    "bxi-178",
    "2powers: spreading does the same to both schedulers",
    alike,
    "sim, PGFT: within 20 % and to the same side, SL by SL",
)


@row("bxi-179", "2powers, p99: differences between schedulers and between tables, relevant as printed or not")
def _():
    pairs = [
        ("deficits over basic, plain", "deficit", "basic"),
        ("spread", "deficit-spread", "basic-spread"),
        ("spread over plain, basic", "basic-spread", "basic"),
        ("deficits", "deficit-spread", "deficit"),
    ]
    found = {
        what: ratios(BASE[f"2powers.{first}"], BASE[f"2powers.{second}"], "packet_latency.p99")
        for what, first, second in pairs
    }
    measured = "; ".join(f"{what} {joined(changes)}" for what, changes in found.items())
    relevant = [abs(x.mean - 1) > 0.2 for changes in found.values() for x in changes]
    note = "sim, PGFT, relevant being more than 20 %"
    if all(relevant) or not any(relevant):
        return agrees(measured, f"{note}: {'as printed' if all(relevant) else 'with the no that is missing'}")
    return Verdict(
        NOT_TESTABLE,
        measured,
        f"{note}: {sum(relevant)} of {len(relevant)} are, so it holds neither as printed, that each SL's differ, nor with a 'no', that none do. "
        "Which is meant, 'no' probably missing, and how much is relevant the paper does not say",
    )


claim(
    "bxi-180",
    "2powers, RR: SL 0 stalls most",
    lambda runs: (
        Comparisons(above_others(runs["2powers.rr"], 0, "network_latency.mean")),
        us(runs["2powers.rr"], "network_latency.mean"),
    ),
)
claim(
    "bxi-181",
    "2powers, basic: network latency rises with the SL",
    lambda runs: (
        rank(runs["2powers.basic"], "network_latency.mean") >= 0.9,
        us(runs["2powers.basic"], "network_latency.mean")
        + ", rank correlation "
        + ranked(runs["2powers.basic"], "network_latency.mean").text(2),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain: a rank correlation of 0.9 or more",
    base=TWO_POWERS_PLAIN,
    why=early_and_late,
)
claim(
    "bxi-182",
    "2powers, basic: spreading mitigates that",
    lambda runs: (
        Comparisons([less_apart(runs["2powers.basic-spread"], runs["2powers.basic"], "network_latency.mean")]),
        f"largest over least {apart(runs['2powers.basic-spread'], 'network_latency.mean'):.1f} against {apart(runs['2powers.basic'], 'network_latency.mean'):.1f}",
    ),
    cause="spreading gives SL 0 a turn every 1,024 flits and leaves SL 4 one every 30,720 (bxi-069): it makes the SLs differ, which is its purpose in Sect. 3.4",
)


def lowered(runs):
    """Comparisons of the latencies of SL 2 to 4, or False if all three are unchanged as the row reads it of SL 0 and 1: within 10 %."""
    found = Comparisons([x.under(1) for x in deficits_over_basic(runs, "2powers", "network_latency.mean", (2, 3, 4))])
    unchanged = all(x.above(-0.1) and x.below(0.1) and not x.above() for x in found.of)
    return found if not unchanged else False


claim(
    "bxi-183",
    "2powers: deficits lower the network latency of SL 2 to 4, not of SL 0 and 1",
    lambda runs: (
        lowered(runs)
        and all(abs(x.mean - 1) <= 0.1 for x in deficits_over_basic(runs, "2powers", "network_latency.mean", (0, 1))),
        "deficits over basic " + joined(deficits_over_basic(runs, "2powers", "network_latency.mean"), 3),
    ),
    "sim, PGFT, experiment synthetic-2powers-plain; unchanged is within 10 % by all intervals",
    cause=f"at k = 1024 basic loses {lost_of_turns('2powers', 'basic', 1024, (2, 3, 4), 1)} % of a turn of SL 2, 3 and 4 as heads do not fit, and a queue of 768 flits that stays full drains no slower for that; at 155 it loses {lost_of_turns('2powers', 'basic', 155, (2, 3, 4), 1)} %",
    base=TWO_POWERS_PLAIN,
)


def effect(runs, name):
    """By how much spreading changes a mean network latency, mean over SLs and schedulers, seed by seed."""
    of_seeds = zip(*(runs[f"{name}.{kind}"].seeds() for kind in ("basic-spread", "basic", "deficit-spread", "deficit")), strict=True)
    return [
        sum(
            abs(spread[key(sl, "network_latency.mean")] / plain[key(sl, "network_latency.mean")] - 1)
            for spread, plain in (seeds[:2], seeds[2:])
            for sl in ALL
        )
        / 10
        for seeds in of_seeds
    ]


def effects_less(effects):
    """Comparisons of what spreading does in fair and in step with what it does in 2powers; effects: by name, seed by seed."""
    return Comparisons(
        [interval([a - b for a, b in zip(effects[name], effects["2powers"], strict=True)]) for name in ("fair", "step")]
    )


def effects_told(effects):
    return ", ".join(f"{name} {interval(found).text(0, 100)} %" for name, found in effects.items())


def effects_of(runs):
    return {name: effect(runs, name) for name in WEIGHTS}


def planned_for_these():
    """What the tables do that the planner makes for the longest packets of these runs, if with them it holds."""
    if not BASE.size() == FAIR_1280.size() == SHORT_TURNS.size() == "full":
        return None
    tables = {name: FAIR_1280 if name == "fair" else SHORT_TURNS for name in WEIGHTS}
    packet = max(SIZES)
    same({name: of(name, "total_flits", packet)[-1] for name in WEIGHTS}, {**SMALL, "fair": 1280}, "k of these runs")
    effects = {name: effect(runs, name) for name, runs in tables.items()}
    if not effects_less(effects):
        return None
    other = effects_of(CAUSES["k = 300"])
    return (
        f"k = {K} in all three is ours: the paper has it in step alone, where `plan bxi` gives it for packets up to 320 flits (bxi-059). With its tables for packets up to {packet} flits, the longest here, in all three, "
        f"k = {', '.join(str(of(name, 'total_flits', packet)[-1]) for name in WEIGHTS)}, as the one change it holds ({effects_told(effects)}); with one k for all, 300, on 64 hosts it "
        f"{'does' if effects_less(other) else 'does not'} ({effects_told(other)})"
    )


claim(
    "bxi-184",
    "2powers: spreading matters less than in fair and step",
    lambda runs: (
        effects_less(effects_of(runs)),
        f"mean change of the network latency: {effects_told(effects_of(runs))}",
    ),
    cause=planned_for_these,
    across=True,
)


@row("bxi-172", "2powers, basic, spread: shares of SL 3 and 4 vary most")
def _():
    run = OUTLIERS_2POWERS["2powers.basic-spread"]
    return open_or_unknown(
        Comparisons([run.each(lambda seed: outliers(seed, (3, 4)) - outliers(seed, (0, 1, 2)))]),
        "hosts that are outliers, SL 0 to 4: "
        + "/".join(run.each(lambda seed, sl=sl: outliers(seed, [sl])).text(0) for sl in ALL)
        + f" of {hosts_of(pgft(OUTLIERS_2POWERS.size()))}",
        "sim, PGFT, experiment synthetic-outliers-2powers: SL 3 and 4 more than half of all, 1.5 quartile distances outside the quartiles",
    )
