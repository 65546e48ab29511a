"""What a row of the dragonfly says that is decided on few nodes and on the paper's machine."""

import math
import unittest

import dragonfly  # noqa: F401  (has the rows import what they need)
import dragonfly_latency
import dragonfly_latency_networks as latency
import dragonfly_networks as networks
import dragonfly_shaping_networks as shaping
import dragonfly_sizes as sizes
import experiment
import rows


class Few(dict):
    name = "few"


class Large(Few):
    name = "large"

    def __init__(self, size="full", **points):
        super().__init__({point: experiment.Run({"some": samples}) for point, samples in points.items()})
        self._size = size

    def size(self):
        return self._size

    def stored(self):
        return {"points": self, "seeds": max((len(run.samples["some"]) for run in self.values()), default=1)}


def settled(few, large, cause="its cause"):
    """Whether the number of a point is above 1, three seeds on few nodes."""
    points = sizes.Points(Few(a=experiment.Run({"some": few})), large)

    def function():
        found = points["a"]["some"]
        return rows.decided(
            sizes.beyond(found, 1),
            found.text(1),
            points,
            sizes.where_run(lambda: points["b"]) if cause is None else cause,
        )

    return sizes.settled(function)


class BothSizes(unittest.TestCase):
    ABOVE, BELOW = [1.9, 2.0, 2.1], [0.4, 0.5, 0.6]

    def test_without_runs_on_the_machine_few_nodes_decide(self):
        for large in (Large(), Large(size="quick", a=[0.5])):
            found = settled(self.ABOVE, large)
            self.assertEqual((found.verdict, found.measured, found.note), ("agrees", "2.0 ± 0.2", "experiment few"))

    def test_where_both_agree_the_note_has_what_the_machine_gave(self):
        found = settled(self.ABOVE, Large(a=[3.0]))
        self.assertEqual(
            (found.verdict, found.measured, found.note),
            ("agrees", "2.0 ± 0.2", "experiment few. On the paper's nodes, one seed: 3.0"),
        )
        found = settled(self.BELOW, Large(a=[0.2]))
        self.assertEqual(
            (found.verdict, found.note),
            ("differs", "experiment few; cause: its cause. On the paper's nodes, one seed: 0.2 (its cause)"),
        )

    def test_where_they_disagree_the_machine_has_the_last_word(self):
        found = settled(self.ABOVE, Large(a=[0.2]))
        self.assertEqual((found.verdict, found.measured), ("differs", "0.2; on 144 nodes 2.0 ± 0.2"))
        self.assertEqual(
            found.note,
            "experiment large, 8,320 nodes, one seed; cause: its cause. 144 nodes would say agrees: experiment few",
        )
        found = settled(self.BELOW, Large(a=[3.0]))
        self.assertEqual((found.verdict, found.measured), ("agrees", "3.0; on 144 nodes 0.5 ± 0.2"))
        self.assertEqual(
            found.note,
            "experiment large, 8,320 nodes, one seed. 144 nodes would say differs: experiment few; cause: its cause",
        )

    def test_a_difference_on_the_machine_is_open_as_long_as_its_cause_is_not_shown_there(self):
        found = settled(self.ABOVE, Large(a=[0.2]), cause=None)
        self.assertEqual((found.verdict, found.measured), ("not-testable", "0.2; on 144 nodes 2.0 ± 0.2"))
        self.assertEqual(
            found.note,
            "experiment large, 8,320 nodes, one seed; the cause is not known: needs the run on the paper's nodes that shows it. "
            "144 nodes would say agrees: experiment few",
        )

    def test_a_difference_on_both_is_open_if_only_few_nodes_show_its_cause(self):
        found = settled(self.BELOW, Large(a=[0.2]), cause=lambda: None if sizes.Points.machine else "its cause")
        self.assertEqual((found.verdict, found.measured), ("not-testable", "0.2; on 144 nodes 0.5 ± 0.2"))
        self.assertEqual(
            found.note,
            "experiment large, 8,320 nodes, one seed; the cause is not known: needs the run on the paper's nodes that shows it. "
            "144 nodes would say differs: experiment few; cause: its cause",
        )

    def test_how_many_seeds_the_machine_had_is_told(self):
        found = settled(self.ABOVE, Large(a=[2.9, 3.0, 3.1]))
        self.assertEqual(found.note, "experiment few. On the paper's nodes, 3 seeds: 3.0 ± 0.2")
        found = settled(self.BELOW, Large(a=[2.9, 3.0, 3.1]))
        self.assertEqual(
            found.note,
            "experiment large, 8,320 nodes, 3 seeds. 144 nodes would say differs: experiment few; cause: its cause",
        )

    def test_several_seeds_have_to_be_beyond_by_their_interval(self):
        self.assertEqual(settled([0.5, 1.5, 2.5], Large()).verdict, "differs")


