"""What holds of fair, step and 2powers together: Figs. 11 to 19 on the BXIv3 paper's page, and rows of its Sect. 5."""

import plots
from bxi_claims import ALL, CLAIMS, NAMES, claim, contradicted, drop, early_and_late, favour, key, missing_of, off_share, points, us, window_of_runs
from bxi_discards import port_log
from bxi_networks import (
    ARBITERS,
    BASE,
    CAUSES,
    LATE,
    LONGER,
    LONGER_80,
    MISFITS,
    RTL,
    SHORT_TURNS,
    SHORT_WINDOW,
    SMALL_NETWORK,
    STEP_BASIC,
    VARIANTS,
)
from bxi_tables import K, LOADS, WEIGHTS, due, paper
from experiment import Comparisons, Interval, ratio
from rows import holds

claim(
    "bxi-257",
    "deficits give accurate bandwidth",
    lambda runs: (
        all(off_share(runs, name, "deficit") <= 1 for name in WEIGHTS),
        "largest error of a median "
        + ", ".join(f"{name} {off_share(runs, name, 'deficit'):.2f}" for name in WEIGHTS)
        + " points",
    ),
    why=early_and_late,
)


def most_missing(runs, kind):
    return max(abs(part) for name in WEIGHTS for part in missing_of(runs[f"{name}.{kind}"], name))


def what_is_carried():
    """Why what deficits leave is in an order, if it is in none with more load."""
    more, base = CAUSES["1.5 times the load"], SMALL_NETWORK["fair.deficit"]
    if not CLAIMS["bxi-258"](more)[0]:
        return None
    lacking = "/".join(f"{100 * part:.1f}" for part in missing_of(base, "fair"))
    return f"fair offers each SL its share and no more, so what it lacks there is what the network does not carry, the more the longer its packets, {lacking} % on 64 hosts; with more load it is not, of which 1.5 times was chosen for this row"


claim(
    "bxi-258",
    "basic favours short packets, deficits do not",
    lambda runs: (
        all(abs(favour(runs[f"{name}.deficit"], name).mean) <= 0.5 for name in WEIGHTS)
        and Comparisons([favour(runs[f"{name}.basic"], name) for name in WEIGHTS]),
        "rank correlation of packet size and missing share: "
        + "; ".join(
            f"{NAMES[kind]} "
            + ", ".join(f"{name} {favour(runs[f'{name}.{kind}'], name).text(1)}" for name in WEIGHTS)
            + f", where at most {100 * most_missing(runs, kind):.1f} % of a share are missing or too many"
            for kind in ("basic", "deficit")
        ),
    ),
    "sim, PGFT: in each scenario above 0 for basic, within 0.5 for deficits",
    cause=what_is_carried,
    needs="a run with one change in which what deficits leave is in no order of the packets",
)


def least_of_due(runs):
    """The least part that deficits give an SL of its share, or of what it offers if that is less."""
    return min(
        runs[f"{name}.{kind}"].mean(key(sl, "accepted")) / min(float(due(name)[sl]), LOADS[name][sl] / 100)
        for name in WEIGHTS
        for kind in ("deficit", "deficit-spread")
        for sl in ALL
        if runs is not LATE or f"{name}.{kind}" in LATE.stored()["points"]  # which has no others of fair and step
    )


claim(
    "bxi-261",
    "nobody starves while SL 0 is favoured",
    lambda runs: (
        least_of_due(runs) >= 0.9,
        f"least part of what is due {least_of_due(runs):.3f}",
    ),
    why=early_and_late,
)


# --- the page -------------------------------------------------------------------------------------


