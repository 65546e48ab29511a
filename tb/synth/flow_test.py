"""Tests of the synthesis flow: its parts by hand-made cases, then a small block of each policy."""

import contextlib
import fcntl
import gzip
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import accounting
import block as blocks
import design
import gates
import implement
import liberty
import library as libraries
import mapping
import netlist as netlists
import power
import sweep
import synth
import wires
import wires_test
from engines import ENGINES
from implement import ROOT
from library import FlowError
from recipes import RECIPES
from timed_library import timed_library

_LIBERTY = """
library(tiny) { time_unit : "1ns"; capacitive_load_unit (1, pf);
  cell(BUF) { area : 2; pin(A) { direction : input; capacitance : 0.01; }
    pin(Y) { direction : output; function : "A"; } }
  cell(NAND) { area : 3; pin(A) { direction : input; } pin(B) { direction : input; }
    pin(Y) { direction : output; function : "!(A B)"; } }
  cell(DFF) { area : 9; ff(IQ, IQN) { clocked_on : "CK"; next_state : "D"; clear : "R'"; }
    pin(D) { direction : input; } pin(CK) { direction : input; clock : true; }
    pin(R) { direction : input; } pin(Q) { direction : output; function : "IQ"; } }
  cell(LAT) { area : 5; latch(IQ, IQN) { enable : "G"; data_in : "D"; }
    pin(D) { direction : input; } pin(G) { direction : input; }
    pin(Q) { direction : output; function : "IQ"; } }
}
"""


def tiny_library():
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "tiny.lib"
        path.write_text(_LIBERTY, encoding="utf-8")
        settings = ROOT / "constraints" / "libraries.yaml"
        return libraries.load(path, settings, Path(directory))


def netlist(inputs, outputs, instances):
    ports = [netlists.Port(f"i{bit}", "input", [bit]) for bit in inputs]
    ports += [netlists.Port(f"o{bit}", "output", [bit]) for bit in outputs]
    return netlists.Netlist("top", ports, {
        f"u{n}": netlists.Instance(f"u{n}", cell, pins) for n, (cell, pins) in enumerate(instances)})


class Functions(unittest.TestCase):
    def test_precedence_and_both_forms_of_not(self):
        for a in (0, 1):
            for b in (0, 1):
                for c in (0, 1):
                    values = {"A": a, "B": b, "C": c}
                    self.assertEqual(liberty.Function("!A B+C'").evaluate(values, 1),
                                     ((1 - a) & b) | (1 - c))
                    self.assertEqual(liberty.Function("(A^B)*!(C)").evaluate(values, 1),
                                     (a ^ b) & (1 - c))

    def test_incomplete_functions_are_refused(self):
        for text in ("A+", "(A", "", "A)"):
            with self.assertRaises(ValueError):
                liberty.Function(text)


class Checks(unittest.TestCase):
    def setUp(self):
        self.library = tiny_library()

    def faults(self, *arguments):
        return netlists.check(netlist(*arguments), self.library)

    def test_a_sound_netlist_has_no_faults(self):
        self.assertEqual([], self.faults(
            [1, 2, 3], [5], [("NAND", {"A": 1, "B": 5, "Y": 4}),
                             ("DFF", {"D": 4, "CK": 2, "R": 3, "Q": 5})]))

    def test_each_fault_is_found(self):
        cases = {
            "latch": ([1, 2], [3], [("LAT", {"D": 1, "G": 2, "Q": 3})]),
            "not mapped": ([1], [2], [("$_NOT_", {"A": 1, "Y": 2})]),
            "loop": ([1], [3], [("NAND", {"A": 1, "B": 3, "Y": 2}), ("BUF", {"A": 2, "Y": 3})]),
            "nothing drives": ([1], [3], [("NAND", {"A": 1, "B": 2, "Y": 3})]),
            "two drivers": ([1], [2], [("BUF", {"A": 1, "Y": 2}), ("BUF", {"A": 1, "Y": 2})]),
            "open": ([1], [2], [("NAND", {"A": 1, "Y": 2})]),
        }
        for fault, case in cases.items():
            with self.subTest(fault):
                self.assertTrue(any(fault in text for text in self.faults(*case)),
                                self.faults(*case))

    def test_unknown_libraries_get_a_buffer_to_drive(self):
        self.assertEqual("BUF", self.library.settings.driving_cell)
        self.assertAlmostEqual(40.0, self.library.settings.output_load_ff)


