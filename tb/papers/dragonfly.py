"""The dragonfly paper (classes with two rates, three colours and priorities), row by row.

Rows here need no experiment of networks but for the taper; the others are in the modules that are imported at the end.
"""

import functools
import itertools
import random
import re

import command as q
import dragonfly_networks
from rows import Paper, agrees, decided, differs, holds, near, not_testable, percent, same

paper = Paper("dragonfly", "Dragonfly: traffic classes with two rates")
row = paper.row

# Assured and peak rates of classes 0 to 3, in percent.
TABLE_1 = [(20, 100), (45, 100), (35, 100), (0, 0)]
TABLE_2 = [(10, 10), (60, 60), (20, 20), (10, 10)]
TABLE_4 = [(5, 10), (30, 80), (20, 60), (5, 20)]


def trtcm(rates, packet=1, bursts=None, strict=True):
    """Classes of falling priority; rates in percent; packets of one flit unless said otherwise."""
    classes = []
    for priority, (assured, peak) in enumerate(rates):
        item = {"priority": priority, "assured_rate": assured / 100, "peak_rate": peak / 100}
        if bursts:
            item["assured_burst"], item["peak_burst"] = bursts
        classes.append(item)
    return {"policy": "trtcm", "queues": len(rates), "max_packet_flits": packet, "strict": strict, "classes": classes}


COLOUR = re.compile(r"queue (\d+) \(.*peak bucket .*: (green|yellow|red)$")


def coloured(config, events):
    """(decision, colour of each active class) for each arbitration."""
    result = []
    for d in q.decide(config, events, explain=True):
        found = dict((int(m.group(1)), m.group(2)) for line in d.told for m in [COLOUR.match(line)] if m)
        result.append((d, found))
    return result


def shares(rates, backlogged, decisions=2500, **keys):
    """Parts that the backlogged classes get of all packets."""
    order = q.winners(
        trtcm(rates, **keys), q.backlog([1 if c in backlogged else None for c in range(len(rates))], decisions)
    )
    return [order.count(c) / decisions for c in range(len(rates))]


def stalls(log, classes):
    """Green, yellow and red stalls of each class: it is active and does not win."""
    count = [[0, 0, 0] for _ in range(classes)]
    for d, colours in log:
        for c, colour in colours.items():
            if c != d.queue:
                count[c][("green", "yellow", "red").index(colour)] += 1
    return count


def at_loads(loads, cycles, seed):
    """Packets of each class at a steady load from a phase of their own on, and as many arbitrations as cycles."""
    rng, events = random.Random(seed), []
    due = [rng.random() for _ in loads]
    for cycle in range(cycles):
        for number, load in enumerate(loads):
            due[number] += load
            if due[number] >= 1:
                due[number] -= 1
                events.append(q.arrive(number, 1, cycle))
        events += q.arbs(1, cycle)
    return events


# --- the mechanism ----------------------------------------------------------------------------------


@row("dfly-1", "assured <= peak")
def _():
    holds(q.refused(trtcm([(30, 20)])), "30 over 20 is refused")
    same(q.refused(trtcm([(20, 20)])), None, "20 and 20")
    return agrees("30 over 20 refused", "decide")


def meter(assured, peak, bursts, lengths_at, cycles):
    """RFC 2698, colour-blind, in 1/65536 flits: colour of each packet that is sent; a red one pays nothing."""
    unit = 65536
    c, p = bursts[0] * unit, bursts[1] * unit
    colours = []
    for cycle in range(cycles):
        if cycle in lengths_at:
            need = lengths_at[cycle] * unit
            if p < need:
                colours.append("red")
            elif c < need:
                colours.append("yellow")
                p -= need
            else:
                colours.append("green")
                p -= need
                c -= need
        c, p = min(bursts[0] * unit, c + int(assured * unit + 0.5)), min(bursts[1] * unit, p + int(peak * unit + 0.5))
    return colours


@row("dfly-2", "red over the peak rate, yellow over the assured one, else green")
def _():
    log = coloured(trtcm([(20, 50)], bursts=(4, 4)), q.backlog([1], 200))
    found = [colours[0] for _, colours in log]
    same(found, meter(0.2, 0.5, (4, 4), {cycle: 1 for cycle in range(200)}, 200), "colours")
    return agrees(
        f"{found.count('green')} green, {found.count('yellow')} yellow, {found.count('red')} red of 200",
        "decide --explain: one class of 20 and 50 %, backlogged, as two buckets counted apart say",
    )


@row("dfly-3", "marked anew in every cycle")
def _():
    log = coloured(trtcm([(10, 10), (90, 90)]), q.backlog([1, 1], 20))
    seen = [colours[0] for _, colours in log]
    red = seen.index("red")
    green = seen.index("green", red)
    holds(all(d.queue == 1 for d, _ in log[red:green]), "the red head goes on waiting")
    same(log[green][0].queue, 0, "it goes when it is green")
    return agrees(f"a head waits as a red one for {green - red} cycles, then goes as a green one", "decide --explain")


