"""What a row of Omni-Path's programs says that is decided in small systems and in those printed."""

import contextlib
import unittest
import unittest.mock

import omni_path  # noqa: F401  (has the networks import what they need)
import omni_path_networks as networks
import rows


def row():
    """Agrees in the small systems only."""
    small = networks.at[-1] is networks.SMALL_BARS
    return rows.decided(small, f"{len(networks.rates())} rates", "sim", None if small else "its cause")


@contextlib.contextmanager
def printed(there):
    with unittest.mock.patch.object(networks, "printed_are_there", lambda: there):
        yield


class BothSizes(unittest.TestCase):
    def test_the_systems_printed_have_the_last_word(self):
        with printed(True):
            found = networks.last_word(*networks.both_sizes(row))
        self.assertEqual((found.verdict, found.measured), ("differs", "4 rates"))
        self.assertEqual(
            found.note,
            "as printed, 128 and 64 hosts: sim; cause: its cause. In the small systems, 16 and 64 hosts, which would say agrees: 2 rates",
        )

    def test_where_both_agree_the_note_has_what_the_small_ones_gave(self):
        with printed(True):
            found = networks.last_word(
                *networks.both_sizes(lambda: rows.agrees(f"{len(networks.rates())} rates", "sim"))
            )
        self.assertEqual(
            (found.measured, found.note),
            ("4 rates", "as printed, 128 and 64 hosts: sim. In the small systems, 16 and 64 hosts: 2 rates"),
        )

    def test_without_them_the_small_ones_decide(self):
        with printed(False):
            found = networks.last_word(*networks.both_sizes(row))
        self.assertEqual((found.verdict, found.measured, found.note), ("agrees", "2 rates", "sim"))

    def test_a_row_that_fails_leaves_the_small_systems_to_the_next(self):
        def fails():
            if networks.at[-1] is networks.PRINTED_BARS:
                raise rows.Unexpected("its measurement")
            return rows.agrees("", "")

        with printed(True), self.assertRaises(rows.Unexpected):
            networks.both_sizes(fails)
        self.assertIs(networks.at[-1], networks.SMALL_BARS)


if __name__ == "__main__":
    unittest.main()