def cone(netlist, library, outputs):
    """Names of the gates before the registers of the named outputs, the nearest first."""
    driver = {instance.pins[pin.name]: instance for instance in netlist.instances.values()
              for pin in library.cell(instance.cell).outputs() if pin.name in instance.pins}
    waiting = []
    for port in netlist.ports:
        if port.name in outputs:
            waiting += [driver[bit].pins["D"] for bit in port.bits]
    found = []
    for net in waiting:  # which grows
        gate = driver.get(net)
        if gate and gate.name not in found and library.cell(gate.cell).flip_flop is None:
            found.append(gate.name)
            waiting += [gate.pins[pin.name] for pin in library.cell(gate.cell).inputs()]
    return found


def make_invertible(netlist, library, gates):
    """Adds an input fault_i, each bit of which inverts one of the gates."""
    free = 1 + max(bit for instance in netlist.instances.values()
                   for bit in instance.pins.values() if isinstance(bit, int))
    faults = netlists.Port("fault_i", "input", [])
    netlist.ports.append(faults)
    for gate in gates:
        (pin,) = library.cell(netlist.instances[gate].cell).outputs()
        net, right, fault = netlist.instances[gate].pins[pin.name], free, free + 1
        free += 2
        netlist.instances[gate].pins[pin.name] = right
        faults.bits.append(fault)
        name = f"wrong_{gate}"
        netlist.instances[name] = netlists.Instance(
            name, "XOR2X1", {"A": right, "B": fault, "Y": net})


class Power(unittest.TestCase):
    """By a dump of four cycles: `a` is 1 in three of them, of the vector a bit stays and two change in the third."""

    VCD = """$var wire 1 ! a $end
$var wire 1 ! n4 $end
$var wire 3 " v [2:0] $end
$enddefinitions $end
#0
1!
b101 "
#1
0!
#2
1!
b11 "
#3
"""

    def setUp(self):
        self.work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.work / "activity.vcd").write_text(self.VCD)

    def test_activity_is_of_each_cycle_and_bit(self):
        self.assertEqual({"a": (0.5, 0.75), "n4": (0.5, 0.75), "v[0]": (0.0, 1.0), "v[1]": (0.25, 0.5), "v[2]": (0.25, 0.5)},
                         {name: (found.transitions, found.ones) for name, found in power.read_vcd(self.work / "activity.vcd").items()})
        (self.work / "activity.vcd").write_text("".join(self.VCD.partition("#1")[:1]))
        self.assertRaisesRegex(FlowError, "no cycles", power.read_vcd, self.work / "activity.vcd")

    def test_each_pin_but_of_a_clock_has_the_activity_of_its_net(self):
        sta = mock.Mock()
        sta.prelude.return_value = "prelude\n"
        sta.run.return_value = ("Total 9.0e-01 9.0e-01 9.0e-01 9.0e-01\nsimulated\n"
                                "Total  1.5e-03  2.5e-04  1.0e-09  1.75e-03 100.0%\n")
        mapped = netlist([1, 2, 3], [5], [("NAND", {"A": 1, "B": 4, "Y": 6}), ("DFF", {"D": 4, "CK": 2, "R": 7, "Q": 1})])
        mapped.ports = [netlists.Port("v", "input", [7, 1, 6])]
        found = power.estimate(sta, tiny_library(), mapped, self.work, 1.25)
        self.assertEqual({"period_ns": 1.25, "total_mw": 1.75, "internal_mw": 1.5, "switching_mw": 0.25, "leakage_mw": 1e-6,
                          "pins_with_simulated_activity": 6},
                         {name: value for name, value in found.items() if name != "includes"})
        script = sta.run.call_args[0][0]
        given = re.findall(r"set_power_pin_activity \[get_pins (\S+)\] (\S+) (\S+)", script)
        half = ("0.250000", "0.500000")
        self.assertEqual([("u0/A", *half), ("u0/B", "0.500000", "0.750000"), ("u0/Y", *half),
                          ("u1/D", "0.500000", "0.750000"), ("u1/R", "0.000000", "1.000000"), ("u1/Q", *half)], given)
        self.assertEqual(2, script.count("report_power"))
        mapped.ports = []
        self.assertRaisesRegex(FlowError, "4 pins of 6 have no simulated activity", power.estimate, sta, tiny_library(), mapped,
                               self.work, 1.25)
        mapped.ports = [netlists.Port("v", "input", [7, 1, 6])]
        sta.run.return_value = sta.run.return_value.partition("simulated")[0] + "simulated\n"
        self.assertRaisesRegex(FlowError, "no report", power.estimate, sta, tiny_library(), mapped, self.work, 1.25)


