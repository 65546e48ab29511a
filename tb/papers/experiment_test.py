"""What the experiments do when they are interrupted, how they judge what they measured, how many seeds they ask for and on how many
threads they run."""

import concurrent.futures
import contextlib
import io
import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import check
import command
import errata
import experiment
import pages
import rows


class Held(unittest.TestCase):
    def test_what_is_not_as_it_has_to_be_is_no_verdict(self):
        nan = float("nan")
        for fails in (
            lambda: rows.same(2, 3),
            lambda: rows.holds([], "some"),
            lambda: rows.near(1.25, 1, 0.125),
            lambda: rows.near(0.75, 1, 0.125),
            lambda: rows.near(nan, 1, 0.125),
            lambda: rows.near([1, 2, 3.5], (1, 2, 3), 0.25),
        ):
            self.assertRaises(rows.Unexpected, fails)
        self.assertRaises(ValueError, rows.near, [1, 2], [1, 2, 3], 0.25)
        self.assertEqual((rows.same(2, 2), rows.near(1.25, 1, 0.25), rows.near([0.75], [1], 0.25)), (2, 1.25, [0.75]))


class Checked(unittest.TestCase):
    """What check.py says of a paper with a single row."""

    def said(self, *options, decides=lambda: rows.agrees(1, "a"), stale=(), **experiment):
        """Its exit status and its lines; the row is decided by a function, and the paper has an experiment."""
        paper, out = rows.Paper("infiniband", ""), io.StringIO()
        paper.catalogue = {"ib-1": {}}
        paper.store = paper.store_time = unittest.mock.Mock()
        if decides:
            paper.row("ib-1", "")(decides)
        paper.experiments = {"some": unittest.mock.Mock(**{"faults.return_value": [], **experiment})}
        arguments = ["check.py", "--qosarb", sys.executable, *options, "infiniband"]
        with (
            unittest.mock.patch.object(check, "paper_named", lambda _: paper),
            unittest.mock.patch.object(pages, "update", return_value=list(stale)) as self.update,
            unittest.mock.patch.object(command, "QOSARB"),
            unittest.mock.patch.object(sys, "argv", arguments),
            contextlib.redirect_stdout(out),
        ):
            return check.main(), out.getvalue().splitlines()

    def test_each_fault_is_told_and_no_success(self):
        def breaks(): raise KeyError("some")  # fmt: skip

        for line, options, given in (
            ("ib-1: : 2, not 3", [], {"decides": lambda: rows.same(2, 3)}),
            ("ib-1: KeyError: 'some'", [], {"decides": breaks}),
            ("ib-1: nobody decides this row", [], {"decides": None}),
            ("ib-1: differs, and no cause is shown: 1", [], {"decides": lambda: rows.decided(False, 1, "a")}),
            ("another scenario", [], {"faults.return_value": ["another scenario"]}),
            ("infiniband some: it ended with 1", ["--run", "quick"], {"run.side_effect": RuntimeError("it ended with 1")}),
        ):
            status, lines = self.said(*options, **given)
            self.assertEqual((status, line in lines), (1, True), lines)
            self.update.assert_not_called()
        status, lines = self.said(stale=["README.md"])
        self.assertEqual((status, lines[-1]), (1, "README.md is not what the checks say; run scripts/reproduce"))

    def test_without_one_it_is(self):
        self.assertEqual(self.said(), (0, ["infiniband: 1 rows decided, 0 failures so far"]))
        self.assertEqual(self.said("--row", "ib-1"), (0, ["agrees: 1", "  a", "infiniband: 1 rows decided, 0 failures so far"]))
        self.update.assert_not_called()
        self.assertEqual(self.said("--write", stale=["README.md"], decides=lambda: rows.decided(False, 1, "a"))[0], 0)
        self.assertTrue(self.update.call_args[0][1])

    def test_a_row_has_one_check_and_stands_in_the_catalogue(self):
        paper = rows.Paper("infiniband", "")
        paper.needs("ib-1", "a")
        for row_id in ("ib-1", "ib-0"):
            with self.assertRaises(ValueError):
                paper.row(row_id, "")(print)

    def test_what_is_of_something_else_is_stale(self):
        def unlike(*_): raise rows.Unexpected("another")  # fmt: skip

        self.assertEqual(
            pages.told({5: unlike, 2: lambda: "b"}),
            (["1. b", "2. Not borne by what is kept: another."], ["finding 2 (another)"]),
        )
        paper = unittest.mock.Mock(figures={"bxi-new.svg": ""}, catalogue={})
        paper.name = "bxi"
        with tempfile.TemporaryDirectory() as directory:
            results = pathlib.Path(directory)
            (results / "plots").mkdir()
            for name in ("plots/bxi-new.svg", "plots/bxi-old.svg", "plots/cray-old.svg"):
                (results / name).touch()
            (results / "some.md").write_text("one")
            with (
                unittest.mock.patch.object(command, "TOP", results),
                unittest.mock.patch.object(pages, "RESULTS", results),
                unittest.mock.patch.object(check, "NAMES", []),
                unittest.mock.patch.multiple(pages, page=lambda *_: "", summary=lambda *_: "", readme=lambda *_: ""),
                unittest.mock.patch.object(pages, "told", lambda _: ([], ["finding 2"])),
                unittest.mock.patch.object(errata, "page", unlike),
            ):
                self.assertEqual(pages.put({"some.md": "two", "other.md": "two"}, False), ["some.md", "other.md"])
                self.assertEqual(pages.put({"some.md": "one"}, False), [])
                with unittest.mock.patch.object(pages, "put", lambda texts, write: ["README.md"]):
                    stale = pages.update({paper: {}}, False)
                    self.assertTrue((results / "plots/bxi-old.svg").exists())
                    pages.update({paper: {}}, True)
                    left = sorted(path.name for path in (results / "plots").iterdir())
            self.assertEqual(left, ["bxi-new.svg", "cray-old.svg"])
        self.assertEqual(
            stale, ["finding 2", "docs/errata.md (another)", "docs/results/plots/bxi-old.svg", "README.md"]
        )