@row("dfly-4", "a colour is local")
def _():
    config, arrived = trtcm([(10, 10)], packet=3), [(i % 3 + 1, i) for i in range(12)]
    first = coloured(config, [q.arrive(0, flits, age=age) for flits, age in arrived] + q.arbs(12))
    holds("red" in [colours[0] for _, colours in first], "red at the first hop")
    same([(d.flits, d.age) for d, _ in first], arrived, "what leaves is what came")
    for d, colours in first:
        if colours[0] == "red":
            ((_, there),) = coloured(config, [q.arrive(0, d.flits, age=d.age)] + q.arbs(1))
            same(there[0], "green", "at an idle second one")
    return agrees(
        "red at hop 1, green at an idle hop 2; length and age leave as they came",
        "decide --explain, two ports: these are all that an arbiter is told of a packet, and no colour is among them",
    )


def winner_by_rule(colours, last_red, classes):
    """Green by priority, then yellow by priority, then red in turn."""
    for colour in ("green", "yellow"):
        found = [c for c in sorted(colours) if colours[c] == colour]
        if found:
            return found[0]
    return (
        next((last_red + i) % classes for i in range(1, classes + 1) if (last_red + i) % classes in colours)
        if colours
        else -1
    )


@row("dfly-5", "green by priority, yellow by priority, red")
def _():
    rates = {"green": (10, 10), "yellow": (0, 10), "red": (0, 0)}
    for pattern in itertools.product(rates, repeat=4):
        ((d, colours),) = coloured(trtcm([rates[c] for c in pattern]), q.backlog([1] * 4, 1))
        same(tuple(colours[c] for c in range(4)), pattern, "colours")
        same(d.queue, winner_by_rule(colours, 3, 4), str(pattern))
    return agrees("81 of 81 patterns", "decide: four classes of every colour")


@row("dfly-6", "red classes take turns")
def _():
    order = q.winners(trtcm([(0, 0)] * 4), q.backlog([1] * 4, 400))
    same(order, [0, 1, 2, 3] * 100, "order")
    return agrees("25.0 % each, to the packet", "decide: four classes without rates, backlogged")


@row("dfly-7", "a class without credit is passed over")
def _():
    config = trtcm([(20, 20)] * 3)
    same(q.winners(config, q.backlog([1] * 3, 1) + [q.stop(0)]), [1], "class 0 stopped")
    return agrees("the next candidate wins in the same cycle", "decide: the highest green class stopped")


@row("dfly-8", "two buckets per class, filled at their limits")
def _():
    count = 1500
    log = coloured(trtcm([(5, 10), (30, 80)]), q.backlog([1, 1], count))
    green, coloured_ = [0, 0], [0, 0]
    for d, colours in log:
        green[d.queue] += colours[d.queue] == "green"
        coloured_[d.queue] += colours[d.queue] != "red"
    for c, (assured, peak) in enumerate(((5, 10), (30, 80))):
        holds(0 <= coloured_[c] - peak * count / 100 <= 5, f"class {c}: {coloured_[c]} green or yellow")
        holds(0 <= green[c] - assured * count / 100 <= 5, f"class {c}: {green[c]} green")
    return agrees(
        f"green {green[0]} and {green[1]}, green or yellow {coloured_[0]} and {coloured_[1]} of {count}",
        "decide --explain: rates 5/10 and 30/80 %, backlogged; rate and at most a burst of 4",
    )


def tokens(state):
    """(assured, peak) of each class, in flits."""
    text = state["tokens"]
    return [tuple(int(n) / 65536 for n in pair) for pair in re.findall(r"(\d+)/(\d+)", text)]


@row("dfly-9", "green and yellow pay a token from each bucket that has one")
def _():
    log = coloured(trtcm([(0, 50)]), q.backlog([1], 1))
    d, colours = log[0]
    same(colours[0], "yellow", "colour")
    same(tokens(d.state), [(0, 3)], "assured empty, peak 4 - 1")
    d, colours = coloured(trtcm([(50, 50)]), q.backlog([1], 1))[0]
    same((colours[0], tokens(d.state)), ("green", [(3, 3)]), "green pays from both")
    return agrees("yellow: peak 4 to 3; green: both 4 to 3", "decide --explain")


@row("dfly-10", "red costs nothing")
def _():
    log = coloured(trtcm([(10, 10)]), q.backlog([1], 40))
    for (before, _), (d, colours) in itertools.pairwise(log):
        if colours[0] == "red":
            same(tokens(d.state), tokens(d.before), f"cycle {d.cycle}")
    holds(any(colours[0] == "red" for _, colours in log), "red grants")
    return agrees("levels before and after a red grant are the same", "decide --explain")


@row("dfly-11", "at red both buckets are empty")
def _():
    config = trtcm([(20, 20)], packet=5, bursts=(9, 9))
    log = coloured(config, q.backlog([5], 2))
    d, colours = log[1]
    same(colours[0], "red", "the second packet of 5 flits")
    holds(tokens(d.before)[0][1] >= 4, "four tokens are there")
    rng, left, reds = random.Random(11), 0, 0
    for _ in range(3):
        assured = rng.randint(10, 30)
        events = [q.arrive(0, 1, cycle) for cycle in range(200) if rng.random() < 0.6] + q.arbs(200)
        for d, colours in coloured(trtcm([(assured, assured + 10)], bursts=(1, 1)), events):
            if colours.get(0) == "red":
                reds += 1
                left += tokens(d.before)[0][0] >= 1
    holds(left > 0, "red with an assured token left")
    for rates in ((10, 10), (0, 10)):
        for d, colours in coloured(trtcm([rates]), q.backlog([1], 100)):
            if colours.get(0) == "red":
                holds(all(level < 1 for level in tokens(d.before)[0]), "empty")
    return differs(
        f"4 tokens left before a red packet of 5 flits; an assured token left in {left} of {reds} red ones with rates apart",
        "true for packets of one token and, besides, equal rates and bursts or no assured rate (the change: 0 tokens left in every red case; decide --explain, "
        "seed 11)",
    )


