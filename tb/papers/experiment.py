"""Experiments: networks simulated with several seeds, whose results are kept.

A run is `qosarb sim` of one scenario with one seed. It is kept in build/papers under a name made from
the scenario's text and the files that it names, so that what was interrupted goes on and what is unchanged is not
run again (remove the directory when the simulator has changed). Of a run an experiment keeps a few numbers,
seed by seed, in docs/results/measured; the rows and pages are made from these, and the tests check
that they are and that they belong to the scenarios that stand here.
"""

import concurrent.futures
import csv
import dataclasses
import functools
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import threading

import command

MEASURED = command.TOP / "docs/results/measured"
TIMES = MEASURED / "times.json"
RUNS = command.TOP / "build/papers"
SIZES = ["quick", "full"]
WORKLOADS = "@workloads"  # in the scenarios: where the distributions of message sizes stand
WORKLOAD_FILES = command.TOP / "scenarios/workloads"


@dataclasses.dataclass
class Interval:
    """A mean over seeds and half of its 95 % confidence interval (infinite for one seed). What is judged is judged by `reach`, the
    half that it has as one of so many comparisons."""

    mean: float
    half: float
    seeds: int
    comparisons: int = 1

    @property
    def reach(self):
        if self.comparisons == 1 or math.isinf(self.half):
            return self.half
        return self.half * quantile(self.seeds, self.comparisons) / quantile(self.seeds)

    def above(self, bound=0):
        return self.mean - self.reach > bound

    def below(self, bound=0):
        return self.mean + self.reach < bound

    def over(self, bound=0):
        """How far it is above the bound."""
        return dataclasses.replace(self, mean=self.mean - bound)

    def under(self, bound=0):
        """How far it is below the bound."""
        return dataclasses.replace(self, mean=bound - self.mean)

    def more_seeds(self, bound=0):
        """How many seeds it takes, in words, to leave the bound outside, should mean and scatter stay."""
        if math.isinf(self.half):
            return "more seeds"
        deviation = self.half * math.sqrt(self.seeds) / quantile(self.seeds)
        count = next(
            (
                count
                for count in range(self.seeds + 1, 1000)
                if quantile(count, self.comparisons) * deviation / math.sqrt(count) < abs(self.mean - bound)
            ),
            None,
        )
        return (
            f"some {count} seeds instead of {self.seeds}, should mean and scatter stay"
            if count
            else "a thousand seeds or more, should mean and scatter stay"
        )

    def text(self, digits=2, scale=1, unit=""):
        unit = " " + unit if unit else ""
        if math.isinf(self.half):
            return f"{scale * self.mean:.{digits}f}{unit}"
        return f"{scale * self.mean:.{digits}f} ± {scale * self.half:.{digits}f}{unit}"


# How rows are judged, as docs/results/README.md has it.
RULE = (
    "± is the 95 % confidence interval of one mean by itself (Student's t, a degree of freedom less than seeds). A row whose verdict rests on the intervals of m comparisons asks each of them by its "
    "interval at 1 - 0.05/m (Bonferroni), to show a difference as well as to find none; what these leave open waits for more seeds, and where the check of a row has a tolerance of means these decide. "
    "Of the BXIv3 and the Omni-Path paper, which give no window, a row that holds in one and does not in another is not-testable. "
    "Where seeds were added until a row was decided, an interval holds with 95 % for one look, not for all looks together."
)


class Comparisons:
    """All that one row compares, by name or place: Intervals, each of which has to be above 0. They are judged together (RULE), and true if
    all of them are. among: how many there are with those that the row compares otherwise."""

    def __init__(self, intervals, among=None):
        self.of = simultaneous(intervals, among)

    def __bool__(self):
        return len(self.shown) == len(self.of)

    def __len__(self):
        return len(self.of)

    @property
    def shown(self):
        return [name for name, found in self._items() if found.above()]

    @property
    def turned(self):
        return [name for name, found in self._items() if found.below()]

    @property
    def open(self):
        """Whether there is one that is neither above 0 nor below, and none that is below."""
        return not self and not self.turned

    def left_open(self):
        """In words, with how many seeds it takes to decide all together: as many as the one needs that needs most, or, where means are
        below 0, the first of these to turn."""
        against = [found for found in self._unsure() if found.mean < 0]
        return self._in_words(min(against, key=_far_from_decided)) if against else self.each_left_open()

    def each_left_open(self):
        """In words, with how many seeds it takes to decide each of them."""
        return self._in_words(max(self._unsure(), key=_far_from_decided))

    @staticmethod
    def _in_words(found):
        among = f" as one of {found.comparisons}" if found.comparisons > 1 else ""
        return f"within its 95 % interval{among}, needs {found.more_seeds()}"

    def _unsure(self):
        return [found for _, found in self._items() if not found.above() and not found.below()]

    def _items(self):
        return self.of.items() if isinstance(self.of, dict) else enumerate(self.of)


