"""The dragonfly paper's networks under congestion: what routing and classes do against it, and what uniform traffic does to links (Sects. II and IV-C)."""

from dragonfly import paper
from dragonfly_networks import NETWORK, ONE_CLASS, classes, global_port, hosts, network


def congestion(size="quick"):
    run = {"warmup_us": 10, "measure_us": 15}
    count, group = hosts(size), NETWORK[size]["switches"] * NETWORK[size]["hosts_per_switch"]
    equal = [(25, 25)] * 4

    def point(traffic, routing, arbiter=None):
        return network(size, arbiter or classes(equal), traffic, run, routing)

    def pair(queue):
        return [
            {
                "name": "hot",
                "queue": queue,
                "pattern": "permutation",
                "permutation": "shift",
                "shift": group,
                "load": 0.4,
                "message_bytes": 640,
            }
        ]

    def incast(queue):
        return [
            {
                "name": "hot",
                "queue": queue,
                "pattern": "hot-spot",
                "to": 0,
                "hosts": {"from": group, "to": count - 1, "every": 2},
                "load": 0.1,
                "message_bytes": 640,
            }
        ]

    light = {"name": "light", "queue": 0, "pattern": "uniform", "load": 0.02, "message_bytes": 160}
    everybody = {"name": "all", "queue": 0, "pattern": "uniform", "message_bytes": 640}
    return {
        "pair, minimal": point(pair(1), "minimal"),
        "pair, adaptive": point(pair(1), "adaptive"),
        "pair, one class": point(pair(0), "adaptive", ONE_CLASS),
        "incast, minimal": point(incast(1), "minimal"),
        "incast, adaptive": point(incast(1), "adaptive"),
        "incast, one class": point(incast(0), "adaptive", ONE_CLASS),
        "light alone": point([light], "minimal"),
        "light beside a full class": point([light, *incast(3)], "minimal"),
        "light below a full class": point([{**light, "queue": 3}, *incast(0)], "minimal"),
        "light in one class": point([light, *incast(0)], "minimal", ONE_CLASS),
        "uniform 100 %": point([{**everybody, "load": 1}], "minimal"),
        "uniform 20 %": point([{**everybody, "load": 0.2}], "minimal"),
        "permutation 20 %": point([{**everybody, "pattern": "permutation", "load": 0.2}], "minimal"),
    }


def keep_congestion(report, tables):
    kept = {}
    for item in report["classes"]:
        name = item["name"]
        kept[f"{name}.accepted"], kept[f"{name}.offered"] = item["accepted"], item["offered"]
        if item["packets"]:
            kept[f"{name}.mean"], kept[f"{name}.p99"] = (
                item["packet_latency_ns"]["mean"],
                item["packet_latency_ns"]["p99"],
            )
    used = [float(line["utilization"]) for line in tables["links"] if global_port("quick", line["from"])]
    kept["global.mean"], kept["global.max"] = sum(used) / len(used), max(used)
    return kept


CONGESTION = paper.experiment(
    "congestion",
    "A {hosts}-node dragonfly under hot spots, permutations and uniform traffic.",
    lambda size: congestion(),
    {"quick": 6, "full": 6},
    keep=keep_congestion,
    tables=("links",),
)
