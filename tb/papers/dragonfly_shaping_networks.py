"""The dragonfly paper's networks of system-wide shaping: Table II, Figs. 3 to 6."""

from dragonfly import TABLE_2, paper
from dragonfly_networks import (
    classes,
    ends_of,
    hosts,
    longest_of,
    network,
    placed,
    series_of,
    slice_of,
    stall_series,
    stalls_of,
    uniform,
)

# A rank sends 1,000 messages where the paper's send 10,000.
MESSAGES, WINDOW_US = 1000, 64


def jobs(size, loads=(1, 1, 1, 1), placement=1, classes_of_jobs=(0, 1, 2, 3), messages=MESSAGES):
    count = hosts(size) // 4
    return [
        uniform(f"job{job}", classes_of_jobs[job], ranks, loads[job], messages=max(1, round(messages * loads[job])))
        for job, ranks in enumerate(placed(size, [count] * 4, placement))
    ]


def shaping(size="quick"):
    """Points of Table II's jobs and of what is changed of them."""
    run = {"warmup_us": 0, "measure_us": WINDOW_US}
    most = [(100, 100)] * 4
    swapped = [TABLE_2[0], TABLE_2[2], TABLE_2[1], TABLE_2[3]]
    inverted = [TABLE_2[1], TABLE_2[0], TABLE_2[2], TABLE_2[3]]

    def point(rates=TABLE_2, traffic=None, **keys):
        return network(size, classes(rates), traffic or jobs(size), run, **keys)

    return {
        "Table II": point(),
        "Table II, 400 messages": point(traffic=jobs(size, messages=400)),
        "minimal": point(routing="minimal"),
        "any difference": point(above=0),
        "threshold of 16 KiB": point(above=512),
        "all classes counted": point(congestion="all-classes"),
        "1 and 2 swapped": point(swapped),
        "placement 2": point(traffic=jobs(size, placement=2)),
        "placement 3": point(traffic=jobs(size, placement=3)),
        "contiguous": point(traffic=jobs(size, placement=None)),
        "jobs 0 and 3 swapped": point(traffic=jobs(size, classes_of_jobs=(3, 1, 2, 0))),
        "job 0 at 5 %": point(traffic=jobs(size, loads=(0.05, 1, 1, 1))),
        "priority alone": point(most),
        "60 % for class 0": point(inverted),
    }


def busy_of(ends):
    """Slices in which all four jobs are active, 5 to 22 us: the same window in runs of any length."""
    return [5 <= slice_of(end) <= 22 for end in ends]


def keep_shaping(report, tables):
    ends, got = ends_of(tables), series_of(tables)
    kept = {"ends_us": ends, "delivered": report["flits_delivered"] / report["flits_injected"], **stalls_of(report)}
    busy = busy_of(ends)
    for item in report["classes"]:
        name = item["name"]
        kept[f"{name}.got"] = got[name]
        kept[f"{name}.share"] = sum(value for value, on in zip(got[name], busy, strict=True) if on) / sum(busy)
        kept[f"{name}.end_us"] = max(end for end, value in zip(ends, got[name], strict=True) if value > 0)
        kept[f"{name}.flits"] = item["accepted"]
        kept.update(longest_of(item))
    for name, values in stall_series(tables).items():
        kept[name] = values
        kept[name.replace("series", "busy")] = sum(value for value, on in zip(values, busy, strict=True) if on)
    return kept


SHAPING = paper.experiment(
    "shaping",
    "Four equal jobs of a {hosts}-node dragonfly, 1,000 messages of 640 bytes from each rank at full rate, "
    "classes of Table II, progressive adaptive routing unless said otherwise.",
    lambda size: shaping(),
    {"quick": 6, "full": 6},
    keep=keep_shaping,
    tables=("series", "counter-series"),
)


SHAPING_WHOLE = paper.experiment(
    "shaping-whole",
    "Table II's jobs on {hosts} nodes with all 10,000 messages from each rank.",
    lambda size: {
        "Table II": network(
            "quick", classes(TABLE_2), jobs("quick", messages=10_000), {"warmup_us": 0, "measure_us": 1000}
        )
    },
    {"quick": 1, "full": 1},
    keep=lambda report, tables: {
        "delivered": report["flits_delivered"] / report["flits_injected"],
        **{f"{item['name']}.packets": item["packets"] for item in report["classes"]},
    },
)