class EndsBadly(unittest.TestCase):
    def test_a_command_that_fails_gives_no_numbers(self):
        with tempfile.TemporaryDirectory() as directory:
            fails = pathlib.Path(directory) / "qosarb"
            with (
                unittest.mock.patch.object(command, "QOSARB", fails),
                unittest.mock.patch.object(experiment, "RUNS", pathlib.Path(directory) / "runs"),
            ):
                one = experiment.Experiment(
                    unittest.mock.Mock(), "some", "", None, {}, keep=lambda report, tables: report
                )
                for ends, status in (("exit 1", 1), ("exit 2", 2), ("kill -9 $$", -9)):
                    fails.write_text(f"#!/bin/sh\necho '{{}}'\necho some.yaml: its fault >&2\n{ends}\n")
                    fails.chmod(0o755)
                    with self.assertRaisesRegex(RuntimeError, f"ended with {status}: some.yaml: its fault"):
                        command.sim({})
                    with self.assertRaisesRegex(RuntimeError, f"ended with {status}: some.yaml: its fault"):
                        one._one({}, 1, 1)
                    if status == 2:
                        self.assertEqual(command.refused({}), "its fault")
                    else:
                        self.assertRaisesRegex(RuntimeError, f"status {status}", command.refused, {})
                    told = "some.yaml: its fault" if status == 2 else None
                    self.assertEqual((command.sim_refused({}), command.plan_refused("some")), (told, told))
                self.assertEqual(list(experiment.RUNS.glob("*.[0-9]")), [])


