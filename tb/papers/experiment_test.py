"""What the experiments do when they are interrupted, and how many seeds they ask for."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import experiment


class Interrupted(unittest.TestCase):
    def test_what_a_killed_process_left_is_removed_and_what_runs_stays(self):
        killed = subprocess.Popen([sys.executable, "-c", ""])
        killed.wait()
        with tempfile.TemporaryDirectory() as directory:
            experiment.RUNS = pathlib.Path(directory)
            left, running, kept = (experiment.RUNS / name for name in (f"a.model.1.{killed.pid}.part", f"a.model.2.{os.getpid()}.part", "a.model.3"))
            for folder in (left, running, kept):
                folder.mkdir()
                (folder / "report.json").touch()
            experiment.clear_parts()
            self.assertEqual(sorted(experiment.RUNS.iterdir()), sorted([running, kept]))


class Seeds(unittest.TestCase):
    def test_how_many_would_decide(self):
        # Mean 1.5, deviation 1: 3.18 / sqrt(4) is above 1.5, 2.78 / sqrt(5) below.
        self.assertEqual(experiment.interval([0.5, 1.5, 2.5]).more_seeds(), "some 5 seeds instead of 3, should mean and scatter stay")
        self.assertEqual(experiment.interval([0.5]).more_seeds(), "more seeds")
        self.assertEqual(experiment.interval([-1.0, 1.0]).more_seeds(), "a thousand seeds or more, should mean and scatter stay")


if __name__ == "__main__":
    unittest.main()