def over_time():
    """What deficits give in 2powers, by the window."""
    lines = [
        "",
        f"**Deficits in 2powers hang on the window**, which the paper does not give, where turns are long. Stops are PFC's of SL 0 at the hosts, from the start of a run to the end of the window; {LATE.stored()['seeds']} seeds each.",
        "",
        "| table | window | median share, SL 0 to 4 | stops |",
        "| --- | --- | --- | --- |",
    ]
    for told, window, run in (
        ("plain, k = 1024", window_of_runs(SHORT_WINDOW), SHORT_WINDOW["2powers.deficit"]),
        ("plain, k = 1024", "200 us behind 600", LATE["2powers.deficit, before"]),
        ("plain, k = 1024", window_of_runs(BASE), BASE["2powers.deficit"]),
        ("plain, k = 1024", window_of_runs(LATE), LATE["2powers.deficit"]),
        ("plain, k = 1024", window_of_runs(LONGER), LONGER["2powers.deficit"]),
        ("spread, k = 1024", window_of_runs(LATE), LATE["2powers.deficit-spread"]),
        ("plain, k = 80", window_of_runs(LONGER_80), LONGER_80["2powers.deficit"]),
    ):
        stops = f"{run.mean('sl0.stops.host'):,.0f}" if "sl0.stops.host" in run else ""
        lines.append(f"| {told} | {window} | {points(run)} | {stops} |")
    return lines


def figure_of(name, scenario):
    text = []
    for number, title, unit, scale in (
        ("accepted", "bandwidth", "percent of a link", 100),
        ("packet_latency.mean", "mean packet latency", "us", 0.001),
        ("packet_latency.p99", "99th percentile of packet latency", "us", 0.001),
        ("network_latency.mean", "mean network latency", "us", 0.001),
    ):
        series = {
            NAMES[kind]: [
                Interval(
                    scale * BASE[f"{scenario}.{kind}"][key(sl, number)].mean,
                    scale * BASE[f"{scenario}.{kind}"][key(sl, number)].half,
                    3,
                )
                for sl in ALL
            ]
            for kind in ARBITERS
        }
        text.append(
            paper.figure(
                f"{scenario}-{number.replace('_', '-').replace('.', '-')}",
                f"{scenario}, {title}",
                plots.bars(f"{scenario}: {title}", unit, [f"SL {sl}" for sl in ALL], series, log=number != "accepted"),
            )
        )
    return text


