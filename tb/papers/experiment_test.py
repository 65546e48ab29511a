"""What the experiments do when they are interrupted."""
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


if __name__ == "__main__":
    unittest.main()
