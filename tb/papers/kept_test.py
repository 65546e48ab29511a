"""What docs/results/measured keeps is what the command of today measures: of each paper a run of its quickest experiments again."""

import argparse
import copy
import pathlib
import sys
import tempfile
import unittest

import check
import command
import experiment

EXPERIMENTS = 4  # of each paper


def quickest(paper):
    """The experiments of which a run takes least, by the times that are kept."""
    times, kept = paper.times(), paper.measured()
    seconds = {
        name: times[name] / len(kept[name]["points"])
        for name, one in paper.experiments.items()
        if name in times and name in kept and not isinstance(one, experiment.Lockstep)
    }
    return [paper.experiments[name] for name in sorted(seconds, key=seconds.get)[:EXPERIMENTS]]


def others(one, kept):
    """The numbers of the first point with seed 1 that are not those that are kept."""
    point, found = next(iter(kept["points"].items()))
    told = one._one(one.points(kept["size"])[point], 1, 1)
    return [name for name, values in found["samples"].items() if told.get(name) != values[0]]


class Kept(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        experiment.RUNS = pathlib.Path(directory.name)

    def test_a_run_of_today_gives_the_numbers_that_are_kept(self):
        for name in check.NAMES:
            experiments = quickest(check.paper_named(name))
            self.assertEqual(len(experiments), EXPERIMENTS)
            for one in experiments:
                with self.subTest(f"{name} {one.name}"):
                    self.assertEqual(others(one, one.stored()), [])

    def test_a_number_that_differs_is_told(self):
        one = quickest(check.paper_named("infiniband"))[0]
        kept = copy.deepcopy(one.stored())
        samples = next(iter(kept["points"].values()))["samples"]
        changed = next(iter(samples))
        samples[changed][0] = "another"
        self.assertEqual(others(one, kept), [changed])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--qosarb", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    command.QOSARB = options.qosarb.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