def machine_shaping(size):
    """What Figs. 3 to 6 show and their reason."""
    points = shaping(size)
    return {point: points[point] for point in ("Table II", "Table II, 400 messages", "job 0 at 5 %", "1 and 2 swapped")}


# The same on the paper's machine: ten minutes each on one thread.
MACHINE_SHAPING = paper.experiment(
    "machine-shaping",
    "Table II's jobs on {hosts:,} nodes, 1,000 messages of 640 bytes from each rank unless said otherwise.",
    machine_shaping,
    {"quick": 1, "full": 2},
    keep=keep_shaping,
    tables=("series", "counter-series"),
    large=True,
)


def together(size="quick"):
    """Jobs of hosts that stand together, by minimal routes."""
    return {
        "contiguous, minimal": network(
            size, classes(TABLE_2), jobs(size, placement=None), {"warmup_us": 0, "measure_us": WINDOW_US}, "minimal"
        )
    }


TOGETHER = paper.experiment(
    "shaping-together",
    "The same jobs on contiguous nodes, minimal routes.",
    lambda size: together(),
    {"quick": 6, "full": 6},
    keep=keep_shaping,
    tables=("series", "counter-series"),
)


# Flits: any difference of queues; 1,024 bytes, as in all other points; 4, 16 and 64 KiB.
THRESHOLDS = (0, 32, 128, 512, 2048)


def by_threshold(jobs_stand, threshold):
    """The name of a point."""
    return f"{jobs_stand}, {32 * threshold} bytes"


def thresholds(size="quick"):
    """Table II's jobs, scattered and together, by how much more has to wait before adaptive routing diverts."""
    run = {"warmup_us": 0, "measure_us": 22}
    return {
        by_threshold(stand, above): network(size, classes(TABLE_2), jobs(size, placement=placement), run, above=above)
        for above in THRESHOLDS
        for stand, placement in (("random", 1), ("contiguous", None))
    }


def keep_shares(report, tables):
    return {
        name: value
        for name, value in keep_shaping(report, tables).items()
        if name.endswith(".share") or name.startswith("busy.")
    }


SHAPING_THRESHOLDS = paper.experiment(
    "shaping-thresholds",
    "Table II's jobs on {hosts} nodes, at random and contiguous, with other thresholds of adaptive routing, the first {measure_us} us.",
    lambda size: thresholds(),
    {"quick": 6, "full": 6},
    keep=keep_shares,
    tables=("series", "counter-series"),
)


def machine_shares(size):
    """Points of which a row needs only the shares of 5 to 22 us: the run ends there, after a third of the others' time."""
    points = {**shaping(size), **together(size)}
    return {
        point: {**points[point], "run": {"warmup_us": 0, "measure_us": 22}}
        for point in ("priority alone", "60 % for class 0", "contiguous", "minimal", "contiguous, minimal")
    }


MACHINE_SHARES = paper.experiment(
    "machine-shares",
    "Table II's jobs on {hosts:,} nodes with what a line names changed, the first {measure_us} us.",
    machine_shares,
    {"quick": 1, "full": 2},
    keep=keep_shares,
    tables=("series", "counter-series"),
    large=True,
)


def machine_placements(size):
    """What placement and priority do to the shares of 5 to 22 us."""
    points = shaping(size)
    return {
        point: {**points[point], "run": {"warmup_us": 0, "measure_us": 22}}
        for point in ("Table II", "placement 2", "placement 3", "jobs 0 and 3 swapped")
    }


MACHINE_PLACEMENTS = paper.experiment(
    "machine-placements",
    "Table II's jobs on {hosts:,} nodes with other placements, the first {measure_us} us.",
    machine_placements,
    {"quick": 2, "full": 4},
    keep=keep_shares,
    tables=("series", "counter-series"),
    large=True,
)
