"""Rows of the Cray paper's benchmarks (Sect. 4, Table 6): kernels beside other traffic."""

from cray_claims import less
from cray_machine import paper, row
from cray_networks import OTHERS, TABLE_6
from experiment import Comparisons, interval, ratio
from rows import NOT_TESTABLE, Verdict, agrees

STAND_INS = "experiment kernels: stands for a benchmark whose sizes, placement of 2048 processes and other load are not given; on 64 nodes, 4 x 4 x 4; period 8, biases 3, 2, 1"


def sooner_by_age(kernel, load):
    """Interval of the part of the time under round robin that age saves."""
    return less(ratio(TABLE_6[f"{kernel} {load} 8/3,2,1"], TABLE_6[f"{kernel} {load} RR"], "finish_us"))


def by_other_load(kernel):
    """What age saves of the time, in words, and the Intervals."""
    found = {load: sooner_by_age(kernel, load) for load in OTHERS[::-1]}
    return found, ", ".join(
        f"{value.text(1, 100)} % beside {load}" if load else f"{100 * value.mean:.1f} % alone"
        for load, value in found.items()
    )


def kernel_row(row_id, kernel, printed, bound=0):
    @row(row_id, f"Table 6: {kernel} under age")
    def _():
        found, told = by_other_load(kernel)
        told = f"less time: {told}; printed {printed} %"
        at_least = f"; asked is more than {100 * bound:.0f} %" if bound else ""
        beside = Comparisons([value for load, value in found.items() if load])
        if Comparisons([value.over(bound) for value in found.values()]):
            return agrees(told, STAND_INS + at_least)
        return Verdict(
            NOT_TESTABLE,
            told,
            f"needs the load beside the benchmark: {'beside uniform traffic age saves time, alone it does not' if beside and found[0].mean <= 0 else 'age does not save as much with each'}{at_least}. {STAND_INS}",
        )


kernel_row("cray-199", "three transposes", f"{100 * (1 - 451 / 507):.1f}")
kernel_row("cray-200", "all-to-all", f"{100 * (1 - 142 / 194):.1f}", 0.1)
kernel_row("cray-202", "allreduce", f"{100 * (1 - 532 / 607):.1f}")


@row("cray-203", "Table 6: order of gains")
def _():
    found = {
        kernel: sooner_by_age(kernel, 0.3)
        for kernel in ("all-to-all", "three transposes", "allreduce", "three transposes, calculating")
    }
    told = ", ".join(f"{kernel} {value.text(1, 100)} %" for kernel, value in found.items())

    def first_by(others):
        return Comparisons([paired_gain(other) for other in others])

    alike = 2 / 3 < found["three transposes"].mean / found["allreduce"].mean < 3 / 2
    if first_by(("allreduce", "three transposes")) and alike:
        return agrees(told, STAND_INS)
    calculating = first_by(("allreduce", "three transposes, calculating"))
    alone = ", ".join(f"{kernel} {100 * sooner_by_age(kernel, 0).mean:.1f} %" for kernel in list(found)[:3])
    return Verdict(
        NOT_TESTABLE,
        told,
        f"needs sizes and load, on which the order hangs: beside uniform traffic of 0.3 this, alone {alone}"
        + (
            ". An FFT calculates between its transposes, and age saves nothing of that: with 0.3 ms of it before each, the one change, the all-to-all gains most, as printed, but the other two do not gain alike, "
            f"printed {100 * (1 - 451 / 507):.1f} and {100 * (1 - 532 / 607):.1f} %"
            if calculating
            else ""
        )
        + f". {STAND_INS}",
    )


def paired_gain(other):
    """Interval of how much more of the time age saves in the all-to-all, beside uniform traffic of 0.3."""

    def of(kernel):
        return [
            a["finish_us"] / b["finish_us"]
            for a, b in zip(TABLE_6[f"{kernel} 0.3 8/3,2,1"].seeds(), TABLE_6[f"{kernel} 0.3 RR"].seeds(), strict=True)
        ]

    return interval([a - b for a, b in zip(of(other), of("all-to-all"), strict=True)])


@paper.section("Table 6: kernels beside other traffic")
def _():
    lines = [
        f"{TABLE_6.told()} Sizes, placement and the other load are not given; the paper's machine has 2,048 processes. Period 8, biases 3, 2, 1, over round robin, seed by seed.",
        "",
        "| kernel | other load | round robin, us | age, us | less time | printed |",
        "| --- |" + " --- |" * 5,
    ]
    printed = {"three transposes": 1 - 451 / 507, "all-to-all": 1 - 142 / 194, "allreduce": 1 - 532 / 607}
    for point in TABLE_6.stored()["points"]:
        if point.endswith(" RR"):
            kernel, load = point.removesuffix(" RR").rsplit(" ", 1)
            runs = [TABLE_6[f"{kernel} {load} {name}"] for name in ("RR", "8/3,2,1")]
            lines.append(
                f"| {kernel} | {load} | "
                + " | ".join(run["finish_us"].text(1) for run in runs)
                + f" | {sooner_by_age(kernel, load).text(1, 100)} % | "
                + (f"{100 * printed[kernel]:.1f} %" if kernel in printed else "")
                + " |"
            )
    return "\n".join(lines)
