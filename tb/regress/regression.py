"""A regression: the jobs of some seeds, run side by side, and what they leave in a directory."""

import contextlib
import fcntl
import itertools
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import kinds
import publish
import report

TOP = Path(__file__).resolve().parent.parent.parent

DEFAULT_SEEDS = 10

# By which somebody ends a process: a terminal, a shell, a batch system, a kernel without memory.
KILLS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU,
         signal.SIGKILL)


class Usage(Exception):
    """Bad usage: one line for standard error, exit status 2."""


def scenario_of(policy):
    """Whose arbiter the backlogged queues of a job have."""
    own = TOP / "scenarios" / "policies" / f"{policy}.yaml"
    return own if own.exists() else TOP / "scenarios" / f"step-{policy.removeprefix('bxi-')}-8.yaml"


class Regression:
    """The jobs of one run, in a directory of results."""

    def __init__(self, options, program):
        self.options = options
        self.program = program
        self.kind = kinds.KINDS[options.kind]
        self.out = (options.out or TOP / "build" / "regress").resolve()
        if self.kind is kinds.NETWORKS:
            files = options.scenarios or sorted((TOP / "scenarios" / "soak").glob("*.yaml"))
            self.scenarios = {file.stem: file for file in files}
            if len(self.scenarios) < len(files):
                raise Usage("two scenarios have the same name")
            for name in self.scenarios:
                if not name.isprintable():
                    raise Usage(f"the scenario {name!r} has a name that no page can show")
            self.subjects = list(self.scenarios)
        else:
            self.subjects = self.policies()
            self.scenarios = {policy: scenario_of(policy) for policy in self.subjects
                              if self.kind is kinds.PORTS}
        for part in ("asked", "jobs", "logs", "reproducers", "coverage"):
            (self.out / part).mkdir(parents=True, exist_ok=True)
        self.keep_settings()
        self.keep_asked()
        self.running = {}  # process: what it is of, its seed, its begin, its log
        self.finished = 0  # of this shard, those of earlier runs included
        self.failed = 0
        self.killed = []  # the results of this run that are not kept
        self.decisions = 0
        self.too_late = False  # for the next job
        self.begin = time.monotonic()

    def policies(self):
        """Those that the program has and the options want."""
        listing = subprocess.run([self.program, "--list"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True, check=False)
        known = listing.stdout.split()
        if listing.returncode != 0 or not known:
            raise Usage(f"{self.program}: is no program of jobs of --kind {self.kind.name}: --list names none")
        unknown = [policy for policy in self.options.policies or [] if policy not in known]
        if unknown:
            raise Usage(f"there is no RTL of '{unknown[0]}'; there is of {', '.join(known)}")
        return [policy for policy in known if not self.options.policies or policy in self.options.policies]

    def keep_settings(self):
        """What a result depends on must be the same for all results in a directory."""
        settings = {"commit": publish.commit_of_sources() if self.options.job is None else None,
                    "kind": self.kind.name, "decisions": self.options.decisions,
                    "contested": self.options.contested, "of": self.subjects,
                    "coverage": self.options.coverage, "plusargs": self.options.plusarg,
                    "texts": {name: publish.digest_of_files([file]) for name, file in self.scenarios.items()},
                    "program": publish.digest_of_files(publish.files_of(self.program))}
        file = self.out / "settings.json"
        if file.exists():
            before = report.settings_in(file)
            for name, value in settings.items():
                if before.get(name) != value:
                    raise Usage(f"{self.out}: has results with {name} {before.get(name)}, not {value}")
        else:
            report.write_whole(file, json.dumps(settings) + "\n")

    def keep_asked(self):
        """Which jobs must have a result when all shards have ended, as the name of a file: the first seed, and how many
        from it on. With --hours only the first job of each shard is sure."""
        seeds = self.seeds() or range(1, sys.maxsize)
        count = len(seeds) * len(self.subjects)
        if self.options.hours is not None:
            count = min(count, self.options.shard[1])
        (self.out / "asked" / f"{seeds[0]}-{count}").touch()

    def seeds(self):
        """As a range; None without an end."""
        if self.options.seeds is None and self.options.hours is None:
            return range(1, DEFAULT_SEEDS + 1)
        return self.options.seeds

    def all_jobs(self):
        """(subject, seed) of this shard in order of their numbers, maybe without end."""
        index, count = self.options.shard
        numbered = enumerate((subject, seed) for seed in self.seeds() or itertools.count(1)
                             for subject in self.subjects)
        return ((subject, seed) for number, (subject, seed) in numbered if number % count == index)

    def left(self, subject, seed):
        """What a job writes: no result before it is known how its process has ended."""
        return self.out / "jobs" / f"{subject}-{seed}.left"

    def command(self, subject, seed):
        """What runs the job."""
        if self.kind is kinds.NETWORKS:
            return [self.program, "sim", self.scenarios[subject], "--engine", "model", "--seed", seed, "--json"]
        name = f"{subject}-{seed}"
        if self.kind is kinds.ENGINES:
            return [self.program, "--policy", subject, "--seed", seed, "--contested", self.options.contested,
                    "--out", self.left(subject, seed)]
        reproducer = self.out / "reproducers" / name
        shutil.rmtree(reproducer, ignore_errors=True)  # of a job that was interrupted
        command = [self.program, "--policy", subject, "--seed", seed,
                   "--decisions", self.options.decisions,
                   "--contested", self.options.contested, "--out", self.left(subject, seed),
                   "--reproducer", reproducer,
                   "--scenario", self.scenarios[subject]]
        if self.options.coverage:
            command += ["--coverage", self.out / "coverage" / f"{name}.dat"]
        for plusarg in self.options.plusarg:
            command += ["--plusarg", plusarg]
        return command

    def start(self, subject, seed):
        """Unless the job has a result by now. Its log is locked while it runs, by its process, too."""
        file = self.out / "jobs" / f"{subject}-{seed}.json"
        stream = open(self.out / "logs" / f"{subject}-{seed}.txt", "ab")
        with contextlib.suppress(OSError):  # some file systems have no locks
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Usage(f"{self.out}: the job {subject}-{seed} runs there already; a regress at the same time "
                            "wants another --out or --shard") from None
        if file.exists():
            stream.close()
            self.count(report.result_in(file, self.kind))
            return
        stream.truncate(0)
        self.left(subject, seed).unlink(missing_ok=True)  # of a job that was interrupted
        process = subprocess.Popen([str(part) for part in self.command(subject, seed)], stdout=stream,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.running[process] = (subject, seed, time.monotonic(), stream)

    def finish(self, process):
        subject, seed, begin, stream = self.running.pop(process)
        name = f"{subject}-{seed}"
        log = self.out / "logs" / f"{name}.txt"
        file = self.out / "jobs" / f"{name}.json"
        left = self.left(subject, seed)
        status = process.returncode
        result = report.result_in(left, self.kind) if left.exists() else None
        if result is None or (result["passed"] and status != 0):
            result = self.kind.result(subject, seed, status, log.read_text(errors="replace"), time.monotonic() - begin)
        left.unlink(missing_ok=True)
        if -status in KILLS:
            self.killed.append(result)  # and its log is
        else:
            report.write_whole(file, json.dumps(result))
            if log.stat().st_size == 0:
                log.unlink()
        stream.close()
        self.count(result)

    def count(self, result):
        self.finished += 1
        self.failed += 0 if result["passed"] else 1
        self.decisions += result["decisions"]

    def show_progress(self, last=False):
        if not sys.stderr.isatty():
            return
        total = ""
        if self.seeds() is not None:
            count = self.options.shard[1]
            jobs = len(self.seeds()) * len(self.subjects)
            total = f" of {(jobs - self.options.shard[0] + count - 1) // count}"
        minutes = (time.monotonic() - self.begin) / 60
        print(f"\r{self.finished}{total} jobs done, {self.failed} failed, {len(self.running)} running, "
              f"{self.decisions / 1e6:.1f} million decisions, {minutes:.1f} min ",
              end="\n" if last else "", file=sys.stderr, flush=True)

    def run(self):
        end = None if self.options.hours is None else self.begin + self.options.hours * 3600
        jobs = self.all_jobs()
        waiting = True
        try:
            while waiting or self.running:
                while waiting and len(self.running) < self.options.jobs:
                    job = next(jobs, None)
                    if job is None or (end is not None and time.monotonic() >= end):
                        waiting = False
                        self.too_late = job is not None
                        break
                    file = self.out / "jobs" / f"{job[0]}-{job[1]}.json"
                    if file.exists():
                        self.count(report.result_in(file, self.kind))
                    else:
                        self.start(*job)
                for process in [process for process in self.running if process.poll() is not None]:
                    self.finish(process)
                self.show_progress()
                if self.running:
                    time.sleep(0.02)
        finally:
            for process in self.running:
                process.kill()
            for process in self.running:
                process.wait()
            self.show_progress(last=True)
