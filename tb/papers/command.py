"""The command qosarb, driven as its users drive it: all that the rows of the papers are decided by."""

import csv
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOP / "tb" / "cli"))  # for whoever imports this first
QOSARB = TOP / "build/qosarb"


@dataclasses.dataclass
class Decision:
    """What an arbitration returned; `state` (text by name) only where it was asked for."""

    cycle: int
    queue: int
    flits: int
    age: int
    before: dict
    state: dict
    told: list  # lines of the explanation since the decision before


def run(*arguments):
    """Runs the command; returns (exit status, standard output, standard error)."""
    done = subprocess.run([str(QOSARB), *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def succeed(*arguments):
    status, out, err = run(*arguments)
    if status != 0:
        raise RuntimeError(f"qosarb {arguments[0]} ended with {status}: {err.strip()}")
    return out


def mapped(name):
    """The period in ns and the area in um2 of a block of docs/area-and-timing.md, mapped to sky130."""
    report = json.loads((TOP / "docs/data/synthesis-sky130_fd_sc_hd__tt_025C_1v80.json").read_text(encoding="utf-8"))[
        name
    ]
    return report["min_period_ns"], report["area_um2"]


def in_file(directory, name, text):
    path = pathlib.Path(directory) / name
    path.write_text(text)
    return path


def arrive(queue, flits=1, cycle=0, age=0):
    return (cycle, "arrive", queue, flits, age)


def stop(queue, cycle=0):
    return (cycle, "stop", queue, "", "")


def start(queue, cycle=0):
    return (cycle, "start", queue, "", "")


def arbs(count, first=0, step=1):
    return [(first + i * step, "arb", "", "", "") for i in range(count)]


def backlog(packets, arbitrations, most=None):
    """All queues have packets for `arbitrations` decisions; packets[q] is a length or a cycle of lengths.

    `most[q]`, where given, is a part of the decisions that the queue does not reach.
    """
    events = []
    for queue, lengths in enumerate(packets):
        if lengths is None:
            continue
        if isinstance(lengths, int):
            lengths = [lengths]
        count = arbitrations if most is None else min(arbitrations, int(arbitrations * most[queue]) + 600)
        events += [arrive(queue, lengths[i % len(lengths)]) for i in range(count)]
    return events + arbs(arbitrations)


STATE = re.compile(r"([a-z_]+)(?:\([^)]*\))?=(\[[^\]]*\]|\S+)")


def state_of(line):
    return {name: value for name, value in STATE.findall(line)}


def numbers(value):
    """The whole numbers of a state's value, such as [3 0 7]."""
    return [int(number) for number in re.findall(r"-?\d+", value)]


def _decided(how, arbiter, events, *options):
    """What `how`, run or succeed, gives of the command for a log of events, which need not be in order of cycle."""
    events = sorted(events, key=lambda event: (event[0], event[1] == "arb"))
    log = "".join(f"{c},{event},{queue},{flits},{age}\n" for c, event, queue, flits, age in events)
    with tempfile.TemporaryDirectory() as directory:
        config = in_file(directory, "config.yaml", json.dumps({"arbiter": arbiter}))
        rows = in_file(directory, "events.csv", "cycle,event,queue,flits,age\n" + log)
        return how("decide", *options, "--config", config, "--events", rows)


def decide(arbiter, events, explain=False, engine="model"):
    """The decisions of the reference, or of another engine, for such a log."""
    out = _decided(succeed, arbiter, events, "--engine", engine, *(["--explain"] if explain else []))
    decisions, before, after, told = [], {}, {}, []
    for line in out.splitlines():
        if line.startswith("#"):
            told.append(line[1:].strip())
            if "state before:" in line:
                before = state_of(line)
            elif "state after:" in line:
                after = state_of(line)
        elif line[0].isdigit():
            cycle, queue, flits, age = map(int, line.split(","))
            decisions.append(Decision(cycle, queue, flits, age, before, after, told))
            told = []
    return decisions


def winners(arbiter, events, engine="model"):
    return [decision.queue for decision in decide(arbiter, events, engine=engine)]


def shares(arbiter, packets, arbitrations):
    """Parts of all flits that each queue gets, all of them backlogged."""
    sent = [0] * arbiter["queues"]
    for decision in decide(arbiter, backlog(packets, arbitrations)):
        if decision.queue >= 0:
            sent[decision.queue] += decision.flits
    return [flits / sum(sent) for flits in sent]


def refused(arbiter, *events):
    """The fault that the command finds in the arbiter or in events before a decision, or None if it takes them."""
    status, _, err = _decided(run, arbiter, [*events, *arbs(1)], "--engine", "model")
    if status == 0:
        return None
    if status != 2:
        raise RuntimeError(f"status {status}: {err.strip()}")
    return err.strip().rsplit(": ", 1)[-1] if ": " in err else err.strip()


def plan(method, **keys):
    with tempfile.TemporaryDirectory() as directory:
        spec = in_file(directory, "spec.yaml", json.dumps({"plan": {"method": method, **keys}}))
        return json.loads(succeed("plan", spec, "--json"))


def plan_table(method, **keys):
    """The `arbiter` section that a plan ends in, as text."""
    with tempfile.TemporaryDirectory() as directory:
        spec = in_file(directory, "spec.yaml", json.dumps({"plan": {"method": method, **keys}}))
        return succeed("plan", spec, "--yaml")


def plan_refused(method, **keys):
    with tempfile.TemporaryDirectory() as directory:
        spec = in_file(directory, "spec.yaml", json.dumps({"plan": {"method": method, **keys}}))
        status, _, err = run("plan", spec, "--json")
    return err.strip() if status == 2 else None


def analyze(arbiter, *options):
    with tempfile.TemporaryDirectory() as directory:
        config = in_file(directory, "config.yaml", json.dumps({"arbiter": arbiter}))
        return json.loads(succeed("analyze", config, "--json", *options))


def sim(scenario, *options):
    with tempfile.TemporaryDirectory() as directory:
        path = in_file(directory, "scenario.yaml", json.dumps(scenario))
        return json.loads(succeed("sim", path, "--json", "--engine", "model", *options))


def sim_tables(scenario, *names):
    """The report of a run and, by name, the lines of the files of its --csv."""
    with tempfile.TemporaryDirectory() as directory:
        report, tables = sim(scenario, "--csv", directory), {}
        for name in names:
            with open(pathlib.Path(directory) / f"{name}.csv", newline="") as file:
                tables[name] = list(csv.DictReader(file))
    return report, tables


def lanes_of(scenario):
    """Of a run: packets by VL of each port of its switches, and flits by SL of each link that carries any, by their names."""
    _, tables = sim_tables(scenario, "counters", "link-flits")
    by_vl, by_sl = {}, {}
    for line in tables["counters"]:
        if line["counter"] == "vc_packets" and int(line["value"]):
            by_vl.setdefault(line["port"], {})[int(line["of"])] = int(line["value"])
    for line in tables["link-flits"]:
        if int(line["flits"]):
            by_sl.setdefault(line["from"], {})[int(line["service_level"])] = int(line["flits"])
    return by_vl, by_sl


def ring(mapped, traffic):
    """A ring of 12 hosts with a dateline, packets by age; `mapped`: for each SL the VLs of either stage."""
    vcs = len({vl for sl in mapped for stage in sl for vl in stage})
    return {
        "arbiter": {
            "policy": "seastar-age",
            "queues": 3 * vcs,
            "vcs": vcs,
            "max_packet_flits": 4,
            "age_clock_period": 100,
            "age_rr_select": 2**64 - 1,
        },
        "network": {
            "topology": {"kind": "torus", "dims": [12], "hosts_per_switch": 1},
            "routing": "dateline",
            "virtual_channels": [[list(stage) for stage in sl] for sl in mapped],
            "link": {"gbps": 100, "delay_ns": 25},
            "flit_bytes": 64,
            "switch": {
                "architecture": "seastar",
                "vcs": vcs,
                "input_queue_flits": 128,
                "output_queue_flits": 16,
                "flow_control": "credit",
            },
        },
        "traffic": traffic,
        "run": {"warmup_us": 0, "measure_us": 20, "seed": 1},
    }


def counted(topology, messages=20):
    """Switches, hosts and numbers of ports that carry something, from the links of a run in which every host sends so many messages."""
    with tempfile.TemporaryDirectory() as directory:
        report = sim(
            {
                "arbiter": {"policy": "rr", "queues": 2, "max_packet_flits": 2},
                "network": {
                    "topology": topology,
                    "link": {"gbps": 100, "delay_ns": 0},
                    "flit_bytes": 64,
                    "switch": {
                        "input_queue_flits": 64,
                        "output_queue_flits": 64,
                        "crossbar_speedup": 1,
                        "flow_control": "credit",
                    },
                },
                "traffic": [
                    {
                        "name": "all",
                        "queue": 0,
                        "pattern": "uniform",
                        "load": 0.3,
                        "messages": messages,
                        "message_bytes": 64,
                    }
                ],
                "run": {"warmup_us": 0, "measure_us": 5, "seed": 1},
            },
            "--csv",
            directory,
        )
        with open(pathlib.Path(directory) / "links.csv", newline="") as file:
            links = [line for line in csv.DictReader(file) if float(line["utilization"]) > 0]
    if report["flits_delivered"] != messages * len(report["hosts"]):
        raise RuntimeError(f"{topology}: {report['flits_delivered']} flits came to {len(report['hosts'])} hosts")
    ports = {}
    for line in links:
        switch, _, port = line["from"].partition(".port")
        if port:
            ports.setdefault(switch, set()).add(port)
    return (
        len(ports),
        sum(line["from"].startswith("host") for line in links),
        sorted({len(found) for found in ports.values()}),
    )


def sim_refused(scenario):
    with tempfile.TemporaryDirectory() as directory:
        path = in_file(directory, "scenario.yaml", json.dumps(scenario))
        status, _, err = run("sim", path, "--json", "--engine", "model")
    return err.strip() if status == 2 else None