@paper.section("Figs. 11 to 19: fair, step and 2powers on the PGFT")
def _():
    text = [
        "The paper's plots are lost; its text is judged below. "
        + BASE.told()
        + " Medians over hosts, latencies in us.",
        "",
        "| scenario | arbiter | median share, SL 0 to 4 | mean packet latency | p99 | mean network latency |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in WEIGHTS:
        text.append(f"| {name} | due | " + "/".join(f"{100 * float(share):.2f}" for share in due(name)) + " % | | | |")
        for kind in ARBITERS:
            run = BASE[f"{name}.{kind}"]
            text.append(
                f"| {name} | {NAMES[kind]} | {points(run)} | {us(run, 'packet_latency.mean')} | {us(run, 'packet_latency.p99')} | {us(run, 'network_latency.mean')} |"
            )
    text += [
        "",
        "**Whether spreading entries helps latency in step** depends on k, which the paper does not give. With k = 1024, as Table 2 has it, a plain turn of SL 0 is 5,120 flits, where "
        "a queue holds 768. Deeper queues change nothing. Spread over plain, mean packet latency of SL 0 to 4 with deficits:",
        "",
        "| | " + " | ".join(WEIGHTS) + " |",
        "| --- | --- | --- | --- |",
    ]
    full = BASE.size() == "full"
    on_small = "64 hosts, " if full else ""
    for label, runs in (
        ("k = 1024", BASE),
        *(
            (
                ("k = 320, 256 and 80", SHORT_TURNS),
                ("200 us behind 40", SHORT_WINDOW),
                ("64 hosts, 200 us behind 40", SMALL_NETWORK),
            )
            if full
            else ()
        ),
        *((f"{on_small}{name}", variant) for name, variant in VARIANTS.items()),
    ):
        if not label.endswith("as printed"):
            text.append(
                f"| {label} | "
                + " | ".join(
                    "/".join(f"{1 - drop(runs, name, 'deficit', 'packet_latency.mean', sl):.2f}" for sl in ALL)
                    for name in WEIGHTS
                )
                + " |"
            )
    text += over_time() if full else []
    text += [
        "",
        RTL.told(),
        "",
    ]
    for name in WEIGHTS:
        text += figure_of("figure", name)
    return "\n".join(text)


# --- what the summary says ------------------------------------------------------------------------


@paper.finding(1)
def _():
    kinds = ("deficit", "deficit-spread")
    best = max(
        off_share(BASE, name, kind) for name in WEIGHTS for kind in kinds if (name, kind) != ("2powers", "deficit")
    )
    plain, few, late = (off_share(runs, "2powers", "deficit", [0]) for runs in (BASE, SHORT_WINDOW, LATE))
    mended = max(
        off_share(SHORT_TURNS, "2powers", "deficit", [0]),
        off_share(LONGER_80, "2powers", "deficit", [0]),
        *(off_share(runs, "2powers", "deficit-spread", [0]) for runs in (BASE, LATE)),
    )
    turn = WEIGHTS["2powers"][0] * K
    of_basic = [f"bxi-{number}" for number in (145, 146, 153, 154, 155, 156, 157)]
    not_1024 = [
        row_id
        for row_id in of_basic
        if all(contradicted(CLAIMS[row_id](runs)[0]) for runs in (STEP_BASIC, SHORT_WINDOW))
    ]
    holds(
        MISFITS.size() == "full" and all(CLAIMS[row_id](MISFITS)[0] for row_id in of_basic) and len(not_1024) >= 4,
        "step with k = 300 and 1024",
    )
    faster = {
        name: [
            ratio(runs[f"{name}.deficit-spread"], runs[f"{name}.deficit"], "sl0.packet_latency.mean")
            for runs in (BASE, SHORT_TURNS)
        ]
        for name in ("fair", "step")
    }
    holds(
        BASE.size() == "full" and late > plain > 2 and few < 1 and mended < 0.5 and best < 0.5 and early_and_late(),
        "shares on 512 hosts",
    )
    holds(Comparisons([gain.under(1) for pair in faster.values() for gain in pair]), "spreading makes SL 0 faster")
    can, cannot = port_log("fair", "basic"), port_log("step", "basic")
    holds(sum(can["flits misfit"]) == 0 < min(can["flits idle"]), "turns that end empty")
    holds(sum(cannot["flits idle"]) == 0 < sum(cannot["flits misfit"]), "turns that are used up")
    return (
        f"**The size of a turn decides what BXIv3's tables do**, and the paper does not give it.\nWith k = 1024, as its Table 2 has it, a plain turn of SL 0 is of 1,024 to {turn:,} flits, where a queue holds 768. At a port that can send all that comes such turns end empty and nobody waits; at one that cannot they are used up, and only what heads do not fit is lost ([bxi-120, 158, 160](bxi.md)). "
        f"\nSpreading entries takes SL 0's mean latency with deficits to {faster['fair'][0].mean:.2f} of the plain table's in *fair* and {faster['step'][0].mean:.2f} in *step*, with shorter turns to "
        f"{faster['fair'][1].mean:.2f} and {faster['step'][1].mean:.2f} ([bxi-136, 161](bxi.md)).\nWhat the paper says of the scheme without deficits in *step* needs turns that end in misfits: seven "
        f"sentences hold together with k = 300, {len(not_1024)} of them not with 1024 ([bxi-145, 154 to 157](bxi.md)).\nAlgorithm 2 as printed reloads without the deficit and never clears "
        f"one: with the paper's own tables and packets it gives the shares of the scheme without deficits, elsewhere neither these nor what is due ([bxi-062, 051, 054](bxi.md)).\nTwo lines mended, the tables get what they ask for to {best:.1f} points on 512 hosts in a window of 1 ms behind 200 us, but for one: the plain table of *2powers* with k = 1024. There SL 0, whose turn is of {turn:,} flits, is "
        f"{few:.1f} points off its share in 200 us behind 40, {plain:.1f} in 1 ms behind 200 us and {late:.1f} in 200 us behind 1 ms, when PFC's stops have reached the hosts: a turn that is stopped ends with what is left of it. With shorter turns, or spread, it has its share to {mended:.1f}, as late, too. "
        "The paper gives no window, so what the window turns is not testable ([bxi-177, 257, 261](bxi.md))."
    )