def _far_from_decided(found):
    return found.half / max(abs(found.mean), 1e-300)


def simultaneous(intervals, among=None):
    """The same Intervals, a list or by name, each as one of so many comparisons."""
    if isinstance(intervals, dict):
        return dict(zip(intervals, simultaneous(list(intervals.values()), among), strict=True))
    return [dataclasses.replace(found, comparisons=among or len(intervals)) for found in intervals]


def quantile(seeds, comparisons=1):
    """Student's t of an interval over so many seeds at 95 %, as one of so many comparisons that hold together (Bonferroni)."""
    return student_t(seeds - 1, 0.05 / comparisons)


@functools.cache
def student_t(freedom, beyond):
    """What a value of Student's t with so many degrees of freedom is beyond, on either side, with this probability."""
    low, high = 0.0, 1.0
    while within(high, freedom) < 1 - beyond:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < 1 - beyond else (low, middle)
    return (low + high) / 2


def within(t, freedom):
    """Probability that Student's t is within -t and t (the finite series in the angle, Abramowitz and Stegun 26.7.3 and 4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    term, total = (math.cos(angle), 0.0) if freedom % 2 else (1.0, 0.0)
    for place in range(1 + freedom % 2, freedom, 2):
        total += term
        term *= square * place / (place + 1)
    return 2 / math.pi * (angle + sine * total) if freedom % 2 else sine * total


def interval(samples):
    count = len(samples)
    mean = sum(samples) / count
    if count == 1:
        return Interval(mean, math.inf, 1)
    deviation = math.sqrt(sum((sample - mean) ** 2 for sample in samples) / (count - 1))
    return Interval(mean, quantile(count) * deviation / math.sqrt(count), count)


class Run:
    """What is kept of one point, seed by seed."""

    def __init__(self, samples):
        self.samples = samples  # name: list over seeds, of numbers or of lists of numbers

    def __getitem__(self, name):
        return interval(self.samples[name])

    def __contains__(self, name):
        return name in self.samples

    def mean(self, name):
        return sum(self.samples[name]) / len(self.samples[name])

    def each(self, function):
        """Interval of function(numbers of one seed by name)."""
        return interval([function(numbers) for numbers in self.seeds()])

    def seeds(self):
        """Numbers by name, seed by seed."""
        count = len(next(iter(self.samples.values())))
        return [{name: values[seed] for name, values in self.samples.items()} for seed in range(count)]

    def series(self, name):
        """Means over the seeds, place by place, of a list, as far as all seeds have it."""
        return [sum(values) / len(values) for values in zip(*self.samples[name], strict=False)]


def paired(first, second, function):
    """Interval of function(first, second), numbers by name, over the seeds that two runs share."""
    seeds = min(len(next(iter(run.samples.values()))) for run in (first, second))
    at = [
        [{name: values[seed] for name, values in run.samples.items()} for run in (first, second)]
        for seed in range(seeds)
    ]
    return interval([function(a, b) for a, b in at])


def difference(first, second, name):
    """Interval of first - second, seed by seed."""
    return paired(first, second, lambda a, b: a[name] - b[name])


def ratio(first, second, name):
    """Interval of first / second, seed by seed."""
    return paired(first, second, lambda a, b: a[name] / b[name])


def spearman(xs, ys):
    """Rank correlation, ties by their mean rank; 0 where one side is constant."""

    def ranks(values):
        return [
            sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
            for value in values
        ]

    a, b = ranks(xs), ranks(ys)
    middle = (len(a) - 1) / 2
    spread = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True)) / spread if spread else 0


def of_classes(report, names=("offered", "accepted", "share", "packets")):
    """The numbers of a run's classes that most figures are made of, as `CLASS.number`."""
    kept = {}
    for item in report["classes"]:
        for name in names:
            kept[f"{item['name']}.{name}"] = item[name]
        for kind in ("packet_latency_ns", "network_latency_ns", "message_latency_ns"):
            for what, value in (item[kind] or {}).items():
                if what in ("mean", "p50", "p99", "max"):
                    kept[f"{item['name']}.{kind.removesuffix('_ns')}.{what}"] = value
        for what, value in ((item["over_hosts"] or {}).get("accepted") or {}).items():
            kept[f"{item['name']}.hosts.{what}"] = value
    return kept