class Refused(unittest.TestCase):
    def refusal(self, *arguments):
        """The one line that check.py ends with."""
        done = subprocess.run(
            [sys.executable, "-B", pathlib.Path(__file__).with_name("check.py"), *arguments, "infiniband"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        return done.stderr.removeprefix("check.py: ").strip()

    def test_a_command_that_is_not_there_is_told_once(self):
        for path in ("/nowhere/qosarb", str(pathlib.Path(__file__).parent)):
            for run in ([], ["--run", "quick"]):
                self.assertIn(f"{path} is no command", self.refusal("--qosarb", path, *run))

    def test_options_that_would_do_nothing_are_refused(self):
        for option in (["--only", "trees"], ["--seeds", "2"], ["--more"]):
            self.assertEqual(self.refusal(*option), "--only, --seeds and --more are of --run")
        self.assertEqual(self.refusal("--row", "ib-46", "--write"), "--write writes what all rows say, --row decides one")


class Interrupted(unittest.TestCase):
    def test_what_a_killed_process_left_is_removed_and_what_runs_stays(self):
        killed = subprocess.Popen([sys.executable, "-c", ""])
        killed.wait()
        with tempfile.TemporaryDirectory() as directory:
            experiment.RUNS = pathlib.Path(directory)
            left, running, kept = (
                experiment.RUNS / name
                for name in (f"a.model.1.{killed.pid}.part", f"a.model.2.{os.getpid()}.part", "a.model.3")
            )
            for folder in (left, running, kept):
                folder.mkdir()
                (folder / "report.json").touch()
            experiment.clear_parts()
            self.assertEqual(sorted(experiment.RUNS.iterdir()), sorted([running, kept]))

    def test_an_interrupt_is_told_in_one_line(self):
        with tempfile.TemporaryDirectory() as directory:
            begun, waits = pathlib.Path(directory) / "begun", pathlib.Path(directory) / "qosarb"
            waits.write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 60\n")
            waits.chmod(0o755)
            check = pathlib.Path(__file__).with_name("check.py")
            process = subprocess.Popen(
                [sys.executable, "-B", check, "--qosarb", waits, "--row", "ib-1", "infiniband"],
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            while process.poll() is None and not begun.exists():
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            self.assertEqual(process.communicate()[1], "check.py: interrupted; run it again to go on\n")
            self.assertEqual(process.returncode, 130)


def half(path, text, **_):
    """Instead of a write to a disk that is full."""
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text[: len(text) // 2])
    raise OSError("no space left")


class Stored(unittest.TestCase):
    def test_what_is_stored_stays_whole_if_a_later_write_breaks_off(self):
        results = {
            "size": "quick",
            "seeds": 1,
            "engine": "model",
            "points": {"a": {"scenario": "0", "samples": {"b": [1]}}},
        }
        with tempfile.TemporaryDirectory() as directory:
            measured = pathlib.Path(directory)
            with unittest.mock.patch.multiple(experiment, MEASURED=measured, TIMES=measured / "times.json"):
                paper = rows.Paper("bxi", "")
                paper.experiments = {"some": None}
                paper.store("some", results)
                paper.store_time("some", 1)
                with unittest.mock.patch.object(pathlib.Path, "write_text", half):
                    for store, value in ((paper.store, results), (paper.store_time, 2)):
                        with self.assertRaises(OSError):
                            store("some", value)
                self.assertEqual(rows.Paper("bxi", "").measured(), {"some": results})
                self.assertEqual(rows.Paper("bxi", "").times(), {"some": 1})
                self.assertEqual(len(list(measured.iterdir())), 2)

    def test_a_page_stays_whole_if_a_later_write_breaks_off(self):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory) / "some.md"
            with (
                unittest.mock.patch.object(command, "TOP", page.parent),
                unittest.mock.patch.object(pages, "RESULTS", page.parent),
            ):
                self.assertEqual(pages.put({"some.md": "one\r\nµ\n"}, True), ["some.md"])
                with (
                    unittest.mock.patch.object(pathlib.Path, "write_text", half),
                    unittest.mock.patch.object(pathlib.Path, "write_bytes", half),
                    self.assertRaises(OSError),
                ):
                    pages.put({"some.md": "two"}, True)
            self.assertEqual(page.read_bytes().decode(), "one\r\nµ\n")
            self.assertEqual(list(page.parent.iterdir()), [page])


class AtOnce(unittest.TestCase):
    def test_whoever_runs_the_same_at_the_same_time_is_no_fault(self):
        with tempfile.TemporaryDirectory() as directory:
            experiment.RUNS = pathlib.Path(directory) / "runs"
            command.QOSARB = pathlib.Path(directory) / "qosarb"
            command.QOSARB.write_text('#!/bin/sh\nsleep 0.5\necho \'{"told": 7, "wall_s": 0.5}\'\n')
            command.QOSARB.chmod(0o755)
            one = experiment.Experiment(
                unittest.mock.Mock(), "some", "", lambda size: {}, {"quick": 1}, lambda report, tables: report
            )
            runs = [lambda: one._one({"name": "a"}, 1, 1)] * 2
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                told = [done.result()["told"] for done in [pool.submit(run) for run in runs]]
            self.assertEqual(told, [7, 7])
            self.assertEqual([folder.suffix for folder in experiment.RUNS.iterdir()], [".1"])


ALL = [f"experiment {number}" for number in range(40)]


def store(name):
    paper = rows.Paper("bxi", "")
    paper.experiments = dict.fromkeys(ALL)
    paper.store(name, {"size": "quick", "seeds": 1, "engine": "model", "points": {}})
    paper.store_time(name, 1)


class StoredAtOnce(unittest.TestCase):
    def test_processes_that_store_at_once_lose_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            experiment.MEASURED = pathlib.Path(directory)
            experiment.TIMES = experiment.MEASURED / "times.json"
            fork = multiprocessing.get_context("fork")  # so that they know the directory
            with concurrent.futures.ProcessPoolExecutor(8, fork) as pool:
                list(pool.map(store, ALL))
            paper = rows.Paper("bxi", "")
            self.assertEqual((list(paper.measured()), list(paper.times())), (ALL, ALL))


class Seeds(unittest.TestCase):
    def test_how_many_would_decide(self):
        # Mean 1.5, deviation 1: 3.18 / sqrt(4) is above 1.5, 2.78 / sqrt(5) below.
        self.assertEqual(
            experiment.interval([0.5, 1.5, 2.5]).more_seeds(), "some 5 seeds instead of 3, should mean and scatter stay"
        )
        self.assertEqual(experiment.interval([0.5]).more_seeds(), "more seeds")
        self.assertEqual(
            experiment.interval([-1.0, 1.0]).more_seeds(), "a thousand seeds or more, should mean and scatter stay"
        )


class Samples(unittest.TestCase):
    def test_two_runs_are_compared_seed_by_seed(self):
        first, second = experiment.Run({"a": [2, 6, 7], "b": [0, 0, 0]}), experiment.Run({"a": [1, 2]})
        # Differences 1 and 4, ratios 2 and 3; t is 12.7062 of two seeds, half of the distance what a mean deviates.
        for found, mean, half in ((experiment.difference, 2.5, 1.5), (experiment.ratio, 2.5, 0.5)):
            told = found(first, second, "a")
            self.assertAlmostEqual(told.mean, mean)
            self.assertAlmostEqual(told.half, 12.7062 * half, 3)
            self.assertEqual(told.seeds, 2)
        self.assertEqual((first.mean("a"), first.each(lambda seed: seed["a"] + seed["b"]).mean), (5, 5))
        self.assertEqual(experiment.Run({"a": [[1, 2, 9], [3, 6]]}).series("a"), [2, 4])

    def test_ranks_correlate(self):
        for xs, ys, expected in (
            ([1, 2, 3], [10, 30, 20], 0.5),
            ([5, 1, 9], [2, 1, 300], 1),
            ([1, 2, 3, 4], [8, 6, 4, 1], -1),
            ([1, 2, 3], [7, 7, 8], 0.75**0.5),  # ranks 0.5, 0.5, 2
            ([1, 2, 3], [7, 7, 7], 0),
        ):
            self.assertAlmostEqual(experiment.spearman(xs, ys), expected)


class Together(unittest.TestCase):
    BARS, SEEDS, FAMILIES = 24, 6, 1500

    def families(self, shifted=0.0):
        """Families of bars over a few seeds whose true value is 0, but for the first, which is `shifted` deviations."""
        drawn = random.Random(1)
        for _ in range(self.FAMILIES):
            yield {
                bar: experiment.interval([drawn.gauss(shifted if bar == 0 else 0, 1) for _ in range(self.SEEDS)])
                for bar in range(self.BARS)
            }

    def test_students_t(self):
        for freedom, beyond, value in (
            (1, 0.05, 12.7062),
            (2, 0.05, 4.3027),
            (5, 0.05, 2.5706),
            (29, 0.05, 2.0452),
            (2, 0.01, 9.9248),
            (4, 0.01, 4.6041),
            (10, 0.005, 3.5814),
            (1000, 0.05, 1.9623),
        ):
            self.assertAlmostEqual(experiment.student_t(freedom, beyond), value, 4)

    def test_of_families_without_any_difference_one_in_twenty_has_a_bar_beyond(self):
        alone = together = 0
        for family in self.families():
            alone += any(found.above() or found.below() for found in family.values())
            judged = experiment.simultaneous(family)
            together += any(found.above() or found.below() for found in judged.values())
        self.assertGreater(alone / self.FAMILIES, 0.6)  # 1 - 0.95^24 = 0.71
        self.assertLess(together / self.FAMILIES, 0.05 + 3 * (0.05 * 0.95 / self.FAMILIES) ** 0.5)
        self.assertGreater(together / self.FAMILIES, 0.03)  # nor are they wider than they have to be

    def test_a_difference_that_is_there_is_still_found(self):
        found = sum(0 in experiment.Comparisons(family).shown for family in self.families(shifted=4.0))
        self.assertGreater(found / self.FAMILIES, 0.95)

    def test_all_have_to_be_above_together(self):
        near, far = experiment.interval([0.5, 1.0, 1.5]), experiment.interval([9.9, 10.0, 10.1])
        self.assertFalse(near.above())  # 1 +- 1.24
        near = experiment.interval([0.7, 1.0, 1.3])  # 1 +- 0.745 alone, +- 1.07 as one of two
        self.assertTrue(near.above())
        self.assertTrue(experiment.Comparisons([near]))
        both = experiment.Comparisons({"near": near, "far": far})
        self.assertEqual((bool(both), both.shown, both.turned, both.open), (False, ["far"], [], True))
        self.assertEqual(
            both.left_open(),
            "within its 95 % interval as one of 2, needs some 4 seeds instead of 3, should mean and scatter stay",
        )
        # One whose mean is below 0 decides as soon as it turns, whatever the others need.
        wide = experiment.interval([-8.0, 0.5, 10.5])
        against = experiment.Comparisons([near.under(), wide, far])
        self.assertTrue(against.open)
        self.assertIn("needs some 4 seeds instead of 3", against.left_open())
        self.assertIn("needs some 495 seeds instead of 3", against.each_left_open())
        self.assertEqual(experiment.Comparisons([near, wide]).left_open(), experiment.Comparisons([near, wide]).each_left_open())
        small = experiment.Comparisons([experiment.interval([0.1, 0.4, 0.7]), wide])
        self.assertEqual(small.left_open(), small.each_left_open())
        turned = experiment.Comparisons([far, far.under()])
        self.assertEqual((bool(turned), turned.turned, turned.open), (False, [1], False))
        self.assertEqual(near.text(), "1.00 ± 0.75")
        self.assertEqual(both.of["near"].text(), "1.00 ± 0.75")

    def test_what_a_row_compares_otherwise_counts_among_them(self):
        near = experiment.interval([0.7, 1.0, 1.3])
        self.assertTrue(experiment.Comparisons([near]))
        self.assertFalse(experiment.Comparisons([near], among=2))

    def test_bounds_turn_into_signs(self):
        found = experiment.simultaneous([experiment.interval([0.9, 1.0, 1.1])] * 3)[0]
        self.assertAlmostEqual(found.over(0.25).mean, 0.75)
        self.assertAlmostEqual(found.under(1.5).mean, 0.5)
        self.assertEqual({found.over(2).comparisons, found.under(2).comparisons}, {3})

    def test_one_seed_decides_nothing(self):
        self.assertTrue(experiment.Comparisons([experiment.interval([1.0]), experiment.interval([2.0])]).open)


class Open(unittest.TestCase):
    def test_a_row_that_its_intervals_leave_open_waits_for_seeds(self):
        near, far = experiment.interval([0.7, 1.0, 1.3]), experiment.interval([9.9, 10.0, 10.1])
        self.assertEqual(rows.by_comparisons(experiment.Comparisons([far, far]), 1, "a").verdict, "agrees")
        found = rows.by_comparisons(experiment.Comparisons([near, far]), 1, "a", "its cause")
        self.assertEqual(
            (found.verdict, found.note),
            (
                "not-testable",
                "a: within its 95 % interval as one of 2, needs some 4 seeds instead of 3, should mean and scatter stay",
            ),
        )
        self.assertEqual(
            rows.by_comparisons(experiment.Comparisons([near, far.under()]), 1, "a", "its cause").verdict, "differs"
        )
        self.assertEqual(rows.by_comparisons(False, 1, "a", "its cause").verdict, "differs")


class Threads(unittest.TestCase):
    UNIFORM = {"traffic": [{"name": "a", "pattern": "uniform"}]}

    def setUp(self):
        self.progress = io.StringIO()
        self.terminal = False

    def test_fewer_runs_than_cores_share_them_and_large_ones_have_two(self):
        for runs, jobs, large, expected in (
            (13, 2, False, 1),
            (2, 2, False, 1),
            (1, 2, False, 2),
            (3, 8, False, 2),
            (1, 8, False, 8),
            (13, 2, True, 2),
            (13, 8, True, 2),
            (1, 8, True, 8),
            (13, 1, True, 1),
            (0, 2, False, 2),
        ):
            self.assertEqual(experiment.threads_of([self.UNIFORM], runs, jobs, large), expected, (runs, jobs, large))

    def test_ranks_of_a_trace_have_one(self):
        for keys in ({"application": "allreduce"}, {"trace": "some.goal"}):
            self.assertEqual(experiment.threads_of([self.UNIFORM, {"traffic": [{"name": "b", **keys}]}], 1, 2, True), 1)

    def run_of(self, directory, tells, paper, points, size="quick", **keys):
        """What an experiment with these points gives on two cores, if `qosarb sim` tells the value that follows an option.

        Each run takes 2.25 s of a core, and 0.25 s in the kernel."""
        experiment.RUNS = pathlib.Path(directory) / "runs"
        command.QOSARB = pathlib.Path(directory) / "qosarb"
        command.QOSARB.write_text(
            f"#!{sys.executable}\nimport json, sys\n"
            f'print(json.dumps({{"told": int(sys.argv[sys.argv.index("{tells}") + 1])}}))\n'
        )
        command.QOSARB.chmod(0o755)
        paper.name = "paper"
        one = experiment.Experiment(
            paper, "some", "", lambda size: points, {"quick": 1}, keep=lambda report, tables: {"told": report["told"]}
        )
        wait4, usage = os.wait4, unittest.mock.Mock(ru_utime=2.25, ru_stime=0.25)
        counted = unittest.mock.patch("os.wait4", lambda pid, options: (*wait4(pid, options)[:2], usage))
        self.progress.isatty = lambda: self.terminal
        with counted, contextlib.redirect_stderr(self.progress):
            run = one.run(size, 2, **keys)
        self.core_seconds = one.core_seconds(size)
        return {name: point["samples"]["told"] for name, point in run["points"].items()}

    def test_progress_is_for_a_terminal(self):
        for self.terminal, expected in (
            (False, ""),
            (True, "\rpaper some: 1 of 2 runs\rpaper some: 2 of 2 runs\n"),
        ):
            self.progress = io.StringIO()
            with tempfile.TemporaryDirectory() as directory:
                points = {name: {"name": name, **self.UNIFORM} for name in "ab"}
                self.run_of(directory, "--threads", unittest.mock.Mock(), points)
            self.assertEqual(self.progress.getvalue(), expected)

    def test_what_is_kept_counts_for_no_run(self):
        with tempfile.TemporaryDirectory() as directory:

            def threads(points):
                return self.run_of(directory, "--threads", unittest.mock.Mock(), points)

            two = {name: {"name": name, **self.UNIFORM} for name in "ab"}
            self.assertEqual(threads(two), {"a": [1], "b": [1]})
            self.assertEqual(self.core_seconds, 5)
            self.assertEqual(threads({**two, "c": {"name": "c", **self.UNIFORM}}), {"a": [1], "b": [1], "c": [2]})
            self.assertEqual(self.core_seconds, 7.5)

    def test_more_seeds_are_added_to_what_is_stored_of_the_same_scenario(self):
        points = {name: {"name": name, **self.UNIFORM} for name in "ab"}
        stored = {
            "size": "quick",
            "engine": "model",
            "points": {"a": {"scenario": experiment.key_of(points["a"]), "samples": {"told": [-1, -2]}}},
        }
        paper = unittest.mock.Mock()
        with tempfile.TemporaryDirectory() as directory:

            def seeds(count, points, **changes):
                paper.measured.return_value = {"some": {**stored, **changes}}
                return self.run_of(directory, "--seed", paper, points, seeds=count, more=True)

            self.assertEqual(seeds(2, points), {"a": [-1, -2], "b": [1, 2]})
            self.assertIsNone(self.core_seconds)  # a was never run here
            self.assertEqual(seeds(3, points), {"a": [-1, -2, 3], "b": [1, 2, 3]})
            self.assertEqual(self.core_seconds, 5)  # that of a by its third seed
            self.assertEqual(seeds(1, points), {"a": [-1, -2], "b": [1, 2]})  # none is lost
            self.assertEqual(seeds(1, points, size="full"), {"a": [-1, -2], "b": [1, 2]})  # --quick has the same points
            self.assertEqual(seeds(3, points, engine="lockstep"), {"a": [1, 2, 3], "b": [1, 2, 3]})
            other = {**points, "a": {**points["a"], "name": "other"}}
            self.assertEqual(seeds(3, other), {"a": [1, 2, 3], "b": [1, 2, 3]})


class Keys(unittest.TestCase):
    def test_they_are_of_the_files_that_a_scenario_names_too(self):
        plain = {"traffic": [{"message_bytes": 64}]}
        named = {"traffic": [{"message_sizes": f"{experiment.WORKLOADS}/sizes.txt"}]}
        keys = []
        with tempfile.TemporaryDirectory() as directory:
            folder = pathlib.Path(directory)
            with unittest.mock.patch.object(experiment, "WORKLOAD_FILES", folder):
                for text in ("1 0.5", "1 0.6", "1 0.5"):
                    (folder / "sizes.txt").write_text(text)
                    keys.append((experiment.key_of(plain), experiment.key_of(named)))
        self.assertEqual(len({plain for plain, _ in keys}), 1)
        self.assertEqual(keys[0], keys[2])
        self.assertNotEqual(keys[0][1], keys[1][1])


class InLockstep(unittest.TestCase):
    """What is stored of runs with the RTL beside what the reference alone gave."""

    def points(self, size):
        return {name: {"name": name, "of": size} for name in "abc"}

    def stored(self, engine, points, size="full", **samples):
        return {
            "size": size,
            "seeds": 1,
            "engine": engine,
            "points": {
                point: {"scenario": experiment.key_of(self.points(size)[point]), "samples": samples} for point in points
            },
        }

    def of(self, rtl, model=None):
        paper = unittest.mock.Mock()
        paper.measured.return_value = {
            "some": model or self.stored("model", "abc", accepted=[0.5], shares=[[0.25, 0.75]]),
            "rtl": rtl,
        }
        reference = experiment.Experiment(paper, "some", "", self.points, {"full": 1})
        return experiment.Lockstep(paper, "rtl", reference, "Fig. 1", without=lambda point: point == "c")

    SAME = {
        "accepted": [0.5],
        "shares": [[0.25, 0.75]],
        "decisions": [70],
        "compared_decisions": [70],
        "mismatches": [0],
    }

    def test_the_same_numbers_are_told(self):
        one = self.of(self.stored("lockstep", "ab", **self.SAME))
        self.assertEqual(one.faults(), [])
        self.assertEqual(
            one.told(),
            "2 of these 3 runs (not c) also with the RTL at every port, seed 1: 140 decisions compared with the reference, no "
            "mismatch, and each of the 6 numbers kept is what the reference alone gives.",
        )

    def test_there_is_one_seed_whatever_is_asked_for(self):
        one = self.of(self.stored("lockstep", "ab", **self.SAME))
        with unittest.mock.patch.object(experiment.Experiment, "run") as run:
            one.run("full", 2, 7, True)
        run.assert_called_once_with("full", 2, 1, True)

    def test_each_difference_is_a_fault(self):
        for changes, expected in (
            ({"accepted": [0.6]}, "accepted of a is 0.6 with the RTL, 0.5 without"),
            ({"shares": [[0.25, 0.7]]}, "shares of a is [0.25, 0.7] with the RTL, [0.25, 0.75] without"),
            ({"mismatches": [1]}, "not all decisions of a are compared and the same"),
            ({"compared_decisions": [69]}, "not all decisions of a are compared and the same"),
            ({"decisions": [0], "compared_decisions": [0]}, "not all decisions of a are compared and the same"),
        ):
            faults = self.of(self.stored("lockstep", "ab", **{**self.SAME, **changes})).faults()
            self.assertEqual(faults[:1], [f"experiment rtl: {expected}"])
            self.assertEqual(len(faults), 2)  # of a and b
        without = {name: value for name, value in self.SAME.items() if name != "shares"}
        self.assertIn("shares of a is None", self.of(self.stored("lockstep", "ab", **without)).faults()[0])

    def test_what_the_reference_gave_of_another_scenario_or_with_other_seeds_is_a_fault(self):
        one = self.of(None).reference
        self.assertEqual(one.faults(), [])
        kept = one.stored()["points"]
        kept["a"]["scenario"] = "0"
        kept["b"]["samples"] = {"accepted": [0.5, 0.5], "shares": [[0.25, 0.75]]}
        kept["c"]["samples"] = {"accepted": [0.5], "shares": []}
        self.assertEqual(
            one.faults(),
            [
                "experiment some: what is stored of a is of another scenario",
                "experiment some: b lacks seeds",
                "experiment some: c lacks seeds",
            ],
        )
        one.paper.measured.return_value = {}
        one.paper.name = "bxi"
        self.assertEqual(one.faults(), ["experiment some was never run: scripts/reproduce bxi"])

    def test_what_is_of_another_size_engine_or_point_is_a_fault(self):
        self.assertEqual(
            self.of(self.stored("lockstep", "ab", size="quick", **self.SAME)).faults(),
            [f"experiment rtl: {point} is of another size than some's" for point in "ab"],
        )
        self.assertEqual(
            self.of(self.stored("model", "ab", **self.SAME)).faults(), ["experiment rtl: model made what is stored"]
        )
        self.assertIn("of b is of another scenario", self.of(self.stored("lockstep", "a", **self.SAME)).faults()[0])
        self.assertIn("c is stored and no point", self.of(self.stored("lockstep", "abc", **self.SAME)).faults()[0])


if __name__ == "__main__":
    unittest.main()