class WireLoads(unittest.TestCase):
    _BY_AREA = _LIBERTY.replace("library(tiny) {", """library(tiny) {
  wire_load("short") { capacitance : 0.1; slope : 1; fanout_length(1, 1); }
  wire_load("long") { capacitance : 9; slope : 1; fanout_length(1, 1); }
  wire_load_selection("areas") { wire_load_from_area(0, 9, "short"); wire_load_from_area(9, 99, "long"); }
  default_wire_load : "long";
  default_wire_load_selection : "areas";
""")

    def load(self, wire_load):
        work = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (work / "by_area.lib").write_text(self._BY_AREA, encoding="utf-8")
        (work / "settings.yaml").write_text(
            "tiny: {driving_cell: BUF, output_load_ff: 1, clock_uncertainty: 0, io_delay: 0, dont_use: [], "
            f"wire_load: {wire_load}}}", encoding="utf-8")
        return libraries.load(work / "by_area.lib", work / "settings.yaml", work)

    def test_mapping_has_one_and_timing_those_of_the_library(self):
        library = self.load("short")
        self.assertEqual(self._BY_AREA, library.path.read_text(encoding="utf-8"))
        text = library.abc_path.read_text(encoding="utf-8")
        self.assertIn('default_wire_load : "short";', text)
        self.assertNotIn("default_wire_load_selection", text)
        self.assertEqual(liberty.parse(self._BY_AREA).cells, liberty.parse(text).cells)

    def test_without_the_setting_both_read_one_file(self):
        library = self.load("null")
        self.assertEqual(library.path, library.abc_path)

    def test_one_that_the_library_lacks_is_refused(self):
        with self.assertRaisesRegex(libraries.FlowError, "settings.yaml: tiny: no wire load is named short_"):
            self.load("short_")


class Units(unittest.TestCase):
    def test_a_period_does_not_depend_on_the_units_of_the_library(self):
        """From the flip-flop 0.3 ns, through the inverter 0.1 ns and 1 ns/pF into four buffers of 10 fF,
        0.2 ns of output delay and 0.05 ns of uncertainty."""
        for time, load in ((("1ns", 1.0), ("pf", 1.0)), (("1ps", 0.001), ("ff", 0.001)),
                           (("100ps", 0.1), ("pf", 1.0))):
            with self.subTest(time=time, load=load):
                work = ROOT / "build" / "synth-test" / "units"
                work.mkdir(parents=True, exist_ok=True)
                path = work / "timed.lib"
                path.write_text(timed_library(time, load), encoding="utf-8")
                library = libraries.load(path, implement.SETTINGS, work)
                self.assertEqual("BUF", library.settings.driving_cell)
                self.assertAlmostEqual(40.0, library.settings.output_load_ff)
                block = netlists.Netlist("top", [
                    netlists.Port("clk_i", "input", [1]), netlists.Port("rst_ni", "input", [5]),
                    netlists.Port("d_i", "input", [2]), netlists.Port("q_o", "output", [4])], {
                    "u0": netlists.Instance("u0", "DFF", {"D": 2, "CK": 1, "Q": 3}),
                    "u1": netlists.Instance("u1", "INV", {"A": 3, "Y": 4})})
                timing = implement.sta().measure(block, library, work)
                self.assertAlmostEqual(0.3 + 0.1 + 0.04 + 0.2 + 0.05, timing.min_period_ns, places=4)


class Registers(unittest.TestCase):
    def test_one_with_an_inverted_output_keeps_its_name(self):
        """Some libraries have no other, so that no net of the netlist is what the RTL calls the register."""
        library = tiny_library()
        mapped = netlist([1, 2, 3], [5], [("DFF", {"D": 1, "CK": 2, "R": 3, "Q": 4}),
                                          ("NAND", {"A": 4, "B": 4, "Y": 5})])
        mapped.instances["u0"].origin = "$flop"
        with tempfile.TemporaryDirectory() as directory:
            generic = Path(directory) / "generic.json"
            generic.write_text(json.dumps({"modules": {"top": {
                "cells": {"$flop": {"type": "$_DFF_P_", "connections": {"C": [2], "D": [1], "Q": [9]}}},
                "netnames": {"u_configuration.entry_queue_q": {"hide_name": 0, "bits": [8, 9]}}}}}),
                encoding="utf-8")
            netlists.name_registers(mapped, library, generic)
        self.assertEqual({"u0": ["u_configuration.entry_queue_q[1]"]}, mapped.registers)
        self.assertEqual("~u_configuration.entry_queue_q[1]", mapped.net_name(4))
        self.assertEqual(1, accounting.account(mapped, library)["table_memory"]["flip_flops"])


