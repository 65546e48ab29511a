"""What a row of Omni-Path says that is decided twice: in small systems and in those printed, in flits of 64 bytes and of 8."""

import argparse
import contextlib
import itertools
import pathlib
import sys
import unittest
import unittest.mock

import command
import experiment
import omni_path  # noqa: F401  (has the others import what they need)
import omni_path_flits as flits
import omni_path_latency as latency
import omni_path_networks as networks
import omni_path_programs as programs
import rows


def row():
    """Agrees in the small systems only."""
    small = programs.at[-1] is programs.SMALL_BARS
    return rows.decided(small, f"{len(programs.rates())} rates", "sim", None if small else "its cause")


@contextlib.contextmanager
def printed(there):
    with unittest.mock.patch.object(programs, "printed_are_there", lambda: there):
        yield


class BothSizes(unittest.TestCase):
    def test_the_systems_printed_have_the_last_word(self):
        with printed(True):
            found = programs.last_word(*programs.both_sizes(row))
        self.assertEqual((found.verdict, found.measured), ("differs", "4 rates"))
        self.assertEqual(
            found.note,
            "as printed, 128 and 64 hosts: sim; cause: its cause. In the small systems, 16 and 64 hosts, which would say agrees: 2 rates",
        )

    def test_where_both_agree_the_note_has_what_the_small_ones_gave(self):
        with printed(True):
            found = programs.last_word(
                *programs.both_sizes(lambda: rows.agrees(f"{len(programs.rates())} rates", "sim"))
            )
        self.assertEqual(
            (found.measured, found.note),
            ("4 rates", "as printed, 128 and 64 hosts: sim. In the small systems, 16 and 64 hosts: 2 rates"),
        )

    def test_what_the_small_ones_gave_bar_by_bar_is_left_to_the_page(self):
        with printed(True):
            found = programs.last_word(
                *programs.both_sizes(lambda: rows.agrees("in 4 of 6; points at 0.2: 1.0 ± 0.5", "sim"))
            )
        self.assertEqual(found.measured, "in 4 of 6; points at 0.2: 1.0 ± 0.5")
        self.assertTrue(found.note.endswith("64 hosts: in 4 of 6"), found.note)

    def test_without_them_the_small_ones_decide(self):
        with printed(False):
            found = programs.last_word(*programs.both_sizes(row))
        self.assertEqual((found.verdict, found.measured, found.note), ("agrees", "2 rates", "sim"))

    def test_a_row_that_fails_leaves_the_small_systems_to_the_next(self):
        def fails():
            if programs.at[-1] is programs.PRINTED_BARS:
                raise rows.Unexpected("its measurement")
            return rows.agrees("", "")

        with printed(True), self.assertRaises(rows.Unexpected):
            programs.both_sizes(fails)
        self.assertIs(programs.at[-1], programs.SMALL_BARS)


