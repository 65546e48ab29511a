"""The Omni-Path paper's switch (Sect. 2.2, Fig. 2): MPorts of four ports, two central buffers each, two crossbars."""

import functools

import command as q
from omni_path import paper
from rows import NOT_TESTABLE, Verdict, agrees, holds, near, same

row = paper.row
CYCLE_NS = 0.64  # a flit of 8 bytes at 12.5 GB/s
GMTU = 128  # flits
ROUND_ROBIN = {"policy": "rr", "queues": 1, "max_packet_flits": GMTU}


def switch(traffic, run, ports=48, arbiter=ROUND_ROBIN, flit_bytes=8):
    """Buffers of 65,536 bytes and central ones of as much again, all of them for one VL where there is one."""
    vls = arbiter["queues"]
    size = 65536 // flit_bytes // vls
    return {
        "arbiter": arbiter,
        "network": {
            "topology": {"kind": "single-switch", "ports": ports},
            "link": {"gbps": 100, "delay_ns": 25.6},
            "flit_bytes": flit_bytes,
            "switch": {
                "architecture": "hierarchical",
                "mport_ports": 4,
                "input_queue_flits": size,
                "central_queue_flits": size,
                "output_queue_flits": size,
                "crossbar_speedup": 3,
                "central_speedup": 4,
                "flow_control": "credit",
                "pipeline": {"input": 1, "crossbar": 1, "central": 1, "output": 1},
            },
        },
        "traffic": traffic,
        "run": {**run, "seed": 1},
    }


def stream(name, host, to, flits=GMTU, queue=0, load=1):
    return {
        "name": name,
        "queue": queue,
        "pattern": "hot-spot",
        "to": to,
        "hosts": [host],
        "load": load,
        "message_bytes": 8 * flits,
    }


def rates(pairs, ports=48, flits=GMTU):
    """Flits a cycle that arrive of each (from, to), all sources backlogged."""
    run = q.sim(
        switch([stream(f"{a} to {b}", a, b, flits) for a, b in pairs], {"warmup_us": 3, "measure_us": 6}, ports)
    )
    same(run["flits_lost"], 0, "lost")
    return [ports * item["accepted"] for item in run["classes"]]


def latency(source, to, flits=1, ports=48):
    """Cycles, of one message through an idle switch."""
    run = q.sim(
        switch([{**stream("one", source, to, flits), "messages": 1}], {"warmup_us": 0, "measure_us": 10}, ports)
    )
    return round(run["classes"][0]["network_latency_ns"]["mean"] / CYCLE_NS)


@row("opa-10", "an MPort's way to the centre: two links of three flits a cycle")
def _():
    both, one = rates([(0, 4), (1, 9), (2, 14), (3, 19)]), rates([(0, 4), (1, 8), (2, 12), (3, 16)])
    near(both, [1] * 4, 0.01, "two outputs of each parity")
    near(sum(one), 3, 0.03, "four even outputs")
    return agrees(
        f"{sum(both):.2f} flits a cycle from four inputs by both links, {sum(one):.2f} where all take one",
        "sim, hierarchical switch of 48 ports, messages of 1 KB; 3 x 12.5 GB/s each, 75 GB/s for both",
    )


@row("opa-11", "an MPort's crossbar: 4 inputs, 4 + 2 outputs")
def _():
    inside = rates([(0, 1), (1, 2), (2, 3), (3, 0)])
    near(inside, [1] * 4, 0.001, "four inputs to the four outputs")
    holds(latency(0, 1) == latency(0, 3) < latency(0, 4), "an MPort has four outputs")
    mixed = rates([(0, 1), (1, 0), (2, 4), (3, 9)])
    near(mixed, [1] * 4, 0.01, "two outputs and two links to the centre")
    return agrees(
        "its four outputs and two links to the centre carry four full inputs at once, however these are divided",
        "sim, hierarchical switch: 1.00 of each; a fifth input is in another MPort (opa-13), a third link is not there (opa-10)",
    )


