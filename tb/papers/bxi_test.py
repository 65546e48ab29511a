#!/usr/bin/env python3
"""Tests of how rows of the BXIv3 paper are decided: the window, which the paper does not give, and what turns lose."""
import unittest

import bxi  # noqa: F401  the modules in their order
from bxi_2powers import effects_less
from bxi_claims import of_windows
from bxi_search import almost_80
from bxi_step import more_lost
from experiment import Comparisons, interval
from rows import NOT_TESTABLE

ABOVE, BELOW, OPEN = (Comparisons([interval(samples)]) for samples in ([1, 1.1, 0.9], [-1, -1.1, -0.9], [-1, 1, 0]))


class Windows(unittest.TestCase):
    def decided(self, held, other):
        return of_windows(held, "0.9", "1000 us behind 200", {"200 us behind 40": (other, "0.5")}, "sim")

    def test_what_holds_in_one_and_not_in_another_is_open(self):
        for held, other, text in ((ABOVE, BELOW, "it holds in"), (BELOW, ABOVE, "it does not hold in"), (True, False, "and does not in")):
            found = self.decided(held, other)
            self.assertEqual((found.verdict, found.measured), (NOT_TESTABLE, "0.9"))
            self.assertIn(text, found.note)
            self.assertIn("200 us behind 40 (0.5)", found.note)

    def test_what_is_alike_or_open_in_another_is_decided_by_the_first(self):
        for held, other in ((ABOVE, ABOVE), (BELOW, BELOW), (ABOVE, OPEN), (BELOW, OPEN), (OPEN, ABOVE), (OPEN, BELOW)):
            self.assertIsNone(self.decided(held, other))


class Lost(unittest.TestCase):
    def test_sl_4_alone_is_not_more_the_longer_the_packets(self):
        self.assertFalse(more_lost([0, 0, 0, 0, 6.2]))
        self.assertTrue(more_lost([0.8, 1.3, 4, 4, 20]))
        self.assertFalse(more_lost([1, 0, 4, 4, 20]))


class Effects(unittest.TestCase):
    def test_2powers_has_to_be_less_than_either(self):
        more, less = [0.3, 0.31, 0.29], [0.1, 0.11, 0.1]
        self.assertTrue(effects_less({"fair": more, "step": more, "2powers": less}))
        for other in ("fair", "step"):
            self.assertFalse(effects_less({"fair": more, "step": more, "2powers": [0.2, 0.21, 0.2], other: less}))


class WhateverTheShare(unittest.TestCase):
    def test_nine_tenths_are_not_almost_four_fifths(self):
        self.assertTrue(almost_80([78, 81]))
        self.assertFalse(almost_80([78, 90]))
        self.assertFalse(almost_80([74, 81]))


if __name__ == "__main__":
    unittest.main()