class Flits(unittest.TestCase):
    """What a row says that is decided by networks in flits of 64 bytes and of 8."""

    def decide(self, size="full", **by_size):
        def function():
            found = by_size[f"of_{flits.flit_bytes[-1]}"]
            if found is None:
                raise rows.Unexpected("its measurement")
            return rows.decided(found, f"{flits.flit_bytes[-1]} bytes", "sim", "its cause")

        with unittest.mock.patch.object(networks.LOADED, "size", lambda: size):
            return flits.whatever_the_flit(function)

    def test_what_both_say_the_row_says(self):
        found = self.decide(of_64=True, of_8=True)
        self.assertEqual(
            (found.verdict, found.measured, found.note),
            ("agrees", "64 bytes", "sim. In flits of 8 bytes: 8 bytes"),
        )
        self.assertEqual(self.decide(of_64=False, of_8=False).verdict, "differs")

    def test_what_the_size_of_a_flit_decides_is_open(self):
        for of_64 in (True, False):
            found = self.decide(of_64=of_64, of_8=not of_64)
            self.assertEqual(
                (found.verdict, found.measured),
                ("not-testable", "in flits of 64 bytes 64 bytes; of 8 bytes 8 bytes"),
            )
            verbs = ("holds", "does not hold") if of_64 else ("does not hold", "holds")
            self.assertTrue(
                found.note.endswith(
                    f"It {verbs[0]} in flits of 64 bytes and {verbs[1]} in the paper's of 8, which hold crossbars otherwise (Figs. 3 and 4)"
                ),
                found.note,
            )

    def test_a_row_that_fails_leaves_the_flits_to_the_next(self):
        with self.assertRaises(rows.Unexpected):
            self.decide(of_64=True, of_8=None)
        self.assertEqual(flits.flit_bytes, [64])

    def test_small_networks_decide_alone(self):
        self.assertEqual(self.decide("quick", of_64=True, of_8=False).verdict, "agrees")

    def test_a_network_in_flits_of_8_bytes_is_the_same_in_bytes_and_ns(self):
        made = networks.hierarchical(networks.scenario({"kind": "kary-ntree", "k": 2, "n": 2}, "dtable", 1.0))
        eights = networks.in_flits_of_8_bytes(made)
        for before, after in zip(made["arbiter"]["table"], eights["arbiter"]["table"], strict=True):
            self.assertEqual((before["sl"], 8 * before["weight"]), (after["sl"], after["weight"]))
        self.assertEqual(eights["arbiter"]["sl_mtu"], [16, 32, 64, 128, 128])
        self.assertEqual(eights["traffic"], made["traffic"])
        first, second = (found["network"] for found in (made, eights))
        for name in ("input_queue_flits", "central_queue_flits", "output_queue_flits"):
            self.assertEqual(64 * first["switch"][name], 8 * second["switch"][name])
        for stage, cycles in first["switch"]["pipeline"].items():
            self.assertEqual(8 * cycles, second["switch"]["pipeline"][stage])


class Windows(unittest.TestCase):
    """What a row says that is decided by the tori in a longer window, too."""

    def decide(self, longer, short, eights=None):
        def function():
            if flits.windows[-1] == networks.LONGER:
                flits.read_longer.add("a point")
                return rows.decided(longer, "longer", "sim", "its cause")
            of_8 = flits.flit_bytes[-1] == 8
            held = eights if of_8 and eights is not None else short
            return rows.decided(held, "8 bytes" if of_8 else "short", "sim", "its cause")

        with unittest.mock.patch.object(networks.LOADED, "size", lambda: "full"):
            found = flits.whatever_the_flit(function)
        self.assertEqual(flits.windows, [networks.LONGER])
        return found

    def test_what_both_say_the_row_says_by_the_longer(self):
        for held, verdict in ((True, "agrees"), (False, "differs")):
            found = self.decide(held, held)
            self.assertEqual((found.verdict, found.measured), (verdict, "longer"))
            self.assertTrue(found.note.endswith(". In flits of 8 bytes, in 20 us behind 10: 8 bytes. In 20 us behind 10: short"), found.note)

    def test_what_the_window_decides_is_open(self):
        found = self.decide(False, True)
        self.assertEqual(
            (found.verdict, found.measured),
            ("not-testable", "in 60 us behind 60 longer; in 20 us behind 10 short"),
        )
        self.assertIn("in 60 us behind 60 it does not hold", found.note)

    def test_what_the_flit_decides_stays_open_in_either_window(self):
        found = self.decide(True, True, eights=False)
        self.assertEqual(found.verdict, "not-testable")
        self.assertTrue(found.note.endswith("otherwise (Figs. 3 and 4). In 60 us behind 60: longer"), found.note)

    def test_what_both_decide_tells_both(self):
        found = self.decide(False, True, eights=False)
        self.assertEqual(found.verdict, "not-testable")
        self.assertIn("of 8 bytes 8 bytes", found.measured)
        self.assertIn("which hold crossbars otherwise", found.note)


