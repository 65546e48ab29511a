#!/usr/bin/env python3
"""Turns Google Benchmark's JSON into a table; with a second argument also into that page."""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from whole_file import write_whole  # noqa: E402


def rate(run):
    """What a run did in a second, and the unit."""
    if "packet_hops" in run:
        return run["packet_hops"], "packet-hops/s"
    if "flit_hops" in run:
        return run["flit_hops"], "flit-hops/s"
    if "items_per_second" in run:
        return run["items_per_second"], "decisions/s"
    return 1e9 / run["real_time"] if run["time_unit"] == "ns" else 1e3 / run["real_time"], "runs/s"


def time_of(run):
    """What 5 ms of the BXIv3 paper's machine take, or 1 ms with the RTL; None for all others."""
    if not run["name"].startswith("pgft_hops/"):
        return None
    simulated_ms = 1 if "/rtl_" in run["name"] else 5
    return f"{simulated_ms} ms of it in {simulated_ms / run['simulated_ms']:.1f} s"


def main():
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    runs = [run for run in results["benchmarks"] if run.get("aggregate_name") not in ("stddev", "cv")]  # no rates
    first = {}
    lines = ["| benchmark | a second | unit | of its unit | to all |", "| --- | ---: | --- | ---: | ---: |"]
    yardstick = rate(runs[0])[0]
    for run in runs:
        group, _, name = run["name"].partition("/")
        name = ", ".join(filter(None, (name.removesuffix("/real_time"), run.get("label"), time_of(run))))
        value, unit = rate(run)
        base = first.setdefault(unit, value)
        lines.append(f"| {group} {name} | {value:,.0f} | {unit} | {value / base:.3f} | {value / yardstick:.3g} |")
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if len(sys.argv) > 2:
        context = results["context"]
        write_whole(
            pathlib.Path(sys.argv[2]),
            "# Speed\n\nWritten by `scripts/bench --docs`, on one core of a machine with "
            f"{context['num_cpus']} cores at {context['mhz_per_cpu']} MHz where a line does not say how many\n"
            "threads. Two ratios make up for the machine and its load: to the first line of the same unit, and to the first\n"
            "line of all, in the same run. All is compiled by clang, which makes networks faster than g++ does, and the RTL\n"
            "is made by the Verilator of `scripts/verilator`, which is newer than Debian's: `scripts/build --fast` does both.\n"
            "Memory is asked for in huge pages, as `qosarb` does ([networks](networks.md#shards-and-threads)).\n\n"
            "Meshes and tori carry uniform traffic, at 80 % of the load that saturates them or at 150 %; that is searched for\n"
            "before: the highest of which 99 % get through. The load is a host's, in flits a cycle. Of the BXIv3 paper's\n"
            "512 hosts, pgft_512, it is also said what a run of so much simulated time takes.\n\n"
            + table)


if __name__ == "__main__":
    main()