@functools.cache
def links_to_the_centre(ports):
    """Of all MPorts: what four inputs get to outputs of one parity and to those of the other, in links of 3 flits a cycle, if all four
    get through to those of both."""
    found = 0
    for first in range(0, ports, 4):
        away = [port for port in range(ports) if port // 4 != first // 4]
        even, odd = ([port for port in away if port % 2 == parity][:4] for parity in (0, 1))

        def through(outputs):
            return sum(rates(list(zip(range(first, first + 4), outputs, strict=True)), ports))

        if abs(through(even[:2] + odd[:2]) - 4) <= 0.05:
            links = [through(of) / 3 for of in (even, odd)]
            found += sum(round(value) for value in links if abs(value - round(value)) <= 0.02)
    return found


@row("opa-12", "the central crossbar: 24 inputs, 48 outputs")
def _():
    found = {ports: links_to_the_centre(ports) for ports in (48, 28, 16)}
    same(found, {48: 24, 28: 14, 16: 8}, "links to the centre")
    shifted = [(host, (host + 4) % 48) for host in range(48)]
    through = rates(shifted)
    near(through, [1] * 48, 0.01, "48 outputs, all by the centre")
    return agrees(
        "24 links in and 48 outputs, which all run full by the centre at once; 14 : 28 and 8 : 16 with 28 and 16 ports",
        "sim, hierarchical switch: each MPort's links found by what they carry (opa-10)",
    )


@row("opa-13", "four ports an MPort; 0 to 3 stays inside, 0 to 5 crosses the centre")
def _():
    inside, across = latency(0, 3), latency(0, 5)
    for to in range(48):
        if to != 5:
            same(latency(5, to), inside if to // 4 == 1 else across, f"latency from 5 to {to}")
    holds(across > inside, "the centre costs time")
    return agrees(
        f"{across - inside} cycles more across MPorts; the same latency for all pairs within one and for all pairs of two",
        "sim, idle hierarchical switch, from port 5 to all others",
    )


@functools.cache
def all_to(port):
    run = q.sim(
        switch(
            [{"name": "all", "queue": 0, "pattern": "hot-spot", "to": port, "load": 1, "message_bytes": 8 * GMTU}],
            {"warmup_us": 200, "measure_us": 600},
        )
    )
    return [host["delivered_from"] for host in run["hosts"]]


@row("opa-14", "four inputs ask for a central buffer")
def _():
    near(rates([(host, 8) for host in range(4)]), [0.25] * 4, 0.02, "four inputs of an MPort to one output")
    near(rates([(host, 8) for host in range(3)]), [1 / 3] * 3, 0.02, "three inputs")
    near(sum(all_to(0)[4:8]), 1 / 14, 0.002, "what an MPort gets where all others want the same output")
    return agrees(
        "four inputs get a quarter each, three a third; beside all others the four together get one turn",
        "sim, hierarchical switch: all to one output",
    )


@row("opa-15", "an output hears 24 central buffers and four inputs")
def _():
    for port in (0, 1):
        expected = [0 if host == port else 1 / 14 if host // 4 == 0 else 1 / 56 for host in range(48)]
        near(all_to(port), expected, 0.001, f"shares of output {port}")
    return Verdict(
        NOT_TESTABLE,
        "1/14 for each of the other three inputs of its MPort, 1/56 for each of the 44 elsewhere: 11 central buffers and 3 inputs in turn",
        "sim, hierarchical switch, all to port 0 or 1: needs the rule by which a packet takes one of its MPort's two central buffers, which the paper does not give. Here it is the output's number "
        "mod 2, so an output never hears the 12 of the other parity; nor do its own MPort's central buffer and its own port's input ask. There are 12 x 2 + 4 = 28, as printed (opa-12)",
    )


def freed(first, second, centre, blocked_flits, flit_bytes=8):
    """Cycle in which a packet arrives that stands behind another one, which waits for an output that is taken for long."""
    taker = 8 if centre else 2
    size = 8192 // flit_bytes
    arbiter = {"policy": "rr", "queues": 1, "max_packet_flits": size}
    burst = {"period_us": 1000}
    blocked_bytes = flit_bytes * blocked_flits
    traffic = [
        {**stream("taker", taker, first), "message_bytes": 8192, "burst": {"bytes": 8192, **burst}},
        {
            **stream("blocked", 0, first),
            "message_bytes": blocked_bytes,
            "burst": {"bytes": blocked_bytes, "offset_us": 0.1, **burst},
        },
        {**stream("behind", 0, second, 16), "burst": {"bytes": 128, "offset_us": 0.3, **burst}},
    ]
    for item in traffic:
        del item["load"]
    run = q.sim(switch(traffic, {"warmup_us": 0, "measure_us": 5}, arbiter=arbiter, flit_bytes=flit_bytes))
    return round((run["classes"][2]["packet_latency_ns"]["mean"]) / CYCLE_NS)


MESSAGE_BYTES = (128, 256, 512, 1024)


@functools.cache
def held(flit_bytes, centre=False):
    """For how many of the paper's cycles a packet of each of MESSAGE_BYTES that is all there holds an MPort's crossbar, or the central one:
    those of a packet of one flit, one cycle of the switch, and by how much more the packet behind is later.
    """
    ways = (5, 7, True) if centre else (1, 3, False)
    one = freed(*ways, 1, flit_bytes)
    return [freed(*ways, size // flit_bytes, flit_bytes) - one + flit_bytes // 8 for size in MESSAGE_BYTES]


@row("opa-16", "speed of the crossbars")
def _():
    own = {flits: freed(1, 3, False, flits) for flits in (3, 128)}
    central = {flits: freed(5, 7, True, flits) for flits in (4, 128)}
    same((own[128] - own[3] + 1, central[128] - central[4] + 1), (43, 32), "cycles of a packet of 128 flits")
    return agrees(
        "43 and 32 cycles for 128 flits",
        "sim, hierarchical switch: what stands behind a packet that had to wait, and is all there, is that much later",
    )


@row("opa-17", "an input takes, and an output gives, a flit a cycle")
def _():
    for pairs in (
        [(host, host ^ 1) for host in range(48)],
        [(host, (host + 4) % 48) for host in range(48)],
        [(host, 0) for host in range(1, 48)],
    ):
        found = rates(pairs)
        got = {}
        for (_, to), rate in zip(pairs, found, strict=True):
            got[to] = got.get(to, 0) + rate
        near(list(got.values()), [1] * len(got), 0.01, "an output")
        holds(max(found) <= 1 + 1e-9, "an input above a flit a cycle")
    for outputs in ((1, 2), (4, 9)):
        near(sum(rates([(0, to) for to in outputs])), 1, 0.01, f"an input that has full streams for outputs {outputs}")
    return agrees(
        "1.00 from each full input and to each full output, inside, across and all to one; two full streams of one input get 1.00 together",
        "sim, hierarchical switch, crossbars three and four times as fast",
    )


def two_vls(weights):
    """Deficits at the outputs, with turns of so many GMTU for each of two VLs."""
    return {
        "policy": "bxi-deficit",
        "queues": 2,
        "max_packet_flits": GMTU,
        "table": [{"queue": queue, "weight": weight * GMTU} for queue, weight in enumerate(weights)],
    }


def by_host(weights):
    """What four inputs that want one output get of it, each with as much of two VLs; what either VL gets."""
    hosts = (0, 1, 4, 9)
    run = q.sim(
        switch(
            [stream(f"{host} {queue}", host, 8, queue=queue, load=0.5) for host in hosts for queue in (0, 1)],
            {"warmup_us": 100, "measure_us": 300},
            arbiter=two_vls(weights),
        )
    )
    got = {item["name"]: 48 * item["accepted"] for item in run["classes"]}
    return [got[f"{host} 0"] + got[f"{host} 1"] for host in hosts], [
        sum(got[f"{host} {queue}"] for host in hosts) for queue in (0, 1)
    ]


def by_vl(weights):
    """Packets of VL 0 for each of VL 1 that get through a full link to the centre, from each input of an MPort: 128 flits against 16."""
    flits, loads, hosts = (GMTU, 16), (0.8, 0.2), range(4)
    run = q.sim(
        switch(
            [
                stream(f"{host} {queue}", host, 4 * host + 4, flits[queue], queue, loads[queue])
                for host in hosts
                for queue in (0, 1)
            ],
            {"warmup_us": 100, "measure_us": 300},
            arbiter=two_vls(weights),
        )
    )
    got = {item["name"]: item["accepted"] for item in run["classes"]}
    return [got[f"{host} 0"] / flits[0] / (got[f"{host} 1"] / flits[1]) for host in hosts]


@row("opa-18", "both stages of allocation are round robin, without QoS")
def _():
    told, vls, packets = [], [], []
    for weights in ([1, 1], [4, 1], [1, 4]):
        inputs, shares = by_host(weights)
        near(inputs, [1 / 6, 1 / 6, 1 / 3, 1 / 3], 0.01 / 6, f"inputs with weights {weights}")
        told.append("/".join(f"{x:.3f}" for x in inputs))
        near(shares, [weight / sum(weights) for weight in weights], 0.02, f"VLs with weights {weights}")
        vls.append("/".join(f"{x:.2f}" for x in shares))
        packets += by_vl(weights)
    near(packets, [1] * len(packets), 0.01, "packets of VL 0 for one of VL 1")
    return agrees(
        "two inputs of one MPort, one of another and one of the output's own get "
        + ", ".join(told)
        + " with weights 1:1, 4:1 and 1:4 of the two VLs; where the link to the centre is short, an input's VLs send packet for packet, those of 128 flits and of 16, "
        f"to {100 * max(abs(x - 1) for x in packets):.2f} %, whatever the weights",
        "sim, hierarchical switch, bxi-deficit at the outputs, which divides an output by the weights: "
        + ", ".join(vls)
        + "; all to one output by one VL: opa-15",
    )