class Causes(unittest.TestCase):
    ABOVE, OPEN, BELOW = ([scale * x for x in (0.9, 1.0, 1.1)] for scale in (1, 0, -1))

    def mends(self, **samples):
        return programs.mends({bar: experiment.interval(values) for bar, values in samples.items()}, ["turned"])

    def test_a_change_is_a_cause_if_no_bar_is_the_other_way_with_it(self):
        self.assertTrue(self.mends(turned=self.ABOVE, other=self.ABOVE))
        self.assertTrue(self.mends(turned=self.OPEN, other=self.ABOVE))
        self.assertFalse(self.mends(turned=self.BELOW, other=self.ABOVE))
        self.assertFalse(self.mends(turned=self.ABOVE, other=self.BELOW))

    def test_what_was_the_other_way_is_judged_by_its_own_interval(self):
        weak = [-1.3, -1.0, -0.7]  # below 0 alone, not as one of two
        self.assertFalse(self.mends(turned=weak, other=self.ABOVE))
        self.assertTrue(self.mends(turned=self.ABOVE, other=weak))

    def test_with_few_seeds_what_was_the_other_way_has_to_be_above_what_it_was(self):
        found = experiment.Comparisons({"turned": experiment.interval(self.BELOW), "other": experiment.interval(self.ABOVE)})
        for samples, lifted in ((self.OPEN, True), ([-3, 0, 3], False), (self.BELOW, False)):
            changed = {"turned": experiment.interval(samples), "other": experiment.interval(self.ABOVE)}
            self.assertEqual(programs.lifts(changed, found), lifted, samples)


class Orders(unittest.TestCase):
    RISING, TIED = (2, 3, 4, 9, 9), (2, 4, 3.9, 9, 9)  # us, the tie within 5 %
    T2, K2 = networks.T2, networks.K2

    def decided(self, changed):
        """The verdict where messages do not have the order; of runs of packets those in `changed` have other latencies than RISING."""

        class Packets(dict):
            def __missing__(self, name):
                return run(Orders.RISING)

        def run(us):
            return experiment.Run(
                {f"{n}.{what}_latency.mean": [1000 * x] for n, x in zip(omni_path.NAMES, us, strict=True) for what in ("message", "network")}
            )

        packets = Packets({name: run(self.TIED) for name in changed})
        with (
            unittest.mock.patch.object(latency, "LOADED", unittest.mock.Mock(size=lambda: "full")),
            unittest.mock.patch.object(latency, "PACKETS", packets),
            unittest.mock.patch.object(latency, "with_cioq", lambda t, load: run(self.TIED)),
        ):
            return latency.wished_order("1 us", "sim", [(self.T2, 0.9), (self.K2, 1.0)], latency.ordered)

    def test_packets_are_the_cause_where_all_runs_with_them_have_the_order(self):
        found = self.decided([])
        self.assertEqual(found.verdict, "differs")
        self.assertIn(
            "2.00/3.00/4.00/9.00/9.00 us in the 2-D torus at 0.9; 2.00/3.00/4.00/9.00/9.00 us in the 24-ary 2-tree at 1.0", found.note
        )
        self.assertIn("as long as each other to 25 %", found.note)
        self.assertTrue(found.note.endswith("it holds in 0 of 2 runs"), found.note)

    def test_a_tie_in_flits_of_either_size_leaves_the_row_open(self):
        for name in (f"{self.K2} dtable, packets, flits of 8 bytes 1.0", f"{self.T2} dtable, packets 0.6"):
            with self.subTest(name):
                found = self.decided([name])
                self.assertEqual(found.verdict, "not-testable")
                self.assertIn("cause unknown", found.note)

    def test_networks_of_packets_are_the_same_but_for_what_DTable_serves(self):
        for name, point in networks.packet_points().items():
            topology, eight = name.partition(" dtable")[0], "flits of 8" in name
            made = networks.full_size(topology, "dtable", float(name.rpartition(" ")[2]))
            if eight:
                made = networks.in_flits_of_8_bytes(made)
            self.assertEqual(point, {**made, "arbiter": {**made["arbiter"], "sl_mtu": 5 * [16 if eight else 2]}}, name)