@row("dfly-12", "any number of classes")
def _():
    rng, seen = random.Random(12), 0
    for classes in (1, 2, 4, 8, 16):
        rates = []
        for _ in range(classes):
            peak = rng.randint(0, 100 // classes)
            rates.append((rng.randint(0, peak), peak))
        events = []
        for cycle in range(60):
            events += [q.arrive(c, 1, cycle) for c in range(classes) if rng.random() < 1.2 / classes] + q.arbs(1, cycle)
        for d, colours in coloured(trtcm(rates), events):
            last = int(d.before["last_red"]) if d.before else classes - 1
            same(d.queue, winner_by_rule(colours, last, classes), f"{classes} classes, cycle {d.cycle}")
            seen += 1
    return agrees(
        f"1, 2, 4, 8, 16 classes: the rule in {seen} decisions", "decide --explain, random rates and arrivals (seed 12)"
    )


@row("dfly-14", "unused bandwidth goes to others")
def _():
    for rates in (TABLE_1, TABLE_2, TABLE_4):
        for pair in itertools.combinations(range(4), 2):
            order = q.winners(trtcm(rates), q.backlog([1 if c in pair else None for c in range(4)], 100))
            holds(-1 not in order, f"classes {pair}")
    return agrees("no idle cycle with any two of four classes", "decide, rates of Tables I, II, IV")


@row("dfly-15", "as RFC 2698")
def _():
    rng, checked = random.Random(15), 0
    for _ in range(4):
        assured = rng.randint(10, 40)
        peak = assured + rng.randint(0, 40)
        bursts = (rng.randint(5, 20), rng.randint(5, 20))
        lengths_at, events = {}, []
        for cycle in range(200):
            if rng.random() < 0.35:
                lengths_at[cycle] = rng.randint(1, 5)
                events += [q.arrive(0, lengths_at[cycle], cycle)]
            events += q.arbs(1, cycle)
        log = [(d, c) for d, c in coloured(trtcm([(assured, peak)], packet=5, bursts=bursts), events) if d.queue == 0]
        same([c[0] for _, c in log], meter(assured / 100, peak / 100, bursts, lengths_at, 200), "colours")
        checked += len(log)
    return agrees(
        f"{checked} packets coloured alike",
        "decide --explain against a meter of its own, colour-blind, random lengths (seed 15); a red packet is sent, not dropped",
    )


@row("dfly-16", "two applications in a class share its limits")
def _():
    order = shares(TABLE_2, {1, 2})
    near(order[1:3], [0.7, 0.3], 0.003, "shares")
    flows = [
        {
            "name": f"flow{host}",
            "queue": queue,
            "pattern": "hot-spot",
            "to": 3,
            "hosts": [host],
            "load": 1,
            "message_bytes": 160,
        }
        for host, queue in enumerate((1, 1, 2))
    ]
    run = q.sim(port(flows, trtcm(TABLE_2, packet=5), ports=4))["classes"]
    got = [flow["accepted"] / sum(other["accepted"] for other in run) for flow in run]
    near(got, [0.35, 0.35, 0.30], 0.001, "two flows in class 1, one in class 2")
    return agrees(
        percent(order[1:3], 1) + "; two flows in class 1 and one in class 2: " + percent(got, 1),
        "decide: classes 1 and 2 of Table II backlogged; 60 + 10 and 20 + 10, the red packets in turn. The flows: sim, three hosts at full rate to a fourth",
    )


@row("dfly-17", "with an assured rate no class starves")
def _():
    for rates in (TABLE_2, TABLE_4):
        found = shares(rates, {0, 1, 2, 3})
        holds(all(s >= a / 100 - 0.002 for s, (a, _) in zip(found, rates, strict=True)), "assured")
    over = shares([(50, 50), (40, 40), (20, 20), (10, 10)], {0, 1, 2, 3}, strict=False)
    near(over, [0.5, 0.4, 0.1, 0], 0.004, "120 % assured")
    return differs(
        "Tables II and IV: each at least its rate; 50/40/20/10 %: " + percent(over, 1),
        "holds only while the assured rates add to at most the link, which is never required; 120 instead of 100 %, the one change, starves the last (decide)",
    )


@row("dfly-18", "assured 0 may starve")
def _():
    same(shares(TABLE_1, {0, 1, 2, 3})[3], 0, "class 3")
    return agrees("0 packets", "decide: class 3 of Table I, others backlogged")


@row("dfly-21", "the peak rate bounds what a class gets at its priority")
def _():
    log = coloured(trtcm([(5, 10), (30, 80)]), q.backlog([1, 1], 800))
    wins = sum(d.queue == 0 and colours[0] != "red" for d, colours in log)
    holds(80 <= wins <= 84, f"{wins}")
    return agrees(f"{wins} green or yellow of 800 = 10 % + at most a burst", "decide --explain")


@row("dfly-22", "low limits of the low-latency class keep it from starving others")
def _():
    found = shares(TABLE_4, {0, 1, 2, 3}, 8000)
    near(found, [0.10, 0.65, 0.20, 0.05], 0.002, "shares")
    return agrees(percent(found, 1), "decide: Table IV, all four backlogged. No number is published")


# --- set-up -------------------------------------------------------------------------------------------


@row("dfly-24", "class 1 has the largest allocation")
def _():
    for rates in (TABLE_1, TABLE_2, TABLE_4):
        same(max(range(4), key=lambda c: rates[c][0]), 1, "largest assured rate")
        found = shares(rates, {0, 1, 2, 3}, 500)
        same(max(range(4), key=lambda c: found[c]), 1, "largest share")
    return agrees("class 1 in Tables I, II, IV", "decide: the largest share when all are backlogged")


def machine():
    """Of the scenario that the experiments of the paper's nodes run: nodes, routers, global links."""
    shape = dragonfly_networks.NETWORK["full"]
    routers = shape["groups"] * shape["switches"]
    return dragonfly_networks.hosts("full"), routers, routers * shape["global_links"]


@row("dfly-29", "nodes, routers, routers a group")
def _():
    shape, (nodes, routers, _) = dragonfly_networks.NETWORK["full"], machine()
    return decided(
        (nodes, routers, shape["switches"]) == (8320, 1040, 16),
        f"{routers:,} x {shape['hosts_per_switch']} = {nodes:,}; {shape['groups']} groups of {shape['switches']}",
        "arithmetic on the scenario of the machine's experiments",
    )


@row("dfly-30", "channels of a router")
def _():
    shape = dragonfly_networks.NETWORK["full"]
    links = shape["switches"] * shape["global_links"]
    return decided(
        (shape["hosts_per_switch"], shape["switches"] - 1, shape["global_links"]) == (8, 15, 4)
        and links == shape["groups"] - 1,
        f"{shape['hosts_per_switch']}; {shape['switches'] - 1} = {shape['switches']} - 1; {shape['global_links']}: {shape['switches']} x {shape['global_links']} = {links}, and {shape['groups']} groups",
        "arithmetic on the scenario of the machine's experiments: one link between any two groups",
    )


@row("dfly-31", "taper")
def _():
    nodes, links = 8320, 1040 * 4
    same(nodes / links, 2, "terminal to global")
    near(links / (nodes * (1 - 127 / 8319)), 0.508, 0.001, "most that uniform traffic can have")
    few, large = dragonfly_shaping_networks.SHAPING, dragonfly_shaping_networks.MACHINE_SHARES
    runs = [few["minimal"], *([large["minimal"]] if large.size() == "full" else [])]
    found = [run.each(lambda seed: sum(seed[f"job{job}.share"] for job in range(4))).mean for run in runs]
    holds(all(0.40 <= part <= 0.51 for part in found), "Table II's jobs by minimal routes")
    return agrees(
        "8 / 4 = 2; uniform traffic can have at most 50.8 % of injection, Table II's jobs at full rate have "
        + " and ".join(f"{100 * part:.1f} %" for part in found)
        + " by minimal routes",
        "arithmetic; sim, 144 nodes and the paper's" if len(found) > 1 else "arithmetic; sim, 144 nodes",
    )


def port(traffic, config, measure=200, flit=32, ports=2, gbps=200):
    return {
        "arbiter": config,
        "network": {
            "topology": {"kind": "single-switch", "ports": ports},
            "link": {"gbps": gbps, "delay_ns": 10},
            "flit_bytes": flit,
            "switch": {
                "input_queue_flits": 512,
                "output_queue_flits": 512,
                "crossbar_speedup": 2,
                "flow_control": "pfc",
            },
        },
        "traffic": traffic,
        "run": {"warmup_us": 10, "measure_us": measure, "seed": 1},
    }


@functools.cache
def uniform(load):
    return q.sim(
        port(
            [{"name": "ur", "queue": 0, "pattern": "uniform", "load": load, "message_bytes": 640}],
            trtcm([(100, 100)], packet=5),
            ports=8,
        )
    )


@row("dfly-33", "message of 640 bytes")
def _():
    run = uniform(0.2)
    c = run["classes"][0]
    flits = c["accepted"] * 8 * 200_000 / run["cycle_ns"]
    near(flits / c["packets"], 5, 0.1, "flits of 32 bytes a packet")
    return agrees("4 packets of 160 bytes", "sim: packets of 5 flits of 32 bytes, 20 flits a message")


@row("dfly-34", "load set by the delay between messages")
def _():
    c = uniform(0.2)["classes"][0]
    near(c["accepted"] / c["offered"], 1, 0.005, "accepted over offered")
    near(c["offered"], 0.2, 0.001, "offered")
    return agrees(percent([c["offered"], c["accepted"]]), "sim, 20 % alone, one switch")


@row("dfly-37", "Table I")
def _():
    same(q.refused(trtcm(TABLE_1)), None, "accepted")
    same(sum(a for a, _ in TABLE_1), 100, "sum")
    found = shares(TABLE_1, {0, 1, 2, 3})
    near(found, [a / 100 for a, _ in TABLE_1], 0.003, "shares")
    return agrees("20/45/35/0 add to 100", "decide: backlogged they get " + percent(found, 1))


# --- single port -----------------------------------------------------------------------------------------


@functools.cache
def figure_2():
    events = [q.arrive(c, 1) for c in range(4) for _ in range(1000)] + q.arbs(4000)
    return coloured(trtcm(TABLE_1), events)


@functools.cache
def order_2(rates=tuple(TABLE_1)):
    return q.winners(trtcm(rates), [q.arrive(c, 1) for c in range(4) for _ in range(1000)] + q.arbs(4000))


def ends():
    order = order_2()
    return [max(i for i, c in enumerate(order) if c == wanted) + 1 for wanted in range(4)]


@row("dfly-38", "packets of each flow")
def _():
    same([order_2().count(c) for c in range(4)], [1000] * 4, "packets")
    return agrees("4 x 1,000 sent", "decide")


@row("dfly-39", "at the start classes share at their assured rates")
def _():
    found = [order_2()[:2000].count(c) / 2000 for c in range(3)]
    near(found, [0.20, 0.45, 0.35], 0.005, "shares")
    return agrees(percent(found), "decide: first 2,000 packets, bursts of 4 packets")


@row("dfly-40", "class 3 gets nothing while the others send")
def _():
    same(order_2().index(3), 3000, "first packet of class 3")
    return agrees("its first packet is the 3,001st", "decide")


@row("dfly-41", "once 1 and 2 are done class 0 has everything")
def _():
    last = ends()[2]
    same(set(order_2()[last:3000]), {0}, "after class 2's last")
    return agrees(f"100 % from packet {last + 1} to 3,000", "decide")


@row("dfly-42", "between the ends of class 1 and class 2")
def _():
    between = order_2()[ends()[1] : ends()[2]]
    near([between.count(0) / len(between), between.count(2) / len(between)], [0.65, 0.35], 0.01, "shares")
    return not_testable(
        f"the plot is lost, and nothing is said of it in words; decide: {between.count(0)} packets of class 0 and {between.count(2)} of class 2, "
        "65/0/35/0 %, as class 1's 45 % go to class 0 by priority, which so rises in two steps"
    )


@row("dfly-43", "ends of the classes")
def _():
    found = ends()
    near(found, [3000, 2222, 2857, 4000], 8, "ends")
    return not_testable(
        f"the plot is lost; decide: class 1 ends at {found[1]}, 2 at {found[2]}, 0 at {found[0]}, 3 at {found[3]} packet times, a fluid at "
        "2,222, 2,857, 3,000, 4,000. What is said of the order in words: dfly-40, 41"
    )


@row("dfly-44", "class 3 can only send when the others are done, as their peak is 100 %")
def _():
    same(order_2().index(3), 3000, "with 100 %")
    first = order_2(((20, 90), (45, 90), (35, 90), (0, 0))).index(3)
    holds(first < 2950, "earlier with 90 %")
    return agrees(
        f"3,001st with a peak of 100 %, {first + 1}th with 90 %",
        "decide: with 90 % class 0 turns red when it is alone, and red classes take turns",
    )


@row("dfly-45", "the port is full while classes 0 to 2 send")
def _():
    holds(-1 not in order_2(), "no idle packet time")
    return agrees("4,000 packets in 4,000 packet times", "decide")


@row("dfly-46", "stalls by colour")
def _():
    found = stalls(figure_2(), 4)
    same([found[0][0], found[0][2], found[1][2], found[2][2]], [0, 0, 0, 0], "class 0 never green, 0 to 2 never red")
    same(found[3], [0, 0, 3000], "class 3")
    near([*found[0], *found[1], *found[2]], [0, 2000, 0, 227, 992, 0, 1512, 351, 0], 3, "counts")
    return not_testable(
        "the paper shows no stalls of the single port; decide --explain, green/yellow/red of 4,000 packet times: "
        + "class 0 {}, 1 {}, 2 {}, 3 {}".format(*("/".join(map(str, s)) for s in found))
    )


# --- system-wide shaping ------------------------------------------------------------------------------------


@row("dfly-47", "Table II")
def _():
    same(sum(a for a, _ in TABLE_2), 100, "sum")
    found = shares(TABLE_2, {0, 1, 2, 3})
    near(found, [a / 100 for a, _ in TABLE_2], 0.003, "shares")
    return agrees(percent(found, 1), "decide, backlogged; its column of jobs ends with 4 where 3 is meant")


def whole_jobs():
    """Table II's jobs as the paper has them, on its nodes."""
    return dragonfly_shaping_networks.jobs("full", messages=10_000)


@row("dfly-48", "messages per rank")
def _():
    job, whole = whole_jobs()[0], dragonfly_shaping_networks.SHAPING_WHOLE
    size, run = job["messages"] * job["message_bytes"], whole["Table II"]
    sent = dragonfly_networks.hosts("quick") // 4 * job["messages"] * job["message_bytes"] // 160
    came = [run.mean(f"job{number}.packets") for number in range(4)]
    return decided(
        came == [sent] * 4 and run.mean("delivered") == 1,
        f"{job['messages']:,} x {job['message_bytes']} B = {size / 1e6:.1f} MB a rank, {size * len(job['hosts']) / 1e9:.1f} GB a job; on 144 nodes {sum(came):,.0f} of {4 * sent:,} packets come",
        f"arithmetic on the scenario; experiment {whole.name}. Other runs have 400 or 1,000 messages a rank",
    )


@row("dfly-49", "all jobs offer double the global links")
def _():
    nodes, _, links = machine()
    rates = [nodes * 25 * whole_jobs()[0]["load"] / 1000, links * 25 / 1000]
    return decided(
        rates[0] / rates[1] == 2,
        f"{rates[0]:.0f} / {rates[1]:.0f} TB/s = {rates[0] / rates[1]:.2f}",
        "arithmetic on the scenario of the machine's experiments, at 25 GB/s",
    )


@row("dfly-50", "job 0's part of the system and of the global bandwidth")
def _():
    (nodes, _, links), job = machine(), whole_jobs()[0]
    parts = [len(job["hosts"]) / nodes, len(job["hosts"]) * job["load"] / links]
    return decided(
        parts == [0.25, 0.5],
        f"{len(job['hosts']):,} of {nodes:,} nodes = {percent(parts[0], 0)}; of {links:,} global links {percent(parts[1], 0)}",
        "arithmetic on the scenario of the machine's experiments",
    )


@row("dfly-51", "that exceeds class 0's rate")
def _():
    over = [50 > peak for _, peak in TABLE_2]
    same(over, [True, False, True, True], "classes over their rate")
    return agrees("50 > 10", "arithmetic; so for classes 2 and 3, not for class 1, whose 50 % are below its 60")


@row("dfly-57", "strict shaping by equal rates")
def _():
    without = shares(TABLE_2, {0, 2, 3})
    near([without[0], without[2], without[3]], [0.3, 0.4, 0.3], 0.004, "class 1 done")
    alone = shares(TABLE_2, {0, 3})
    near([alone[0], alone[3]], [0.5, 0.5], 0.004, "classes 1 and 2 done")
    full = shares(TABLE_2, {0, 1, 2, 3})
    near(full[0], 0.1, 0.003, "all backlogged")
    return differs(
        "class 0 gets 10 % with all backlogged, 30 % without class 1, 50 % without 1 and 2",
        "red packets take what is left, in turn, so equal rates are no limit; with all four backlogged, the one change, they look like one (decide, one port)",
    )


@functools.cache
def table_2_stalls(bursts=None):
    return stalls(coloured(trtcm(TABLE_2, bursts=bursts), q.backlog([1] * 4, 1000)), 4)


def in_networks(counter):
    """Of Table II's runs on 144 nodes and, where there are some, on the paper's: the counter's mean."""
    few, large = dragonfly_shaping_networks.SHAPING, dragonfly_shaping_networks.MACHINE_SHAPING
    runs = {"144 nodes": few, **({"8,320 nodes": large} if large.size() == "full" else {})}
    return {nodes: experiment["Table II"].mean(counter) for nodes, experiment in runs.items()}


def green_of_0():
    """In words: what switches of the networks count."""
    return " and ".join(f"{count:,.0f} ({nodes})" for nodes, count in in_networks("stalls.green.0").items())


@row("dfly-61", "class 0 is never stalled green")
def _():
    same(table_2_stalls()[0][0], 0, "green stalls")
    off_beat = ((9, 9), *TABLE_2[1:])  # with 10 % tokens for a packet are in when a packet ends
    for flits in (1, 5):
        same(counted_stalls(off_beat, flits)[0]["green", 0], 0, f"at arbitrations, packets of {flits} flits")
    one, five = (port_stalls(off_beat, flits)["green", 0] for flits in (1, 5))
    same(one, 0, "as a switch's port counts them, packets of one flit")
    networks = in_networks("stalls.green.0")
    return decided(
        five == 0 and not any(networks.values()),
        f"green stalls of class 0 as counted in Fig. 5's networks: {green_of_0()}; at one port in {percent(five, 1)} of the cycles; at arbitrations 0 of 4,000",
        "experiments shaping and machine-shaping; sim and decide --explain, one port, Table II with class 0 at 9 %, backlogged, packets of five flits",
        "a green head of class 0 never loses, but our counters take each cycle in which a head waits, so also those in which a class that has lost as a red one is green again and the wire is still busy; "
        f"with packets of one flit, the one change, one port counts {one:.0f}",
    )


@row("dfly-63", "no yellow stalls with equal rates")
def _():
    found = table_2_stalls()
    same([s[1] for s in found], [0] * 4, "yellow stalls")
    networks = [in_networks(f"stalls.yellow.{queue}") for queue in range(4)]
    same({count for counts in networks for count in counts.values()}, {0}, "yellow stalls in the networks")
    unequal = table_2_stalls((10, 40))
    holds(unequal[0][1] > 0, "with other burst sizes")
    return agrees(
        f"0 for all classes, at one port and in all switches of {' and of '.join(networks[0])}",
        f"decide --explain, packets of one flit; experiments shaping and machine-shaping; equal bursts are needed too: with a peak bucket of 40 over an assured one of 10 class 0 has {unequal[0][1]} yellow and "
        f"{unequal[0][2]} red stalls in 1,000",
    )


# --- low latency ---------------------------------------------------------------------------------------------


@row("dfly-73", "Table III")
def _():
    quiet, uniform_jobs = (found["full"] for found in (dragonfly_latency_networks.ALLREDUCE, dragonfly_latency_networks.UNIFORM))
    ranks = sum(quiet) + sum(uniform_jobs)
    same([uniform_jobs[0] / ranks, ranks], [0.5, machine()[0]], "UR-1's part and all")
    return decided(
        quiet == [32] * 4 + [256] * 2 and uniform_jobs == [4160, 1760, 1760],
        f"{' + '.join(map(str, quiet))} + {' + '.join(f'{count:,}' for count in uniform_jobs)} = {ranks:,}",
        "arithmetic on the scenario of the machine's experiments: UR-1 is half of the nodes",
    )


@row("dfly-74", "Table IV")
def _():
    same((sum(a for a, _ in TABLE_4), sum(p for _, p in TABLE_4)), (60, 170), "sums")
    same(q.refused(trtcm(TABLE_4)), None, "accepted")
    return agrees("assured add to 60, peak to 170 %", "decide accepts it")


@row("dfly-76", "injection of the UR jobs")
def _():
    rates = [nodes * 25 * load / 1000 for nodes, load in ((4160, 0.8), (1760, 0.6), (1760, 0.2))]
    near(rates, [83.2, 26.4, 8.8], 0.01, "TB/s")
    near([100 * r / 104 for r in rates], [80.0, 25.4, 8.5], 0.05, "percent of the global links")
    return agrees(
        "80/60/20 % = 83.2/26.4/8.8 TB/s = 80.0/25.4/8.5 % of the global links",
        "arithmetic: equal to the peak rates at NICs, on global links only UR-1's is",
    )


@row("dfly-77", "total offered")
def _():
    total = 4160 * 0.8 + 1760 * 0.6 + 1760 * 0.2
    near(total * 25 / 1000, 118.4, 0.01, "TB/s")
    near(100 * total / 4160, 113.9, 0.1, "percent")
    return not_testable(
        f"no total is published; Table III and the rates of IV-F make {total * 25 / 1000:.1f} TB/s = {100 * total / 4160:.1f} % of the global links: "
        "overloaded, which is not said"
    )


@row("dfly-86", "peak above assured lets priority hand out what is left")
def _():
    first = shares(TABLE_4, {1, 2, 3})
    near(first[1:], [0.75, 0.20, 0.05], 0.004, "Table IV")
    second = shares([(a, a) for a, _ in TABLE_4], {1, 2, 3})
    near(second[1:], [0.45, 0.35, 0.20], 0.004, "peak = assured")
    return agrees(
        percent(first[1:], 1) + "; with peak = assured " + percent(second[1:], 1),
        "decide: classes 1 to 3 of Table IV backlogged",
    )


def heavy_jobs():
    """(nodes, load) of the uniform jobs with the heavier background."""
    return list(zip(dragonfly_latency_networks.UNIFORM["full"], dragonfly_latency_networks.H_LOADS, strict=True))


@row("dfly-89", "UR-2 and UR-3 raised")
def _():
    links, each = machine()[2], [nodes * load for nodes, load in heavy_jobs()]
    same(each[1], each[2], "UR-2 and UR-3")
    near([each[1] * 25 / 1000, 100 * sum(each) / links], [35.2, 147.7], 0.05, "TB/s, and percent in all")
    return decided(
        [load for _, load in heavy_jobs()[1:]] == [0.8, 0.8],
        f"{100 * heavy_jobs()[1][1]:.0f} % = {each[1] * 25 / 1000:.1f} TB/s = {100 * each[1] / links:.1f} % each; {100 * sum(each) / links:.1f} % in all",
        "arithmetic on the scenario of the machine's experiments",
    )


@row("dfly-90", "classes 2 and 3 now exceed their peak rates")
def _():
    links, peaks = machine()[2], [peak for _, peak in TABLE_4[2:]]
    sent = [100 * load for _, load in heavy_jobs()[1:]]
    part = [100 * nodes * load / links for nodes, load in heavy_jobs()]
    holds(part[1] < peaks[0] and part[2] > peaks[1], "at global links")
    loads = (0.001, *(found / 100 for found in part))
    found = stalls(coloured(trtcm(TABLE_4), at_loads(loads, 2000, 90)), 4)
    same([s[2] for s in found], [0, 0, 0, 0], "red stalls")
    return decided(
        all(load > peak for load, peak in zip(sent, peaks, strict=True)),
        f"at NICs {sent[0]:.0f} > {peaks[0]} and {sent[1]:.0f} > {peaks[1]}; at global links {part[2]:.1f} > {peaks[1]} but {part[1]:.1f} < {peaks[0]}",
        "arithmetic on the scenario: of injection rates, as the sentence has it. Limits act at each port: on global links class 2 is below its peak, "
        "and one port at those loads has no red stall at all (decide --explain)",
    )


@row("dfly-95", "base of the 80 %")
def _():
    of_peak = [0.8 * peak for _, peak in TABLE_4[1:]]
    same([round(x) for x in of_peak], [64, 48, 16], "80 % of each peak")
    holds(all(x <= peak for x, (_, peak) in zip(of_peak, TABLE_4[1:], strict=True)), "none exceeds its peak")
    return differs(
        "80 % of the peak rates: 64/48/16 %, none above its peak",
        "the paper's own words disagree: Fig. 11 says of the peak rate, Fig. 12 of the link's, and the text that classes 2 and 3 "
        "exceed their peak rates, which only 80 % of the link's rate, the one change, does",
    )


@row("dfly-19", "higher priority means less queueing")
def _():
    waits = []
    for lone in range(4):
        draw = random.Random(19)
        arrivals = sorted(draw.sample(range(50, 19900), 200))
        events = [q.arrive(lone, cycle=cycle) for cycle in arrivals]
        events += [q.arrive(other) for other in range(4) if other != lone for _ in range(9000)]
        decisions = q.decide(trtcm([(20, 25)] * 4), events + q.arbs(20000))
        sent = [d.cycle for d in decisions if d.queue == lone]
        waits.append(sum(cycle - came for cycle, came in zip(sent, arrivals, strict=True)) / len(arrivals))
    holds(waits == sorted(waits) and waits[0] == 0 and waits[3] > waits[2] > waits[1], f"waits {waits}")
    return agrees(
        "/".join(f"{wait:.2f}" for wait in waits) + " packet times for priorities 0 to 3",
        "decide: a lone class at 1 % load (seed 19) beside three that are backlogged, rates 20 and 25 % for all",
    )


@row("dfly-32", "rates, delays, router and packet")
def _():
    scenario = dragonfly_networks.network(
        "quick",
        dragonfly_networks.classes(TABLE_4),
        [
            {
                "name": "one",
                "queue": 0,
                "pattern": "hot-spot",
                "to": 92,
                "hosts": [0],
                "message_bytes": 160,
                "burst": {"bytes": 160, "period_us": 1000},
            }
        ],
        {"warmup_us": 0, "measure_us": 3},
        "minimal",
    )
    latency = q.sim(scenario)["classes"][0]["packet_latency_ns"]["mean"]
    near(latency, 1340 + 6.4, 8, "latency")
    return agrees(
        f"{latency:.1f} ns over local, global, local links",
        "sim, idle: 4 x 300 + 4 x 10 + 100 + 6.4 ns = 1346.4, delays rounded up to flits of 1.28 ns",
    )


@functools.cache
def port_stalls(rates, flits):
    """Stalls by (colour, class) a cycle as a switch's port counts them, all classes backlogged with packets of so many flits."""
    report = q.sim(
        {
            "arbiter": trtcm(rates, packet=flits),
            "network": {
                "topology": {"kind": "single-switch", "ports": 5},
                "link": {"gbps": 400, "delay_ns": 0},
                "flit_bytes": 64,
                "switch": {"architecture": "input-queued", "input_queue_flits": 100, "flow_control": "credit"},
            },
            "traffic": [
                {
                    "name": f"c{i}",
                    "queue": i,
                    "pattern": "hot-spot",
                    "to": 4,
                    "hosts": [i],
                    "load": 1,
                    "message_bytes": 64 * flits,
                }
                for i in range(4)
            ],
            "run": {"warmup_us": 0, "measure_us": 5.12},
        }
    )
    values = report["counters"]["switches"]
    return {
        (colour, queue): values[f"{colour}_stalls"][queue] / report["cycles"]
        for colour in ("green", "yellow", "red")
        for queue in range(4)
    }


@functools.cache
def counted_stalls(rates, flits):
    """Stalls by (colour, class), all classes backlogged with packets of so many flits: by the definitions an arbitration, from a log of decisions
    whenever the wire is free, and as a switch's port counts them a cycle."""
    defined = dict.fromkeys(itertools.product(("green", "yellow", "red"), range(4)), 0)
    events = [q.arrive(queue, flits) for queue in range(4) for _ in range(4000)] + q.arbs(4000, step=flits)
    log = coloured(trtcm(rates, packet=flits), events)
    for d, colours in log:
        for queue, colour in colours.items():
            if queue == d.queue:
                continue
            above = [colours[other] for other in range(queue)]
            others = [found for other, found in colours.items() if other != queue]
            lost = {
                "green": "green" in above,
                "yellow": "green" in others or "yellow" in above,
                "red": "green" in others or "yellow" in others or colours[d.queue] == "red",
            }
            holds(lost[colour], f"a {colour} head of class {queue} lost to nobody that may pass it")
            defined[colour, queue] += 1 / len(log)
    return defined, port_stalls(rates, flits)


def stalls_row(row_id, colour, rule):
    @row(row_id, f"definition of a {colour} stall")
    def _():
        told, furthest = [], {1: 0, 5: 0}
        for name, rates in (("II", TABLE_2), ("IV", TABLE_4)):
            for flits in furthest:
                defined, counted = (
                    [found[colour, queue] for queue in range(4)] for found in counted_stalls(tuple(rates), flits)
                )
                furthest[flits] = max(
                    furthest[flits], *(abs(a - b) for a, b in zip(defined, counted, strict=True))
                )
                if flits == 5:
                    told.append(f"Table {name} {percent(counted, 1)} for {percent(defined, 1)}")
        holds(furthest[1] < 0.01, f"{colour} stalls with packets of one flit: {furthest[1]} apart")
        return decided(
            furthest[5] < 0.01,
            "a class's part of cycles as counted, for its part of arbitrations as defined, packets of five flits: "
            + "; ".join(told),
            f"sim's counters of classes 0 to 3, backlogged, and decide --explain: {rule}",
            "the counters take each cycle in which a head does not go, also those of a busy wire, in which nobody wins and a colour "
            f"can be another than when the wire was free; with packets of one flit, the one change, they are within {100 * furthest[1]:.1f} points of the definition",
        )


stalls_row("dfly-58", "green", "a higher class is green at each")
stalls_row("dfly-59", "yellow", "another class is green or a higher one yellow at each")
stalls_row("dfly-60", "red", "another class is green or yellow, or wins as a red one, at each")

import dragonfly_shaping_networks  # noqa: E402  experiments, which need what stands here; stored in this order
import dragonfly_latency_networks  # noqa: E402,F401
import dragonfly_congestion_networks  # noqa: E402,F401
import dragonfly_lockstep  # noqa: E402,F401
import dragonfly_sizes  # noqa: E402,F401  the rows that they decide; sections of the page in this order
import dragonfly_routing  # noqa: E402,F401
import dragonfly_shaping  # noqa: E402,F401
import dragonfly_latency  # noqa: E402,F401
import dragonfly_rates  # noqa: E402,F401