class PaperBits(unittest.TestCase):
    def test_formulas_give_the_numbers_of_the_paper(self):
        """BXIv3 paper, Sect. 3.5: 16 service levels, 32 entries, weights of 16 bits, 48 ports."""
        basic = accounting.paper_bits(16, 32, 16, deficits=False)
        deficits = accounting.paper_bits(16, 32, 16)
        self.assertEqual(640, basic["table"])
        self.assertEqual(24, basic["state_of_a_port"])
        self.assertEqual(536, deficits["state_of_a_port"])
        self.assertEqual(1792, accounting.paper_bits(16, 32, 16, 48, deficits=False)["total"])
        self.assertEqual(1792 + 24 * 1024, accounting.paper_bits(16, 32, 16, 48)["total"])


def generic(first=2, cell="NAND", names=("a", "b"), register="turn_q"):
    """What Yosys writes of a gate and a flip-flop behind it, with nets numbered from `first` on."""
    a, b, d, q = range(first, first + 4)
    return {"modules": {"top": {
        "ports": {"a_i": {"direction": "input", "bits": [a]}, "b_i": {"direction": "input", "bits": [b]}},
        "cells": {f"$1${first}": {"type": cell, "parameters": {}, "connections": {names[0]: [a], names[1]: [b], "Y": [d]}},
                  f"$2${first}": {"type": "DFF", "parameters": {}, "connections": {"D": [d], "Q": [q]}}},
        "netnames": {f"$3${first}": {"hide_name": 1, "bits": [d]}, f"between_{first}": {"hide_name": 0, "bits": [d]},
                     register: {"hide_name": 0, "bits": [q]}}}}}


class Designs(unittest.TestCase):
    """What is measured again, and what only gets a new label."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = Path(directory.name)
        self.enterContext(mock.patch.object(sweep, "DATA", self.path))
        self.enterContext(mock.patch.object(sweep, "WORK", self.path / "work"))

    def read(self, **changes):
        path = self.path / "generic.json"
        path.write_text(json.dumps(generic(**changes)), encoding="utf-8")
        return design.read(path, "top")

    def test_numbers_and_hidden_names_make_no_difference(self):
        self.assertEqual(self.read()[0], self.read(first=40)[0])
        self.assertEqual({"between_40", "turn_q"}, self.read(first=40)[1])

    def test_gates_wires_and_registers_do(self):
        others = [self.read(cell="NOR"), self.read(names=("b", "a")), self.read(register="current_q")]
        self.assertEqual(4, len({found for found, _ in [self.read(), *others]}))

    def swept(self, now, **changes):
        """The report of rr after a sweep in which its RTL's text changed and Yosys reads `now` of it."""
        point = sweep.points(sweep.FULL)["rr"]
        tried = [{"recipe": recipe} for recipe in sweep.FOR_ENGINES]
        report = {"policy": "rr", "point": point, "sources": "older", "flow": sweep.flow_digest(sweep.FOR_ENGINES),
                  "design": self.read()[0], "tried": tried, "critical_path": [{"net": "~between_40"}, {"net": "n7"}]} | changes
        options = mock.Mock(library_name=sweep.FULL, only=["rr"], recipe=None, jobs=1)
        sweep.write_reports(sweep.reports_path(sweep.FULL), {"rr": report})

        def elaborate(_yosys, work, *_):
            (work / "generic.json").write_text(json.dumps(now), encoding="utf-8")

        with (mock.patch.object(mapping, "elaborate", elaborate), mock.patch.object(mapping, "progress"),
              mock.patch.object(mapping, "TOP", "top"),
              mock.patch.object(sweep, "measure", lambda *_: {"point": point, "sources": "measured"})):
            self.assertEqual(0, sweep.sweep(options))
        return sweep.read_reports(sweep.FULL)["rr"] | {"before": report}

    def test_the_same_netlist_keeps_its_figures(self):
        after = self.swept(generic(first=40))
        self.assertEqual(after["before"] | {"sources": sweep.digest_of("rr", recipes=sweep.FOR_ENGINES)},
                         {key: value for key, value in after.items() if key != "before"})

    def test_another_netlist_flow_or_name_is_measured(self):
        for now, changes in ((generic(first=40, cell="NOR"), {}), (generic(first=40), {"flow": "older"}),
                             (generic(first=41), {})):
            with self.subTest(changes=changes):
                self.assertEqual("measured", self.swept(now, **changes)["sources"])

    def tried_with(self, period):
        """The report of a port, of 2.7 ns by level2, after a sweep in which the recipe twice comes to `period`."""
        name = "port-rr-next"
        point = sweep.points(sweep.FULL)[name]
        report = {"policy": "port", "point": point, "min_period_ns": 2.7, "design": "as it was", "tried": [
            {"recipe": "level2", "min_period_ns": 2.7, "total_area_um2": 90}]}
        sweep.write_reports(sweep.reports_path(sweep.FULL), {
            name: report | {"sources": sweep.digest_of_report(report), "flow": sweep.flow_digest(["level2"])}})
        options = mock.Mock(library_name=sweep.FULL, only=[name], recipe=None, delay=None, jobs=1)

        def build(_block, _liberty, _delays, recipes, work, _passes):
            self.assertEqual(["twice"], recipes)
            work.mkdir(parents=True)
            (work / "generic.json").write_text(json.dumps(generic()), encoding="utf-8")
            return mock.Mock(), None, mock.Mock(), [{"recipe": "twice", "min_period_ns": period, "total_area_um2": 80}]

        def made(_block, _library, _netlist, _timing, tried, _radix):
            return {"policy": "port", "liberty": "here", "min_period_ns": period, "tried": tried}

        with (mock.patch.object(implement, "build", build), mock.patch.object(implement, "report", made),
              mock.patch.object(sweep, "FOR_PORTS", ["level2", "twice"]),
              mock.patch.object(mapping, "progress"), mock.patch.object(mapping, "TOP", "top")):
            self.assertEqual(0, sweep.sweep(options))
        after = sweep.read_reports(sweep.FULL)[name]
        self.assertEqual([("level2", 2.7), ("twice", period)],
                         [(entry["recipe"], entry["min_period_ns"]) for entry in after["tried"]])
        self.assertEqual((sweep.digest_of_report(after), sweep.flow_digest(["level2", "twice"])),
                         (after["sources"], after["flow"]))
        return after["min_period_ns"], after["design"]

    def test_a_way_of_mapping_that_was_not_tried_is_tried_beside_those_that_were(self):
        self.assertEqual((2.6, self.read()[0]), self.tried_with(2.6))
        self.assertEqual((2.7, "as it was"), self.tried_with(2.8))