class OneWay(unittest.TestCase):
    """A sign that the paper has at each rate, by two bars of which one is beyond its interval."""

    def judged(self, samples, **keys):
        bars = {
            ("0.2", "tree", "halo"): experiment.interval([0.99, 1.0, 1.01]),
            ("0.1", "torus", "halo"): experiment.interval(samples),
        }
        found = programs.one_way(experiment.Comparisons(bars), "told", "sim", **keys)
        self.assertEqual(found.measured, "told")
        return found.verdict, found.note

    def test_it_holds_where_each_is_beyond(self):
        self.assertEqual(self.judged([0.99, 1.0, 1.01], cause=lambda: "its cause"), ("agrees", "sim"))

    def test_the_other_way_differs_for_a_cause_that_is_shown_alone(self):
        below = [-1.01, -1.0, -0.99]
        self.assertEqual(self.judged(below, cause=lambda: "its cause"), ("differs", "sim; cause: its cause"))
        verdict, note = self.judged(below, tried="nothing helped")
        self.assertEqual(verdict, "not-testable")
        self.assertIn("torus halo at 0.1 contradicts it beyond the interval", note)
        self.assertIn("nothing helped", note)

    def test_what_is_open_is_told_with_how_much_would_be_missed(self):
        verdict, note = self.judged([-0.6, 0.0, 0.9], cause=lambda: "its cause")  # 0.1 +- 2.70 as one of two
        self.assertEqual(verdict, "not-testable")
        self.assertIn("sim: 1 of 2 are open, between -2.6 and 2.8 points, and none is the other way beyond; ", note)


class Trends(unittest.TestCase):
    """What opa-201 says of signs in torus and tree."""

    ABOVE, OPEN, BELOW = ([scale * x for x in (0.99, 1.0, 1.01)] for scale in (1, 0, -1))
    OTHER = ("BK over CL", 0.05, "4 x 4 torus", "halo")  # not at the highest rate

    def comparisons(self, **changed):
        """All bars above 0 but for OTHER."""
        bars = itertools.product(programs.TRENDS, programs.rates(), programs.SMALL_SYSTEMS, programs.PROGRAMS)
        samples = {bar: self.ABOVE for bar in bars} | ({self.OTHER: changed["other"]} if changed else {})
        return experiment.Comparisons({bar: experiment.interval(values) for bar, values in samples.items()})

    def test_each_rate_is_compared(self):
        with printed(True):
            small, large = programs.both_sizes(lambda: {bar[1] for bar in programs.trends().of})
        self.assertEqual((small, large), (set(networks.SMALL_RATES), set(networks.RATES)))

    def test_the_same_sign_everywhere_agrees(self):
        found = programs.same_trends(self.comparisons())
        self.assertEqual((found.verdict, found.measured), ("agrees", "12 of 12 signs equal, each beyond its interval, 6 of 6 at 0.2; 0 opposite"))

    def test_opposite_signs_at_a_low_rate_do_not(self):
        found = programs.same_trends(self.comparisons(other=self.BELOW))
        self.assertEqual((found.verdict, found.measured), ("not-testable", "11 of 12 signs equal, each beyond its interval, 6 of 6 at 0.2; 1 opposite"))
        self.assertIn("BK over CL in halo at 0.05 -1.0 ± 0.0 and 1.0 ± 0.0 points", found.note)
        self.assertIn("no change was tried", found.note)

    def test_a_sign_that_is_open_leaves_the_row_open(self):
        found = programs.same_trends(self.comparisons(other=self.OPEN))
        self.assertEqual(found.verdict, "not-testable")
        self.assertIn("BK over CL in 4 x 4 torus halo at 0.05 is open", found.note)

    def test_switches_are_the_cause_where_no_two_signs_are_opposite_with_others(self):
        torn = self.comparisons(other=self.BELOW)
        self.assertEqual(programs.same_trends(torn, self.comparisons()).verdict, "differs")
        self.assertEqual(programs.same_trends(torn, torn).verdict, "not-testable")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--qosarb", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    command.QOSARB = options.qosarb.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