def rounded(value):
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def show(progress):
    """On a terminal; otherwise nothing is said."""
    if sys.stderr.isatty():
        print(progress, end="", file=sys.stderr, flush=True)


def run_and_count(arguments, out, err):
    """The exit status of a program, and the seconds that it took of cores, whatever else ran on them."""
    with subprocess.Popen(arguments, stdout=out, stderr=err) as program:
        try:
            _, status, usage = os.wait4(program.pid, 0)
        except BaseException:
            program.kill()
            raise
        program.returncode = os.waitstatus_to_exitcode(status)
    return program.returncode, usage.ru_utime + usage.ru_stime



class Experiment:
    """Points (scenarios by name), each run with some seeds.

    points(size) returns the scenarios, size is "quick" or "full". keep(report, tables) returns the
    numbers of a run that are kept; tables (name: list of lines as dictionaries) only with `tables`,
    the names of the files of `qosarb sim --csv` that are wanted. `large`: of networks of thousands of hosts,
    whose runs are better one after another, each on several threads, than side by side.
    """

    def __init__(self, paper, name, what, points, seeds, keep=None, engine="model", tables=(), large=False):
        self.paper, self.name, self.what = paper, name, what
        self.points, self.seeds, self.engine, self.tables, self.large = points, seeds, engine, tables, large
        self.keep = keep or (lambda report, tables: of_classes(report))

    def __getitem__(self, point):
        return Run(self.stored()["points"][point]["samples"])

    def size(self):
        return self.stored()["size"]

    def stored(self):
        found = self.paper.measured().get(self.name)
        if found is None:
            raise KeyError(f"experiment {self.name} was never run: scripts/reproduce {self.paper.name}")
        return found

    def faults(self):
        """Why what is stored is not of these scenarios."""
        try:
            stored = self.stored()
        except KeyError as fault:
            return [fault.args[0]]
        points = self.points(stored["size"])
        faults = [f"experiment {self.name}: {stored['engine']} made what is stored"] * (stored["engine"] != self.engine)
        faults += [
            f"experiment {self.name}: {point} is stored and no point"
            for point in stored["points"]
            if point not in points
        ]
        for point, scenario in points.items():
            found = stored["points"].get(point)
            if found is None or found["scenario"] != key_of(scenario):
                faults.append(f"experiment {self.name}: what is stored of {point} is of another scenario")
            elif any(len(values) != stored["seeds"] for values in found["samples"].values()):
                faults.append(f"experiment {self.name}: {point} lacks seeds")
        return faults

    def told(self):
        """What a page says of the runs behind a figure."""
        stored = self.stored()
        size = {"full": "; full size", "quick": "; `--quick`"}[stored["size"]] if self.has_sizes() else ""
        return (
            f"{self.what.format(**self.describe(stored['size']))} "
            + (
                f"{stored['seeds']} seeds each, mean and 95 % confidence interval"
                if stored["seeds"] > 1
                else "One seed each"
            )
            + f"{size}."
        )

    def has_sizes(self):
        """Whether --quick runs other points than the paper's size."""
        return self.points("quick") != self.points("full")

    def describe(self, size):
        """Names that `what` may use: the window and the hosts of the first point."""
        scenario = next(iter(self.points(size).values()))
        return {"hosts": hosts_of(scenario["network"]["topology"]), **(scenario.get("run") or {})}

    def run(self, size, jobs, seeds=None, more=False):
        """Runs what is missing; returns what is to be stored. `more`: what is stored of a point counts for its first seeds, and
        no seed is lost."""
        clear_parts()
        points = self.points(size)
        results = self._known(points) if more else {}
        count = max([seeds or self.seeds[size], *(seed for _, seed in results)])
        todo = [(point, seed) for seed in range(1, count + 1) for point in points if (point, seed) not in results]
        missing = sum(not self._there(points[point], seed) for point, seed in todo)
        threads = threads_of(points.values(), missing, jobs, self.large)
        with concurrent.futures.ThreadPoolExecutor(max(1, jobs // threads)) as pool:
            running = {pool.submit(self._one, points[point], seed, threads): (point, seed) for point, seed in todo}
            try:
                for done in concurrent.futures.as_completed(running):
                    results[running[done]] = done.result()
                    show(f"\r{self.paper.name} {self.name}: {len(results)} of {count * len(points)} runs")
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        show("\n")
        stored = {}
        for point, scenario in points.items():
            names = [
                name for name in results[point, 1] if all(name in results[point, seed] for seed in range(2, count + 1))
            ]
            stored[point] = {
                "scenario": key_of(scenario),
                "samples": {name: [results[point, seed][name] for seed in range(1, count + 1)] for name in names},
            }
        return {"size": size, "seeds": count, "engine": self.engine, "points": stored}

    def core_seconds(self, size):
        """What one seed of all points took of a core, by the runs that are there; None if one has none."""
        seconds = 0
        for scenario in self.points(size).values():
            times = [
                float(path.read_text()) for path in RUNS.glob(f"{key_of(scenario)}.{self.engine}.[0-9]*/core_seconds")
            ]
            if not times:
                return None
            seconds += sum(times) / len(times)
        return seconds

    def _known(self, points):
        """What is stored of these points, if it is of this engine and the same scenarios, by point and seed."""
        stored = self.paper.measured().get(self.name)
        if stored is None or stored["engine"] != self.engine:
            return {}
        return {
            (point, seed): numbers
            for point, found in stored["points"].items()
            if point in points and found["scenario"] == key_of(points[point])
            for seed, numbers in enumerate(Run(found["samples"]).seeds(), 1)
        }

    def _folder(self, scenario, seed):
        return RUNS / f"{key_of(scenario)}.{self.engine}.{seed}"

    def _there(self, scenario, seed):
        folder = self._folder(scenario, seed)
        return all((folder / file).exists() for file in ["report.json", *(f"{table}.csv" for table in self.tables)])

    def _one(self, scenario, seed, threads):
        folder = self._folder(scenario, seed)
        if not self._there(scenario, seed):
            shutil.rmtree(folder, ignore_errors=True)
            part = folder.with_name(f"{folder.name}.{threading.get_ident()}.{os.getpid()}.part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            text = json.dumps(scenario, indent=1)
            (part / "scenario.yaml").write_text(text.replace(WORKLOADS, str(WORKLOAD_FILES)))
            with open(part / "report.json", "w") as out, open(part / "errors", "w") as err:
                status, core_seconds = run_and_count(
                    [
                        str(command.QOSARB),
                        "sim",
                        str(part / "scenario.yaml"),
                        "--json",
                        "--engine",
                        self.engine,
                        "--seed",
                        str(seed),
                        "--threads",
                        str(threads),
                        *(["--csv", str(part)] if self.tables else []),
                    ],
                    out,
                    err,
                )
            if status != 0:
                raise RuntimeError(
                    f"qosarb sim {part}/scenario.yaml --engine {self.engine} --seed {seed} ended with {status}: "
                    + (part / "errors").read_text()[-300:]
                )
            (part / "core_seconds").write_text(f"{core_seconds:.2f}\n")
            for table in part.glob("*.csv"):
                if table.stem not in self.tables:
                    table.unlink()
            try:
                part.rename(folder)
            except OSError:
                if not self._there(scenario, seed):
                    raise
                shutil.rmtree(part)  # somebody else has run the same meanwhile
        tables = {}
        for table in self.tables:
            with open(folder / f"{table}.csv", newline="") as file:
                tables[table] = list(csv.DictReader(file))
        report = json.loads((folder / "report.json").read_text())
        return {name: rounded(value) for name, value in self.keep(report, tables).items()}


class Lockstep(Experiment):
    """Points of another experiment with every port decided by the RTL and by the reference, with seed 1 alone.

    What is kept of these runs has to be, number by number, what the reference alone gave. `shows` names the paper's figures.
    `without(point)` tells points that are left out: those that the RTL cannot run, or that would take too long.
    """

    COUNTS = ("decisions", "compared_decisions", "mismatches")

    def __init__(self, paper, name, reference, shows, without=lambda point: False):
        super().__init__(
            paper,
            name,
            reference.what,
            lambda size: {point: found for point, found in reference.points(size).items() if not without(point)},
            {"quick": 1, "full": 1},
            keep=lambda report, tables: {
                **reference.keep(report, tables),
                **{count: report[count] for count in self.COUNTS},
            },
            engine="lockstep",
            tables=reference.tables,
            large=reference.large,
        )
        self.reference, self.shows = reference, shows

    def run(self, size, jobs, seeds=None, more=False):
        return super().run(size, jobs, 1, more)

    def decisions(self):
        return round(sum(self[point].mean("compared_decisions") for point in self.stored()["points"]))

    def faults(self):
        faults = super().faults() or self.reference.faults()
        if faults:
            return faults
        for point, kept in self.stored()["points"].items():
            if kept["scenario"] != self.reference.stored()["points"][point]["scenario"]:
                faults.append(f"experiment {self.name}: {point} is of another size than {self.reference.name}'s")
                continue
            own, other = self[point].seeds()[0], self.reference[point].seeds()[0]
            if own["mismatches"] != 0 or own["compared_decisions"] != own["decisions"] or own["decisions"] == 0:
                faults.append(f"experiment {self.name}: not all decisions of {point} are compared and the same")
            for name, value in other.items():
                if name not in own or own[name] != value:
                    faults.append(
                        f"experiment {self.name}: {name} of {point} is {own.get(name)} with the RTL, {value} without"
                    )
        return faults

    def told(self):
        points = self.stored()["points"]
        numbers = sum(
            len(value) if isinstance(value, list) else 1
            for point in points
            for value in self.reference[point].seeds()[0].values()
        )
        all_of_them = self.reference.points(self.size())
        left_out = [point for point in all_of_them if point not in points]
        runs = "All of these runs"
        if left_out:
            names = "; ".join(points) if len(points) < len(left_out) else "not " + "; ".join(left_out)
            runs = f"{len(points)} of these {len(all_of_them)} runs ({names})"
        return (
            f"{runs} also with the RTL at every port, seed 1: {self.decisions():,} decisions compared with the reference, no "
            f"mismatch, and each of the {numbers:,} numbers kept is what the reference alone gives."
        )


def threads_of(scenarios, runs, jobs, large=False):
    """On how many threads each of so many runs goes, for `jobs` cores: more than one where runs are fewer than cores, or where
    they are large. Threads change no bit of a result. The ranks of a trace run on one thread."""
    if any("application" in item or "trace" in item for scenario in scenarios for item in scenario["traffic"]):
        return 1
    return max(1, jobs // max(1, runs), min(2, jobs) if large else 1)


def clear_parts():
    """Removes what runs left whose process was killed: folders NAME.THREAD.PROCESS.part, of which the process is gone."""
    for part in RUNS.glob("*.part"):
        try:
            os.kill(int(part.suffixes[-2].removeprefix(".")), 0)
        except ProcessLookupError:
            shutil.rmtree(part, ignore_errors=True)
        except PermissionError:
            pass  # another user's, so it runs


def key_of(scenario):
    """Of the scenario's text and, where it names any, that of its distributions of message sizes."""
    text = json.dumps(scenario, sort_keys=True)
    files = sorted(set(re.findall(rf"{WORKLOADS}/([^\"]+)", text)))
    return hashlib.sha256(
        b"".join([text.encode(), *((WORKLOAD_FILES / file).read_bytes() for file in files)])
    ).hexdigest()[:16]


def hosts_of(topology):
    kind = topology["kind"]
    if kind == "single-switch":
        return topology["ports"]
    if kind == "kary-ntree":
        return topology["k"] ** topology["n"]
    if kind == "pgft":
        return math.prod(topology["down"])
    if kind == "dragonfly":
        return topology["groups"] * topology["switches"] * topology["hosts_per_switch"]
    return math.prod(topology["dims"]) * topology["hosts_per_switch"]