class Figures(unittest.TestCase):
    """docs/data: rows are keyed, replaced and taken out as soon as their sources change."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.enterContext(mock.patch.object(sweep, "DATA", Path(directory.name)))

    def row(self, policy, **changes):
        return {"target": "tiny", "sources": sweep.fpga_digest_of(policy)} | sweep.point(
            policy, **changes)

    def test_two_sweeps_do_not_write_the_figures_of_one_library(self):
        with mock.patch.object(sweep, "WORK", sweep.DATA):
            with sweep.alone("one"), sweep.alone("other"):
                self.assertRaisesRegex(FlowError, "figures of one$", sweep.alone, "one")
            sweep.alone("one").close()

    def test_what_cannot_be_measured_is_refused(self):
        for main, what in ((sweep.main, []), (sweep.main, ["--fpga"]), (wires.main, ["ecp5"]), (wires.main, ["osu018"])):
            with self.subTest(what), contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(2, main([*what, "--only", "rr", "--only", "nothing"]))
                self.assertRegex(said.getvalue(), r"^synth: --only nothing: there are [^\n]+\n$")
                for wrong in (["--jobs", "0"], ["--passes", "-1"] if main is sweep.main else ["--seeds", "0"]):
                    with self.assertRaises(SystemExit) as caught:
                        main([*what, *wrong, "--only", "nothing"])
                    self.assertEqual(2, caught.exception.code)
        self.assertEqual([], list(sweep.DATA.iterdir()))

    def test_an_interrupted_sweep_ends_in_one_line(self):
        for main, what in ((sweep.main, ["--fpga"]), (wires.main, ["ecp5"])):
            with mock.patch.object(sweep, "run", side_effect=KeyboardInterrupt), \
                    contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(130, main([*what, "--only", "rr"]))
            self.assertEqual("synth: interrupted\n", said.getvalue())

    def test_a_point_that_fails_is_left_out_and_no_success(self):
        def work(name, point):
            if point != "sound":
                raise point
            return name

        measured, options = [], mock.Mock(jobs=1)
        with mock.patch.object(mapping, "progress"):
            todo = {"a": "sound", "b": FlowError("fault"), "c": "sound"}
            self.assertEqual(1, sweep.run(options, todo, work, lambda name, result: measured.append((name, result))))
            self.assertEqual([("a", "a"), ("c", "c")], sorted(measured))
            self.assertRaises(KeyboardInterrupt, sweep.run, options, {"a": KeyboardInterrupt()}, work, mock.Mock())
        for main, what in ((sweep.main, ["--fpga"]), (wires.main, ["ecp5"]), (wires.main, ["osu018"])):
            for failed, status in ((0, 0), (1, 2), (3, 2)):
                with mock.patch.object(sweep, "run", return_value=failed):
                    self.assertEqual(status, main([*what, "--only", "rr"]))

    def test_two_runs_do_not_route_the_same(self):
        with sweep.alone("wires-ecp5"), contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(2, wires.main(["ecp5", "--only", "rr"]))
        self.assertIn("another sweep is writing the figures of wires-ecp5", said.getvalue())

    def test_a_row_replaces_the_one_of_the_same_key_only(self):
        table = sweep.fpga_table()
        table.put(self.row("rr", queues=8) | {"luts": 1})
        table.put(self.row("rr", queues=16) | {"luts": 2})
        table.put(self.row("rr", queues=8) | {"luts": 3})
        again = sweep.fpga_table()
        self.assertEqual([("8", "3"), ("16", "2")],
                         [(row["queues"], row["luts"]) for row in again.rows])
        self.assertEqual("2", again.find(self.row("rr", queues=16))["luts"])
        self.assertIsNone(again.find(self.row("rr", queues=4)))

    def test_what_other_sources_made_is_taken_out(self):
        sweep.fpga_table().put(self.row("rr"))
        sweep.fpga_table().put(self.row("sbt") | {"sources": "older"})
        self.assertEqual(1, sweep.prune())
        self.assertEqual(["rr"], [row["policy"] for row in sweep.fpga_table().rows])

    def test_the_fastest_is_chosen_after_sizing(self):
        mapped = {"level2": (2.7, 2.6, 90), "level3": (2.8, 2.5, 80), "twice": (2.6, 2.7, 70), "small": (0.4, 0.3, 60),
                  "level": (0.6, 0.49, 50)}

        def build(_block, _liberty, _delays, recipes, work, _passes):
            (recipe,) = recipes
            raw, sized, area = mapped[recipe]
            return "library", work.name, sized, [
                {"recipe": recipe, "min_period_ns": period, "total_area_um2": area} for period in (raw, sized)]

        options = mock.Mock(liberty="tiny", delay=None, passes=1)
        with mock.patch.object(implement, "build", build):
            for recipes, wins in ((["level2", "level3", "twice"], "level3"), (["level2", "small", "level"], "level")):
                _, netlist_of, timing, tried, directory = sweep.fastest(None, options, recipes, Path("work"))
                self.assertEqual((wins, mapped[wins][1], Path("work") / wins), (netlist_of, timing, directory))
                self.assertEqual([(recipe, period) for recipe in recipes for period in mapped[recipe][:2]],
                                 [(entry["recipe"], entry["min_period_ns"]) for entry in tried])

    def test_a_figure_is_of_the_recipes_that_were_tried_for_it(self):
        report = {"policy": "rr", "tried": [{"recipe": "level3"}, {"recipe": "level2"}, {"recipe": "level3"}]}
        before = sweep.digest_of_report(report)
        self.assertNotEqual(before, sweep.digest_of_report(report | {"tried": [{"recipe": "level2"}]}))
        with mock.patch.dict(sweep.RECIPES, {"new": "strash"}):
            self.assertEqual(before, sweep.digest_of_report(report))
        with mock.patch.dict(sweep.RECIPES, {"level3": "strash"}):
            self.assertNotEqual(before, sweep.digest_of_report(report))

    def test_comments_of_rtl_make_no_difference_unless_they_move_code(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
            source = Path(directory) / "block.sv"

            def digest_of(text):
                source.write_text(text, encoding="utf-8")
                return sweep.digest_of_files([source])
            known = digest_of("// why\nwire a;  // how\n")
            self.assertEqual(known, digest_of("//\nwire a;\n"))
            for other in ("wire a;\n", "\nwire b;\n", "\n wire a;\n"):
                self.assertNotEqual(known, digest_of(other))

    def test_only_a_policys_own_sources_count(self):
        files = {policy: {path.name for path in blocks.find(ROOT, policy, sweep.TARGET, {}).files}
                 for policy in blocks.POLICIES}
        self.assertIn("qosarb_vl_table.sv", files["infiniband"])
        self.assertIn("qosarb_pkg.sv", files["infiniband"])
        self.assertNotIn("qosarb_vl_table.sv", files["dtable"])
        self.assertEqual(len(blocks.POLICIES), len({sweep.digest_of(p) for p in blocks.POLICIES}))

    def test_points_have_only_what_matters_to_the_policy(self):
        self.assertEqual({"policy": "rr", "queues": 8}, sweep.point("rr", entries=64))
        self.assertEqual(64, sweep.point("infiniband", entries=128)["entries"])
        for point in sweep.points(sweep.FULL).values():
            blocks.find(ROOT, point["policy"], sweep.TARGET | point, point.get("set", {}))


class Command(unittest.TestCase):
    """scripts/synth tells what it does not take in one line, with exit status 2."""

    SMALL = ["--queues", "3", "--entries", "4", "--quantum-width", "5", "--max-packet-flits", "15", "--recipe", "small",
             "--passes", "0"]

    def refusal(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(2, synth.main([*self.SMALL, *arguments]))
        self.assertEqual(1, said.getvalue().count("\n"), said.getvalue())
        return said.getvalue()

    def test_what_would_be_left_out_or_makes_no_sense(self):
        for arguments in (["--target", "ice40", "--check"], ["--target", "ecp5", "--power"], ["--target", "ice40", "--route"],
                          ["--target", "ecp5", "--liberty", "other.lib"], ["--target", "ecp5", "--recipe", next(iter(RECIPES))],
                          ["--target", "ecp5", "--seeds", "3"], ["--seeds", "3"],
                          ["--radix", "0"], ["--delay", "0"], ["--passes", "-1"], ["--tables", "0"], ["--seeds", "x"]):
            with self.subTest(arguments), contextlib.redirect_stderr(io.StringIO()) as said:
                with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as caught:
                    synth.main(["--policy", "rr", *self.SMALL, *arguments])
                self.assertEqual(2, caught.exception.code)
                self.assertRegex(said.getvalue(), r"^scripts/synth: [^\n]+\n$")

    def test_two_in_one_directory_work_there_one_after_the_other(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
            other = os.open(directory, os.O_RDONLY)
            fcntl.flock(other, fcntl.LOCK_EX)
            left = []

            def other_ends(said):
                if said.startswith("waits for another"):
                    left.extend(os.listdir(directory))
                    os.close(other)

            with mock.patch.object(mapping, "progress", other_ends), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(0, synth.main(["--policy", "rr", *self.SMALL, "--output", directory]))
            self.assertEqual([], left)
            self.assertRaises(OSError, os.close, other)
            # Nothing that is there is of a run before a refused one.
            self.refusal("--policy", "port", "--set", "Latency=2", "--output", directory)
            self.assertFalse((Path(directory) / "report.json").exists())

    def test_an_interrupted_run_ends_in_one_line(self):
        with mock.patch.object(implement, "build", side_effect=KeyboardInterrupt):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(130, synth.main(["--policy", "rr", *self.SMALL]))
        self.assertEqual("synth: interrupted\n", said.getvalue())

    def test_what_yosys_could_not_write(self):
        with mock.patch.object(implement, "build", side_effect=lambda *_: json.loads('{"modules": {')):
            self.assertRegex(self.refusal("--policy", "rr"), r"^synth: /\S+: what Yosys wrote there is cut off; ")

    def test_files_and_directories(self):
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
            work = Path(directory)
            (work / "file").touch()
            (work / "damaged.lib.gz").write_bytes(gzip.compress(b"library(l) {}")[:10] + b"\xff" * 20)
            for arguments, refusal in ((["--output", work / "file"], "file: File exists"),
                                       (["--output", work / "file" / "in"], "in: Not a directory"),
                                       (["--output", work / "a b"], "a b: .* white space"),
                                       (["--liberty", work / "damaged.lib.gz"], "damaged.lib.gz: Error")):
                with self.subTest(arguments):
                    self.assertRegex(self.refusal("--policy", "rr", *map(str, arguments)), rf"^synth: /\S+/{refusal}")
            self.assertEqual({"file", "damaged.lib.gz"}, {path.name for path in work.iterdir()})
            (work / "my clone").mkdir()
            (work / "my clone" / "rtl").symlink_to(ROOT / "rtl")
            with mock.patch.object(synth, "ROOT", work / "my clone"):
                self.assertIn("white space", self.refusal("--policy", "rr", "--output", str(work / "my clone" / "out")))

    def test_cells_without_an_area(self):
        text = liberty.read_text(synth.DEFAULT_LIBRARY)
        with tempfile.TemporaryDirectory(dir=ROOT / "build") as directory:
            file = Path(directory) / "no_area.lib"
            for area in ("", "area : 0;", "area : nan;", "area : -8;"):
                file.write_text(re.sub(r"\barea\s*:.*", area, text), encoding="utf-8")
                with self.subTest(area), mock.patch.object(mapping, "progress"):
                    self.assertRegex(self.refusal("--policy", "rr", "--liberty", str(file), "--output", directory),
                                     r"^synth: /\S+no_area.lib: the cell \w+ has no area$")

    def test_parameters_that_do_not_elaborate(self):
        self.assertRegex(self.refusal("--policy", "port", "--set", "Latency=2"),
                         r"^synth: yosys: rtl/\S+:\d+: ERROR: .*Latency must be 0 or 1 \(build/synth/\S+\)$")
        self.assertIn("Queues must be within 1..32", self.refusal("--policy", "port", "--queues", "33", "--entries", "40"))
        self.assertIn("must hold MaxPacketFlits", self.refusal("--policy", "dtable", "--max-packet-flits", "255"))


class Policies(unittest.TestCase):
    """A small block of each policy: mapped, checked, timed, and run against the reference."""

    SMALL = {"queues": 4, "entries": 8, "quantum_width": 5, "max_packet_flits": 15}
    WRONG_GATES = 10

    def build(self, policy, name, **changes):
        block = blocks.find(ROOT, policy, self.SMALL | changes, {})
        work = ROOT / "build" / "synth-test" / name
        library, result, timing, _ = implement.build(block, synth.DEFAULT_LIBRARY, [500], ["level"],
                                                     work, passes=2)
        self.assertGreater(timing.min_period_ns, 0.0)
        self.assertEqual([], netlists.check(result, library))
        return block, library, result, work

    def check(self, policy):
        """The gates decide as the reference; with any one of some gates inverted they do not."""
        block, library, result, work = self.build(policy, policy, **ENGINES[policy].get("small", {}))
        parts = accounting.account(result, library)
        self.assertEqual("table_memory" in parts, ENGINES[policy].get("table", True))
        # The farther from the grants, the rarer are the cases in which a gate matters.
        wrong = cone(result, library, ("grant_valid_o", "grant_o"))[:self.WRONG_GATES]
        make_invertible(result, library, wrong)
        netlists.write_verilog(result, library, work / "netlist.v")
        simulation = gates.simulate(ROOT, block, library, result, work)
        print(policy, gates.run(simulation, seed=20, tables=10))
        for number, gate in enumerate(wrong):
            with self.subTest(gate=gate), self.assertRaisesRegex(FlowError, "the reference grants"):
                gates.run(simulation, seed=20, tables=10, wrong_gate=number)

    def test_the_same_sources_give_the_same_netlist(self):
        first, again = (self.build("sbt", f"sbt-{time}", queues=3)[3] for time in ("first", "again"))
        self.assertEqual((first / "netlist.v").read_bytes(), (again / "netlist.v").read_bytes())

    def test_parts_of_a_port(self):
        _, library, result, _ = self.build("port", "port", entries=4)
        parts = accounting.account(result, library)
        # Four entries of a queue and a quantum, in shadow and in force, where each is also in use or
        # not; the last of these bits is not there if it is always the same as another.
        self.assertIn(parts["table_memory"]["flip_flops"], range(2 * 4 * (2 + 5), 2 * 4 * 7 + 5))
        for part in ("registers", *accounting.OF_A_PORT):
            self.assertGreater(parts[part]["flip_flops"], 0)

    def test_second_copies_are_not_merged_with_the_first_ones(self):
        """Policies and commit of a protected port have as many flip-flops in both copies."""
        counts = []
        for protect in (0, 1):
            block = blocks.find(ROOT, "port", self.SMALL | {"entries": 4}, {"Protect": protect})
            work = ROOT / "build" / "synth-test" / f"port-protect-{protect}"
            _, result, _, _ = implement.build(block, synth.DEFAULT_LIBRARY, [500], ["level"], work, passes=0)
            counts.append({part: sum(any(f".{part}." in name for name in names) for names in result.registers.values())
                           for part in ("u_policies", "u_second_policies", "u_commit", "u_second_commit")})
        plain, protected = counts
        self.assertGreater(plain["u_policies"], 0)
        for part in ("policies", "commit"):
            self.assertEqual(protected[f"u_second_{part}"], protected[f"u_{part}"], part)
            self.assertGreaterEqual(protected[f"u_{part}"], plain[f"u_{part}"], part)

    def test_fpga(self):
        block = blocks.find(ROOT, "rr", self.SMALL, {})
        work = ROOT / "build" / "synth-test" / "fpga"
        work.mkdir(parents=True, exist_ok=True)
        counts = mapping.map_to_fpga(implement.yosys(), work, block.files, block.module,
                                     block.parameters, "ice40")
        # A pointer as a thermometer code over four queues has three bits that change.
        self.assertEqual(3, sum(n for cell, n in counts.items() if cell.startswith("SB_DFF")))


def _add_checks():
    for policy in (*blocks.POLICIES, *sweep.OTHER_ENGINES, "baseline-deficit"):
        setattr(Policies, f"test_{policy.replace('-', '_')}",
                lambda self, policy=policy: self.check(policy))


_add_checks()


def load_tests(loader, tests, _):
    return unittest.TestSuite([tests, loader.loadTestsFromModule(wires_test)])


if __name__ == "__main__":
    unittest.main()
