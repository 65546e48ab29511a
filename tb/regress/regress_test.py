"""scripts/regress from outside: results, resuming, shards, a fault that is found, bad usage."""

import argparse
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
FAULTS = HERE.parent / "faults"
sys.path[:0] = [str(HERE), str(FAULTS)]
import coverage  # noqa: E402
import inject  # noqa: E402
import kinds  # noqa: E402
import publish  # noqa: E402
import report  # noqa: E402

OPTIONS = argparse.Namespace()


INCAST = """
arbiter: {policy: rr, queues: 2, max_packet_flits: 16}
network:
  topology: {kind: single-switch, ports: 4}
  link: {gbps: 400, delay_ns: 25}
  flit_bytes: 64
  switch: {input_queue_flits: 256, output_queue_flits: 256, crossbar_speedup: 2, flow_control: pfc}
traffic:
  - {name: all, queue: 0, pattern: hot-spot, to: 0, burst: {bytes: 65536, period_us: 4}, message_bytes: 1024}
run: {warmup_us: 30, measure_us: 10, seed: 1}
"""


def run_regress(out, *more, job=None, seeds=2, decisions=3000):
    return subprocess.run(
        [OPTIONS.regress, "--job", job or OPTIONS.job, "--out", out, "--seeds", str(seeds),
         "--decisions", str(decisions), "--contested", "1", "--jobs", "2", *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def stub(file, text):
    """A program of jobs of rr that does `text`."""
    file.write_text(f'#!/bin/sh\nif [ "$1" = --list ]; then echo rr; exit; fi\n{text}\n')
    file.chmod(0o755)
    return file


# In a stub: the result of a job that passed.
RESULT = json.dumps(kinds.PORTS.result("rr", 0, 0, "", 1.0) | {"passed": True, "failure": ""})
PASSES = f"""seed=$4
while [ "$1" != --out ]; do shift; done
printf '{RESULT.replace('"seed": 0', '"seed": %d')}' "$seed" > "$2";"""


def names(out):
    return {file.name for file in (out / "jobs").glob("*.json")}


class RegressTest(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name) / "out"

    def test_all_policies_pass_and_are_reported(self):
        done = run_regress(self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")  # quiet without a terminal
        policies = subprocess.run([OPTIONS.job, "--list"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.split()
        registered = subprocess.run([OPTIONS.command, "policies", "--json"], stdout=subprocess.PIPE,
                                    text=True, check=True).stdout
        self.assertEqual(policies, [policy["name"] for policy in json.loads(registered)["policies"]
                                    if policy["rtl"]])
        self.assertEqual(names(self.out), {f"{p}-{s}.json" for p in policies for s in (1, 2)})
        suites = ElementTree.parse(self.out / "junit.xml").getroot()
        self.assertEqual(suites.get("failures"), "0")
        self.assertEqual({(case.get("classname"), case.get("name")) for case in suites.iter("testcase")},
                         {(p, f"seed {s}") for p in policies for s in (1, 2)})
        refused = 0
        for policy in policies:
            result = json.loads((self.out / "jobs" / f"{policy}-1.json").read_text())
            self.assertEqual(result["decisions"], 3000)
            self.assertGreaterEqual(result["contested"], 1)  # as was asked for
            refused += result["refused_commits"]
            shares = [queue["share"] for queue in result["backlog"]["queues"]]
            self.assertAlmostEqual(sum(shares), 1.0)
            waits = [(q["wait_mean"], q["wait_p99"], q["wait_max"])
                     for q in result["backlog"]["queues"]]
            self.assertTrue(all(mean <= longest and p99 <= longest for mean, p99, longest in waits))
        self.assertGreater(refused, 0)
        page = (self.out / "index.html").read_text()
        self.assertNotRegex(page, r"https?://|<script|<link|@import|url\(")
        self.assertIn("All passed.", page)
        for policy in policies:
            self.assertIn(f"{policy}: share of the link", page)
        for target in re.findall(r'href="([^"]*)"', page):
            self.assertTrue((self.out / target).exists(), target)
        for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
            ElementTree.fromstring(picture)

    def test_goes_on_after_a_kill(self):
        command = [OPTIONS.regress, "--job", OPTIONS.job, "--out", self.out, "--seeds", "50",
                   "--decisions", "3000", "--contested", "1", "--jobs", "1", "--policy", "rr"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(names(self.out)) < 2:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 130)
        left = {file: (os.stat(self.out / "jobs" / file).st_mtime_ns,
                       os.stat(self.out / "jobs" / file).st_ino) for file in names(self.out)}
        self.assertTrue(2 <= len(left) < 50, left)
        for file in left:  # whole, whenever the kill came
            self.assertTrue(json.loads((self.out / "jobs" / file).read_text())["passed"])
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(names(self.out)), 50)
        for file, stamp in left.items():
            status = os.stat(self.out / "jobs" / file)
            self.assertEqual((status.st_mtime_ns, status.st_ino), stamp, f"{file} was made again")

    def test_a_job_that_runs_is_not_run_by_another_regress_at_the_same_time(self):
        job = self.out.parent / "waits"
        job.write_text('#!/bin/sh\nif [ "$1" = --list ]; then echo rr; else echo begun; exec sleep 60; fi\n')
        job.chmod(0o755)
        log = self.out / "logs" / "rr-1.txt"
        first = subprocess.Popen([OPTIONS.regress, "--job", job, "--out", self.out, "--seeds", "1"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while first.poll() is None and not (log.exists() and log.stat().st_size > 0):
                time.sleep(0.005)
            second = subprocess.run([OPTIONS.regress, "--job", job, "--out", self.out, "--seeds", "1"],
                                    stderr=subprocess.PIPE, text=True, timeout=30, check=False)
            self.assertEqual(second.returncode, 2)
            self.assertRegex(second.stderr, r"^regress: .*/out: the job rr-1 runs there already; .*\n$")
            self.assertEqual(log.read_text(), "begun\n")
            self.assertIsNone(first.poll())
        finally:
            first.send_signal(signal.SIGTERM)
            first.wait()

    def test_its_jobs_end_with_it_where_a_terminal_goes_and_nohup_keeps_both(self):
        pid = self.out.parent / "pid"
        job = stub(self.out.parent / "job", f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 60")
        for before, ends in (((), signal.SIGHUP), (("nohup",), signal.SIGTERM)):
            process = subprocess.Popen([*before, OPTIONS.regress, "--job", job, "--out", self.out, "--seeds", "1"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not pid.exists():
                time.sleep(0.005)
            process.send_signal(signal.SIGHUP)
            if before:
                time.sleep(0.2)
                self.assertIsNone(process.poll())
            process.send_signal(ends)
            self.assertEqual(process.wait(), 130)
            with self.assertRaises(ProcessLookupError, msg=before):
                os.kill(int(pid.read_text()), 0)
            pid.unlink()

    def test_shards_together_are_the_whole(self):
        some = ("--policy", "rr", "--policy", "bxi-deficit", "--policy", "trtcm")
        shards = [self.out / str(i) for i in range(2)]
        for i, out in enumerate(shards):
            self.assertEqual(run_regress(out, *some, "--shard", f"{i}/2", seeds=3).returncode, 0)
        whole = self.out / "whole"
        self.assertEqual(run_regress(whole, *some, seeds=3).returncode, 0)
        first, second = (names(out) for out in shards)
        self.assertFalse(first & second)
        self.assertEqual(first | second, names(whole))
        self.assertLessEqual(abs(len(first) - len(second)), 1)
        for out in shards:  # a job is the same wherever it runs
            for file in names(out):
                results = [json.loads((o / "jobs" / file).read_text()) for o in (out, whole)]
                for result in results:
                    del result["seconds"]
                self.assertEqual(*results)
        # The page over the results of both.
        for file in names(shards[1]):
            (shards[1] / "jobs" / file).rename(shards[0] / "jobs" / file)
        done = subprocess.run([OPTIONS.regress, "--report", shards[0]], stdout=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("9 jobs, 0 failed, 27000 decisions", done.stdout)

    def test_later_seeds_are_those_that_a_longer_run_has(self):
        some = ("--policy", "rr", "--policy", "trtcm")
        for seeds in ("4", "3-4"):
            self.assertEqual(run_regress(self.out / seeds, *some, seeds=seeds).returncode, 0)
        self.assertEqual(names(self.out / "3-4"), {f"{p}-{s}.json" for p in ("rr", "trtcm") for s in (3, 4)})
        for file in names(self.out / "3-4"):
            results = [json.loads((self.out / seeds / "jobs" / file).read_text()) for seeds in ("4", "3-4")]
            self.assertEqual(*(result | {"seconds": 0} for result in results))

    def test_a_fault_is_found_and_its_reproducer_linked(self):
        faults = inject.faults_of(FAULTS / "policy")
        number = next(i for i, fault in enumerate(faults, start=1)
                      if fault["name"] == "spent-credit-returns")
        some = ("--policy", "rr", "--policy", "bxi-deficit", "--plusarg", f"+fault={number}")
        done = run_regress(self.out, *some, job=OPTIONS.faulty_job, seeds=1, decisions=100_000)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("2 jobs, 1 failed", done.stdout)
        junit = ElementTree.parse(self.out / "junit.xml").getroot()
        self.assertEqual({suite.get("name"): suite.get("failures") for suite in junit},
                         {"bxi-deficit": "1", "rr": "0"})
        cases = {case.get("classname"): case.find("failure") for case in junit.iter("testcase")}
        self.assertIsNone(cases["rr"])
        self.assertIn("mismatch in cycle", cases["bxi-deficit"].text)
        page = (self.out / "index.html").read_text()
        self.assertIn("1 of 2 jobs failed", page)
        for counts in ("bxi-deficit</td><td>1</td><td>0</td><td><span class=\"bad\">1</span>",
                       "rr</td><td>1</td><td>1</td><td>0", "all</td><td>2</td><td>1</td><td><span class=\"bad\">1</span>"):
            self.assertIn(f"<td>{counts}</td>", page)
        for file in ("config.yaml", "events.csv", "waves.fst"):
            link = f"reproducers/bxi-deficit-1/{file}"
            self.assertIn(f'href="{link}"', page)
            self.assertTrue((self.out / link).is_file())
        # A failure is kept like any other result.
        again = run_regress(self.out, *some, job=OPTIONS.faulty_job, seeds=1, decisions=100_000)
        self.assertEqual(again.returncode, 1)

    def test_a_crash_is_a_failure(self):
        job = self.out.parent / "crashes"
        job.write_text('#!/bin/sh\nif [ "$1" = --list ]; then echo rr; else echo "out of luck"; kill -9 $$; fi\n')
        job.chmod(0o755)
        self.assertEqual(run_regress(self.out, job=job, seeds=1).returncode, 1)
        self.assertIn("out of luck", (self.out / "junit.xml").read_text())

    def test_a_job_that_was_killed_is_run_again(self):
        spare = self.out.parent / "spare"
        for name, number in (("TERM", -15), ("KILL", -9), ("XCPU", -24)):
            out = self.out / name
            job = stub(self.out.parent / "job", f"{PASSES} [ -e {spare} ] || {{ echo half done; kill -{name} $$; }}")
            killed = run_regress(out, job=job, seeds=1)
            self.assertEqual(killed.returncode, 1, killed.stderr)
            self.assertIn("1 jobs, 1 failed", killed.stdout)
            self.assertIn(f"regress_job ended with status {number}: half done", (out / "junit.xml").read_text())
            self.assertEqual((out / "logs" / "rr-1.txt").read_text(), "half done\n")
            self.assertEqual(names(out), set())
            spare.touch()
            again = run_regress(out, job=job, seeds=1)
            spare.unlink()
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("1 jobs, 0 failed", again.stdout)
            self.assertEqual(names(out), {"rr-1.json"})

    def assert_reported(self, out, missing, jobs):
        done = subprocess.run([OPTIONS.regress, "--report", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, 1 if missing else 0, done.stderr)
        self.assertIn(f"{jobs} jobs, {missing} failed, ", done.stdout)
        told = f"regress: {out}: jobs without a result: {missing} of {jobs}\n"
        self.assertEqual(done.stderr, told if missing else "")
        self.assertEqual("All passed." in (out / "index.html").read_text(), missing == 0)
        junit = ElementTree.parse(out / "junit.xml").getroot()
        self.assertEqual((junit.get("tests"), junit.get("failures")), (str(jobs), str(missing)))

    def test_a_report_tells_of_shards_that_have_not_run(self):
        job = stub(self.out.parent / "job", PASSES)
        # Seeds 1 to 4 are jobs 0 to 3; with --hours it is sure that each shard had a job.
        for more, reports in ((), ((3, 4), (1, 4), (0, 4))), (("--hours", "1"), ((2, 3), (1, 4), (0, 4))):
            out = self.out / "-".join(("of", *more))
            for shard, (missing, jobs) in zip((1, 0, 2), reports, strict=True):
                done = run_regress(out, "--shard", f"{shard}/3", *more, job=job, seeds=4)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_reported(out, missing, jobs)

    def test_a_report_tells_of_jobs_that_began_and_have_not_ended(self):
        spare = self.out.parent / "spare"
        for name, killed in (("all", "$PPID $$"), ("job", "$$")):
            out = self.out / name
            job = stub(self.out.parent / "job", f"[ $4 = 1 ] || [ -e {spare} ] || kill -KILL {killed}\n{PASSES}")
            for seeds in (1, 2):
                run_regress(out, "--hours", "1", job=job, seeds=seeds)
            self.assert_reported(out, 1, 2)
            spare.touch()
            self.assertEqual(run_regress(out, "--hours", "1", job=job).returncode, 0)
            spare.unlink()
            self.assert_reported(out, 0, 2)

    def test_no_more_jobs_run_at_a_time_than_were_asked_for(self):
        run, seen = self.out.parent / "run", self.out.parent / "seen"
        run.mkdir()
        job = stub(self.out.parent / "job",
                   f"mkdir {run}/$4; sleep 0.2; ls {run} | wc -l >> {seen}; rmdir {run}/$4\n{PASSES}")
        done = run_regress(self.out, job=job, seeds=6)  # two at a time
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = [int(line) for line in seen.read_text().split()]
        self.assertEqual((len(counts), max(counts)), (6, 2))

    def test_no_job_is_no_success(self):
        for shard in ("0/1", "1/3"):
            done = run_regress(self.out, "--hours", "1e-9", "--policy", "rr", "--shard", shard)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(done.stderr, f"regress: {self.out}: no job began within --hours\n")
        others_have_jobs = run_regress(self.out, "--policy", "rr", "--shard", "2/3")
        self.assertEqual(others_have_jobs.returncode, 0)

    def test_a_job_that_says_it_passed_and_ends_badly_has_failed(self):
        for end, status in (("exit 3", 3), ("kill -ABRT $$", -6)):
            out = self.out / str(status)
            job = stub(self.out.parent / "job", f"{PASSES} echo leak; {end}")
            done = run_regress(out, job=job, seeds=1)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("1 jobs, 1 failed", done.stdout)
            result = json.loads((out / "jobs" / "rr-1.json").read_text())
            self.assertEqual(result["failure"], f"regress_job ended with status {status}: leak\n")

    def test_a_job_has_no_result_before_it_has_ended(self):
        job = stub(self.out.parent / "job", f"{PASSES} echo written; exec sleep 60")
        process = subprocess.Popen([OPTIONS.regress, "--job", job, "--out", self.out, "--seeds", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        log = self.out / "logs" / "rr-1.txt"
        while process.poll() is None and not (log.exists() and log.stat().st_size > 0):
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 130)
        self.assertEqual(names(self.out), set())

    def test_results_of_another_program_are_refused(self):
        library = self.out.parent / "libport_tables.so"
        library.write_text("one")
        job = stub(self.out.parent / "job", f"# {library}\n{PASSES}")
        first, again = (run_regress(self.out, job=job, seeds=1) for _ in range(2))
        self.assertEqual((first.returncode, again.returncode), (0, 0), first.stderr + again.stderr)
        library.write_text("two")  # RTL that it loads
        changed = run_regress(self.out, job=job, seeds=1)
        library.write_text("one")
        stub(job, f"# {library}\n{PASSES} # of other sources")
        other = run_regress(self.out, job=job, seeds=1)
        for done in changed, other:
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, r"^regress: .*/out: has results with program [0-9a-f]+, not [0-9a-f]+\n$")
        # The scenario is what the program reads.
        texts = json.loads((self.out / "settings.json").read_text())["texts"]
        scenario = publish.TOP / "scenarios" / "step-rr-8.yaml"
        self.assertEqual(texts, {"rr": publish.digest_of_files([scenario])})

    def test_builds_of_rtl_that_a_program_loads_are_part_of_it(self):
        job = Path(OPTIONS.job).resolve()
        libraries = set((job.parents[1] / "cosim").glob("libport_*.so"))
        self.assertTrue(libraries)
        self.assertEqual(set(publish.files_of(job)), {job} | libraries)

    def test_a_program_that_has_no_jobs_is_refused(self):
        for program in ("/bin/true", "/bin/false", OPTIONS.command):
            done = run_regress(self.out, job=program)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertEqual(done.stderr, f"regress: {Path(program).resolve()}: is no program of jobs of --kind ports: "
                             "--list names none\n")

    def test_a_result_that_does_not_fit_on_the_disk_is_named_and_leaves_nothing(self):
        self.out.mkdir()
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        try:
            with self.assertRaises(OSError) as caught:
                report.write_whole(self.out / "rr-1.json", 100 * "x")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(caught.exception.filename, str(self.out / "rr-1.json"))
        self.assertEqual(os.listdir(self.out), [])

    def test_engines_are_run(self):
        done = run_regress(self.out, "--kind", "engines", "--contested", "2000", job=OPTIONS.engine_job)
        self.assertEqual(done.returncode, 0, done.stderr)
        engines = subprocess.run([OPTIONS.engine_job, "--list"], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout.split()
        policies = subprocess.run([OPTIONS.job, "--list"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.split()
        self.assertEqual({engine for engine in engines if not engine.endswith("-next")}, set(policies))
        self.assertEqual(names(self.out), {f"{e}-{s}.json" for e in engines for s in (1, 2)})
        for engine in engines:
            first, second = (json.loads((self.out / "jobs" / f"{engine}-{s}.json").read_text()) for s in (1, 2))
            for result in first, second:
                self.assertGreaterEqual(result["contested"], 2000)
                self.assertGreaterEqual(result["states"], result["decisions"])
            self.assertNotEqual(first["decisions"], second["decisions"])

    def test_an_engine_that_differs_is_a_failure(self):
        done = run_regress(self.out, "--kind", "engines", "--contested", "2000", job=OPTIONS.faulty_engine_job)
        self.assertEqual(done.returncode, 1, done.stderr)
        for seed in (1, 2):
            result = json.loads((self.out / "jobs" / f"rr-{seed}.json").read_text())
            self.assertFalse(result["passed"])
            self.assertIn("the reference grants 3, the module 2 (one-hot 0x8)", result["failure"])
        job = [OPTIONS.faulty_engine_job, "--policy", "rr", "--seed", "2", "--contested", "2000",
               "--out", self.out / "again.json"]
        again = subprocess.run(job, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((again.returncode, again.stdout, again.stderr), (1, "", result["failure"]))

    def test_networks_are_run_and_lost_flits_are_failures(self):
        scenario = self.out.parent / "incast.yaml"
        scenario.write_text(INCAST)
        some = ("--kind", "networks", "--scenario", scenario)
        done = run_regress(self.out, *some, job=OPTIONS.command)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(names(self.out), {"incast-1.json", "incast-2.json"})
        result = json.loads((self.out / "jobs" / "incast-1.json").read_text())
        self.assertGreater(result["flits_delivered"], 0.9 * result["cycles"])  # its link is busy
        self.assertGreater(result["pause_frames"], 0)
        # What a run says is believed, also when it is bad.
        run = {"decisions": 7, "cycles": 9, "flits_delivered": 8, "flits_in_flight": 0, "flits_lost": 0,
               "reordered": 0, "flit_hops": 16, "packet_hops": 3, "pause_frames": 0}
        for change, verdict in (({}, 0), ({"flits_lost": 2}, 1), ({"reordered": 1}, 1)):
            job = self.out.parent / "sim"
            job.write_text(f"#!/bin/sh\necho '{json.dumps(run | change)}'\n")
            job.chmod(0o755)
            out = self.out.parent / f"out{verdict}{len(change)}{'-'.join(change)}"
            self.assertEqual(run_regress(out, *some, job=job, seeds=1).returncode, verdict, change)
        self.assertIn("reordered: 1", (out / "index.html").read_text())
        # Another text of the same name is another job.
        scenario.write_text(INCAST.replace("ports: 4", "ports: 1"))  # refused by the command
        self.assertEqual(run_regress(self.out, *some, job=OPTIONS.command).returncode, 2)
        self.assertEqual(run_regress(self.out.parent / "refused", *some, job=OPTIONS.command).returncode, 1)

    def test_bad_usage_is_refused(self):
        scenario = "scenarios/soak/incast-64.yaml"
        empty = self.out.parent / "empty"
        (empty / "jobs").mkdir(parents=True)
        for wrong in (["--shard", "2/2"], ["--shard", "1"], ["--seeds", "0"], ["--seeds", "0-3"],
                      ["--seeds", "5-4"], ["--seeds", "1-"], ["--seeds", f"1-{2**63}"], ["--hours", "-1"],
                      ["--contested", str(2**41)], ["--decisions", str(2**41)],
                      ["--jobs", "x"], ["--policy", "fifo"], ["--nonsense"], ["--check"],
                      ["--scenario", scenario], ["--kind", "networks", "--policy", "rr"],
                      ["--kind", "engines", "--coverage"], ["--kind", "networks", "--plusarg", "+fault=1"],
                      ["--kind", "networks", "--scenario", "nowhere.yaml"],
                      ["--kind", "networks", "--scenario", scenario, "--scenario", f"here/{scenario}"],
                      ["--page", "--check", "--report", str(empty)],
                      ["--report", str(self.out / "nowhere")], ["--report", str(empty)]):
            done = run_regress(self.out, *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for name in ("control\x01", os.fsdecode(b"latin\xe4"), "two\nlines"):  # such as no JUnit file may have
            scenario = self.out.parent / f"{name}.yaml"
            scenario.write_text(INCAST)
            done = run_regress(self.out, "--kind", "networks", "--scenario", scenario, job=OPTIONS.command)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertRegex(done.stderr, r"^regress: the scenario '.*' has a name that no page can show\n$")
        self.assertEqual(run_regress(self.out, "--policy", "rr", seeds=1).returncode, 0)
        other = run_regress(self.out, "--policy", "rr", seeds=1, decisions=4000)
        self.assertEqual(other.returncode, 2)
        self.assertIn("has results with decisions 3000, not 4000", other.stderr)
        for copy in ("asked/1-1~", "asked/a-1", "logs/notes.txt"):
            (self.out / copy).touch()
        self.assertEqual(run_regress(self.out, "--report", str(self.out)).returncode, 0)
        of_engines = kinds.ENGINES.failure("rr", 1, "")
        for text in ("{", "{}", "[]", json.dumps(of_engines)):  # copied in part, or something else
            (self.out / "jobs" / "rr-1.json").write_text(text)
            for more in ([], ["--report", str(self.out)]):
                done = run_regress(self.out, "--policy", "rr", *more, seeds=1)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"^regress: .*rr-1.json: is no result.*\n$")
        for text in ("{", "{}", "[]", '{"kind": "policies"}'):
            (self.out / "settings.json").write_text(text)
            for more in ([], ["--report", str(self.out)], ["--publish", str(self.out)]):
                done = run_regress(self.out, "--policy", "rr", *more, seeds=1)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"^regress: .*settings.json: is cut off or has no settings; .*\n$")
        for job in (OPTIONS.job, OPTIONS.engine_job):
            for wrong in (["--policy", "fifo", "--out", "x"], ["--policy", "rr"], ["--seed", "-1"]):
                done = subprocess.run([job, *wrong], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (2, ""), wrong)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


def point(page, count, **fields):
    text = "".join(f"\x01{key}\x02{value}" for key, value in {"page": page, **fields}.items())
    return f"C '{text}' {count}\n"


class ReportTest(unittest.TestCase):
    def test_the_page_has_sums_means_and_extremes(self):
        def queue(share, *waits):
            return dict(zip(("share", "packets", "wait_mean", "wait_p99", "wait_max"), (share, *(waits or (0, 0, 0, 0))), strict=True))

        backlogs = ([queue(0.25, 5, 2, 30, 40), queue(0.5, 5, 10, 100, 1000), queue(0.25)],
                    [queue(0.35, 5, 4, 50, 90), queue(0.4), queue(0.25)], None)
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory)
            (out / "jobs").mkdir()
            for (subject, seed, first, seconds), queues in zip(
                    (("rr", 1, 3, 2.0), ("rr", 2, 1000, 4.0), ("sbt", 7, 30, 1.5)), backlogs, strict=True):
                (out / "jobs" / f"{subject}-{seed}.json").write_text(json.dumps(
                    {"subject": subject, "seed": seed, "passed": subject == "rr", "seconds": seconds, "failure": "its fault",
                     "backlog": queues and {"scenario": "x", "queues": queues}}
                    | {figure: first + place for place, figure in enumerate(kinds.PORTS.figures)}))
            self.assertEqual(report.write(out, []), report.Summary(3, 1, 1033))
            page = (out / "index.html").read_text().replace("\u202f", ",")
            suites = ElementTree.parse(out / "junit.xml").getroot()
        self.assertEqual([(suite.get("name"), suite.get("tests"), suite.get("failures"), suite.get("time")) for suite in suites],
                         [("rr", "2", "0", "6.000"), ("sbt", "1", "1", "1.500")])
        self.assertEqual((suites.get("tests"), suites.get("failures")), ("3", "1"))
        rows = [re.findall(r"<td>(.*?)</td>", re.sub(r"</?span[^>]*>", "", line)) for line in re.findall(r"<tr.*?</tr>", page)]
        figures = range(len(kinds.PORTS.figures))
        self.assertEqual([cells for cells in rows if cells], [
            ["rr", "2", "2", "0", *(f"{1003 + 2 * place:,}" for place in figures), "6 s"],
            ["sbt", "1", "0", "1", *(str(30 + place) for place in figures), "2 s"],
            ["all", "3", "2", "1", *(f"{1033 + 3 * place:,}" for place in figures), "8 s"],
            ["rr", "1", "passed", *(str(3 + place) for place in figures), "2.0 s"],
            ["rr", "2", "passed", *(f"{1000 + place:,}" for place in figures), "4.0 s"],
            ["sbt", "7", "failed", *(str(30 + place) for place in figures), "1.5 s"]])
        self.assertIn("1 of 3 jobs failed.", page)
        self.assertIn("sbt, seed 7</h3><pre>its fault</pre>", page)
        self.assertEqual(re.findall("<title>(queue .*?)</title>", page), [
            "queue 0: 30.00 %, 25.00 to 35.00 %", "queue 1: 45.00 %, 40.00 to 50.00 %", "queue 2: 25.00 %, 25.00 to 25.00 %",
            "queue 0: mean 3.0, 99 % 40, longest 90", "queue 1: mean 10.0, 99 % 100, longest 1000"])
        # From 12 to 156 there is 0 to 50 %, and 1 to 1000 cycles.
        self.assertIn('y="69.6" width="34.0" height="86.4"', page)
        self.assertIn(">50 %</text>", page)
        self.assertRegex(page, r'cy="108.0" r="3.5" fill="var\(--bar\)"/><path d="M\S+ 60.0h10" .*?cy="12.0" r="3.5" fill="none"')
        self.assertEqual(page.count(">never</text>"), 1)


class CoverageTest(unittest.TestCase):

    def test_instances_are_taken_together_and_exclusions_excuse_what_is_missed(self):
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "coverage.dat"
            file.write_text("# SystemC::Coverage-3\n" + "".join([
                point("v_line/qosarb_rr", 0, l=10, n=3, o="if", h="a.u_rr"),
                point("v_line/qosarb_rr__Q9", 4, l=10, n=3, o="if", h="b.u_rr"),
                point("v_branch/qosarb_rr", 0, l=12, n=3, o="else", h="a.u_rr"),
                point("v_toggle/qosarb_rr", 0, l=2, n=1, o="x[0]", h="a.u_rr"),
                point("v_toggle/qosarb_rr", 0, l=2, n=1, o="x[1]", h="a.u_rr"),
                point("v_toggle/qosarb_rr", 1, l=2, n=1, o="x[2]", h="a.u_rr"),
                point("v_toggle/qosarb_rr_cover__Q9", 0, l=2, n=1, o="y", h="a.u_rr.u_cover"),
                point("v_user/qosarb_rr_cover__Q9", 7, l=2, n=1, o="cover", h="a.u_rr.u_cover.wraps"),
                point("v_user/qosarb_candidates_cover__Q9", 0, l=3, n=1, o="cover",
                      h="b.u_rr.u_candidates_cover.other"),
                point("v_line/age_chip", 0, l=3, n=1, o="block", h="chip")]))
            points = coverage.read(file)
        exclusions = [{"module": "qosarb_rr", "kind": "cover", "points": "other", "reason": "a test"},
                      {"module": ".*", "kind": "cover", "points": "wraps", "reason": "is hit"}]
        found = coverage.account(points, exclusions)
        self.assertEqual(found.modules, {"qosarb_rr": {"line": (1, 2), "toggle": (1, 3),
                                                       "cover": (1, 1)}})
        self.assertEqual(found.missed, {"line": {"qosarb_rr": ["12.3 else"]},
                                        "toggle": {"qosarb_rr": ["x[0]", "x[1]"]}})
        self.assertEqual(found.excluded, [1, 0])
        self.assertEqual(list(coverage.folded(["x[0]", "x[1]", "x[3]", "y"])), ["x[0..1,3]", "y"])

    def test_each_exclusion_has_its_reason(self):
        for exclusion in coverage.read_exclusions():
            self.assertEqual(set(exclusion) | {"missed"}, {"module", "kind", "points", "missed", "reason"})
            self.assertIn(exclusion["kind"], coverage.KINDS)
            self.assertGreater(len(exclusion["reason"].split()), 4, exclusion)


class PublishTest(unittest.TestCase):
    """docs/data and the page, in a directory of their own."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)
        (self.top / "rtl" / "policy").mkdir(parents=True)
        self.rtl = self.top / "rtl" / "policy" / "qosarb_rr.sv"
        self.rtl.write_text("one")
        page = self.top / "page.md"
        page.write_text("".join(f"<!-- regress: {name} -->\n<!-- end -->\n" for name in publish.TABLES))
        for name, value in {"TOP": self.top, "PAGE": page, "DATA": self.top,
                            "COVERAGE": self.top / "coverage.json"}.items():
            patch = mock.patch.object(publish, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def results(self, directory, policy, seeds, kind=kinds.PORTS, commit="abc1234"):
        out = self.top / directory
        (out / "jobs").mkdir(parents=True, exist_ok=True)
        (out / "settings.json").write_text(json.dumps(
            {"commit": commit, "kind": kind.name, "coverage": False}))
        for seed in seeds:
            (out / "jobs" / f"{policy}-{seed}.json").write_text(json.dumps(
                {"subject": policy, "seed": seed, "passed": True, "seconds": 1.0,
                 **{figure: 1000 * seed for figure in kind.figures}}))
        return out

    def test_figures_are_the_sums_of_the_jobs_and_others_stay(self):
        publish.publish(self.results("a", "rr", [1, 2, 3]))
        publish.publish(self.results("b", "sbt", [1]))
        publish.publish(self.results("c", "rr", [1, 2], commit="def5678"))
        rows = {row["policy"]: row for row in publish.published(kinds.PORTS)}
        self.assertEqual((rows["rr"]["contested"], rows["rr"]["seeds"], rows["rr"]["commit"]),
                         ("3000", "1 to 2", "def5678"))
        self.assertEqual(publish.ranges([9, 3, 2, 1, 5]), "1 to 3, 5, 9")
        self.assertEqual((rows["sbt"]["contested"], rows["sbt"]["commit"]), ("1000", "abc1234"))
        self.assertIn("| `rr` | 3,000 |", publish.PAGE.read_text())
        self.assertEqual(publish.outdated(), [])
        publish.PAGE.write_text(publish.PAGE.read_text().replace("3,000", "4,000"))
        self.assertEqual(len(publish.outdated()), 1)
        with self.assertRaisesRegex(publish.Fault, "of which commit"):
            publish.publish(self.results("d", "rr", [1], commit=None))

    def test_rows_of_other_seeds_stay_and_are_added(self):
        def publish_engines(directory, engine, seeds, commit):
            publish.publish(self.results(directory, engine, seeds, kinds.ENGINES, commit))

        def rows():
            return [(row["engine"], row["seeds"], row["contested"], row["commit"])
                    for row in publish.published(kinds.ENGINES)]

        publish_engines("a", "rr", [1, 2], "abc1234")
        publish_engines("b", "rr-next", [1], "abc1234")
        publish_engines("c", "rr", [4, 5, 10], "def5678")
        self.assertEqual(rows(), [("rr", "1 to 2", "3000", "abc1234"), ("rr", "4 to 5, 10", "19000", "def5678"),
                                  ("rr-next", "1", "1000", "abc1234")])
        self.assertIn("| `rr` | 23,000 | 22,000 | 1,000 | 0 |", publish.PAGE.read_text())
        # Never is a seed counted twice.
        publish_engines("c", "rr", [6], "def5678")
        publish_engines("d", "rr", [2, 3], "aaa1111")
        self.assertEqual([row[1:] for row in rows() if row[0] == "rr"],
                         [("2 to 3", "5000", "aaa1111"), ("4 to 6, 10", "25000", "def5678")])
        self.assertEqual(publish.outdated(), [])

    def test_coverage_is_of_the_rtl_that_it_names(self):
        points = {("qosarb_rr", "line", "1.1 if"): 3, ("qosarb_rr", "line", "2.1 else"): 0,
                  ("qosarb_rr", "toggle", "x[0]"): 0}
        exclusion = {"module": "qosarb_rr", "kind": "toggle", "points": ".*", "missed": 1, "reason": "a test"}
        with mock.patch.object(coverage, "read_exclusions", lambda: [exclusion]):
            publish.put_coverage(points, [exclusion], "abc1234")
            publish.write_page()
            self.assertIn("| `qosarb_rr` | 1 of 2 |  |  | yes |", publish.PAGE.read_text())
            self.assertIn("50.0 % of the lines and branches", publish.PAGE.read_text())
            self.assertEqual(publish.outdated(), [])
            self.rtl.write_text("another")
            self.assertEqual(len(publish.outdated()), 1)
            publish.write_page()
            self.assertIn("no: it has changed since", publish.PAGE.read_text())
            self.assertEqual(publish.outdated(), [])
            # A reason for what is covered, or for a point more than it says.
            for count in (1, 0):
                points["qosarb_rr", "toggle", "x[0]"] = count
                points["qosarb_rr", "toggle", "x[1]"] = count
                with self.assertRaisesRegex(publish.Fault, f"excuses {2 - 2 * count} points, not 1"):
                    publish.put_coverage(points, [exclusion], "abc1234")
        with mock.patch.object(coverage, "read_exclusions", lambda: []):
            self.assertEqual(len(publish.outdated()), 1)

    def test_cover_points_that_came_or_went_are_told(self):
        covers = self.top / "tb" / "coverage" / "qosarb_rr_cover.sv"
        covers.parent.mkdir(parents=True)

        def bind(*names):
            covers.write_text("".join(f"  {name}: cover property (@(posedge clk_i) a);\n" for name in names) +
                              "bind qosarb_rr qosarb_rr_cover u_cover (.*);\n")

        bind("wraps", "starts", "never")
        points = {("qosarb_rr", "cover", "wraps"): 3, ("qosarb_rr", "cover", "starts"): 0,
                  ("qosarb_rr", "cover", "never"): 0}
        exclusion = {"module": "qosarb_rr", "kind": "cover", "points": "never", "missed": 1, "reason": "a test"}
        with mock.patch.object(coverage, "read_exclusions", lambda: [exclusion]):
            publish.put_coverage(points, [exclusion], "abc1234")
            publish.write_page()
            page = publish.PAGE.read_text()
            self.assertIn("| `qosarb_rr` |  |  | 1 of 2 | yes |", page)
            self.assertEqual(publish.outdated(), [])
            for names in (["wraps", "never"], ["wraps", "starts", "never", "another"]):
                publish.PAGE.write_text(page)
                bind(*names)
                self.assertEqual(len(publish.outdated()), 1, names)
                publish.write_page()
                self.assertIn("no: its cover points have changed since", publish.PAGE.read_text())
                self.assertEqual(publish.outdated(), [])
            bind("wraps", "starts", "renamed")
            publish.write_page()
            self.assertEqual(publish.outdated(), ["tb/coverage has 0 cover points 'never' of 'qosarb_rr': "
                                                  "tb/coverage/exclusions.toml excuses 1"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("--regress", "--job", "--engine-job", "--faulty-job", "--faulty-engine-job", "--command"):
        parser.add_argument(name, required=True)
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
