"""The Cray paper's networks: the line and the ring of Fig. 4."""
from cray import paper

CYCLE_NS = 2  # a flit of 8 bytes at 4 GB/s; the true link is 9.4 % slower (row cray-20)
ALL_AGE = 0xffffffffffffffff
STAGING = 16


def age(ports, period, biases=None, select=ALL_AGE, variant="corrected"):
    """`biases` of the input ports; 1 everywhere unless said."""
    biases = biases or [1] * ports
    return {"policy": "seastar-age", "variant": variant, "queues": ports * 4, "vcs": 4, "max_packet_flits": 9, "req_age_bias": biases,
            "rsp_age_bias": biases, "age_clock_period": period, "age_rr_select": select}


def round_robin(ports):
    return {"policy": "rr", "queues": ports * 4, "max_packet_flits": 9}


def network(topology, arbiter, traffic, run, input_flits=96, staging=STAGING, delay_ns=20, **keys):
    """Sect. 1.2: 96 entries for each VC of an input, staging of 16, 15 cycles a router and 10 a wire."""
    return {"arbiter": arbiter, "network": {
        "topology": topology, "link": {"gbps": 32, "delay_ns": delay_ns}, "flit_bytes": 8,
        "switch": {"architecture": "seastar", "vcs": 4, "input_queue_flits": input_flits, "output_queue_flits": staging, "flow_control": "credit",
                   "pipeline": {"input": 0, "crossbar": 4, "output": 10}}, **keys},
        "traffic": traffic, "run": run}


# Fig. 4: all send to the last node.
def all_to_last(nodes, load=1.0, flits=9):
    return [{"name": "all", "queue": 0, "pattern": "hot-spot", "to": nodes - 1, "load": load, "message_bytes": 8 * flits}]


PERIODS = [1, 2, 4, 8, 18, 32]


def lines(size="quick"):
    run = {"warmup_us": 100, "measure_us": 300}

    def line(arbiter, nodes=8, run=run, load=1.0, flits=9, **keys):
        return network({"kind": "mesh", "dims": [nodes], "hosts_per_switch": 1}, arbiter, all_to_last(nodes, load, flits), run, **keys)

    def ring(arbiter, ties="up"):
        return network({"kind": "torus", "dims": [8], "hosts_per_switch": 1, "ties": ties}, arbiter, all_to_last(8), run, routing="dateline")

    long = {"warmup_us": 500, "measure_us": 3000}
    points = {"RR": line(round_robin(3)), "RR, one-flit packets": line(round_robin(3), flits=1),
              "RR, 4 nodes": line(round_robin(3), 4), "RR, 12 nodes": line(round_robin(3), 12, {"warmup_us": 800, "measure_us": 1500}, 0.52)}
    for period in PERIODS:
        points[f"age, period {period}"] = line(age(3, period))
    points["age, period 4096"] = line(age(3, 4096), run=long)
    points["age, no tick, bias 0"] = line(age(3, 2 ** 20, [0, 0, 0]))
    points["age, period 4096, bias 0"] = line(age(3, 4096, [0, 0, 0]), run=long)
    for period in (4, 8, 16):
        points[f"printed, period {period}"] = line(age(3, period, variant="printed"))
    # From cycle 0 on, so that latencies are of all packets that arrive, whatever their source's backlog.
    everything = {"warmup_us": 0, "measure_us": 1200}
    points["RR, 4 nodes, all packets"] = line(round_robin(3), 4, everything)
    points["RR, all packets"] = line(round_robin(3), 8, everything)
    points["RR, 12 nodes, all packets"] = line(round_robin(3), 12, {"warmup_us": 0, "measure_us": 2400}, 0.52)
    points["age, period 8, all packets"] = line(age(3, 8), 8, everything)
    points["age, period 4096, all packets"] = line(age(3, 4096), 8, {"warmup_us": 0, "measure_us": 6000})
    points["ring, RR"] = ring(round_robin(3))
    points["ring, age, period 8"] = ring(age(3, 8))
    return points


def groups_of(report):
    return report.get("counters", {}).get("switches", {}).get("age_group", [])


def keep_line(report, tables):
    got = [host["delivered_from"] for host in report["hosts"]][:-1]
    kept = {"shares": [value / sum(got) for value in got], "total": sum(got)}
    latency = report["classes"][0]["network_latency_ns"]
    if latency["mean"] is not None:
        kept.update({f"latency.{what}": latency[what] for what in ("mean", "p99", "max")})
    groups = groups_of(report)
    if groups:
        kept["groups"] = [value / sum(groups) for value in groups]
    return kept


LINES = paper.experiment("lines", "Fig. 4: nodes of a line, or of a ring, all send to the last one, packets of 9 flits, all queues full.",
                         lambda size: lines(), {"quick": 2, "full": 3}, keep=keep_line)

LOCKSTEP = paper.experiment("lockstep", "Fig. 4(a) by age, period 8, every port decided by the RTL and the reference.",
                            lambda size: {"age, period 8": network({"kind": "mesh", "dims": [8], "hosts_per_switch": 1}, age(3, 8), all_to_last(8),
                                                                   {"warmup_us": 50, "measure_us": 100})},
                            {"quick": 1, "full": 1}, engine="lockstep",
                            keep=lambda report, tables: {**{name: report[name] for name in ("decisions", "compared_decisions", "mismatches")},
                                                         **keep_line(report, tables)})