class AtMost(unittest.TestCase):
    def test_a_mean_beyond_its_bound_differs_by_its_interval_alone(self):
        one = experiment.interval([0.9, 1.0, 1.1])  # 1 +- 0.248 alone, +- 0.358 as one of two
        for bounds, verdict in (
            ([1.0], "agrees"),
            ([0.9], "not-testable"),
            ([0.7], "differs"),
            ([0.7, 2.0], "not-testable"),
            ([0.6, 2.0], "differs"),
            ([0.6, 0.9], "differs"),
            ([1.1, 2.0], "agrees"),
        ):
            found = sizes.at_most([(one, bound) for bound in bounds], "", "a", "its cause")
            self.assertEqual(found.verdict, verdict, bounds)


class Variances(unittest.TestCase):
    def test_a_ratio_is_beyond_in_one_of_forty(self):
        def area(freedom, angle, steps=2000):  # of Fisher's F with the same degrees of freedom on both sides, below tan^2
            width = angle / steps
            return width * sum(math.sin(2 * (place + 0.5) * width) ** (freedom - 1) for place in range(steps))

        for freedom, beyond in dragonfly_latency.F_975.items():
            part = area(freedom, math.atan(beyond**0.5)) / area(freedom, math.pi / 2)
            self.assertAlmostEqual(part, 0.975, delta=0.0002, msg=freedom)


class Rotated(unittest.TestCase):
    def test_equal_jobs_stand_on_the_same_nodes_of_other_groups_and_no_node_has_two(self):
        for size in ("quick", "full"):
            ranks = latency.ALLREDUCE[size] + latency.UNIFORM[size]
            jobs = latency.rotated(size, ranks)
            self.assertEqual([len(job) for job in jobs], ranks)
            self.assertEqual(len({host for job in jobs for host in job}), sum(ranks))
            shape = networks.NETWORK[size]
            group = shape["switches"] * shape["hosts_per_switch"]
            for job in jobs[: ranks.count(ranks[0])]:
                apart = {(there - here) % networks.hosts(size) for here, there in zip(jobs[0], job, strict=True)}
                self.assertEqual((len(apart), apart.pop() % group), (1, 0))


class FullLinks(unittest.TestCase):
    def test_only_full_global_links_count_and_the_busiest_of_class_0_is_any(self):
        flits = {
            "switch0.port7": (0, 600, 300, 100),  # global and full
            "switch0.port8": (2, 500, 450, 48),  # so is this
            "switch1.port7": (0, 400, 0, 0),
            "switch0.port0": (5, 990, 0, 0),
        }
        lines = [
            {"from": name, "service_level": str(level), "flits": str(count)}
            for name, counts in flits.items()
            for level, count in enumerate(counts)
        ]
        kept = latency.keep_links("quick")({"cycles": 1000}, {"link-flits": lines})
        self.assertEqual((kept["links"], kept["1.mean"], kept["2.below"]), (2, 0.55, 0))
        self.assertEqual((kept["3.least"], kept["3.most"], kept["3.below"]), (0.048, 0.1, 0.5))
        self.assertAlmostEqual(kept["zero.most"], 5 * 1.28 / 10_000)


class FirstCalls(unittest.TestCase):
    def test_ranks_of_the_smaller_jobs_count_in_the_first_call_and_those_not_done_are_counted(self):
        traces = [
            {"name": "job0.call0", "rank_finish_ns": [101, 301]},
            {"name": "job1.call0", "rank_finish_ns": [501, None]},
            {"name": "job2.call0", "rank_finish_ns": [9001, None, None]},
            {"name": "job0.call1", "rank_finish_ns": [9001, None]},
        ]
        self.assertEqual(latency.first_calls({"traces": traces}), {"first.mean": 300, "first.unfinished": 1})


class Window(unittest.TestCase):
    def test_shorter_slices_cover_the_same_window(self):
        def covered(halves, run_us):
            slice_us = networks.SLICE_US / halves
            ends = [min((place + 1) * slice_us, run_us) for place in range(int(run_us / slice_us) + 1)]
            inside = [end for end, on in zip(ends, shaping.busy_of(ends), strict=True) if on]
            return round(inside[0] - slice_us, 5), round(inside[-1], 5), round(len(inside) * slice_us, 5)

        self.assertEqual(covered(1, 64), (4.58752, 21.62688, 17.03936))
        self.assertEqual(covered(2, 22), covered(1, 64))

    def test_series_of_shorter_slices_become_those_of_longer_ones(self):
        ends = [str(round(1000 * networks.SLICE_US * place / 2, 2)) for place in (1, 2, 3, 4, 5)]
        series = [
            {"end_ns": end, "class": name, "got": got}
            for end, got in zip(ends, ("0.1", "0.3", "0.2", "", "0.5"), strict=True)
            for name in ("UR-1", "UR-2")
        ]
        counters = [
            {"end_ns": end, "counter": f"{colour}_stalls", "of": number, "value": value}
            for end, value in zip(ends, ("1", "2", "3", "4", "5"), strict=True)
            for colour in ("green", "yellow", "red")
            for number in ("0", "1")
        ]
        kept = latency.keep_rates({}, {"series": series, "counter-series": counters})
        self.assertEqual([round(end, 5) for end in kept["ends_us"]], [0.65536, 1.31072, 1.96608])
        self.assertEqual([round(value, 5) for value in kept["UR-1.got"]], [0.2, 0.1, 0.5])
        self.assertEqual(kept["series.red.1"], [3, 7, 5])


if __name__ == "__main__":
    unittest.main()
