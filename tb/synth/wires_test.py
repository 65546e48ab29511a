"""Tests of what measures blocks with their wires, by hand-made layouts and reports. No placer, no router."""

import contextlib
import io
import json
import re
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import extract
import implement
import library as libraries
import mapping
import netlist as netlists
import place
import report as reports
import report_data
import report_tables
import report_wires
import route_fpga
import sweep
import wires
from implement import ROOT
from library import FlowError
from timed_library import timed_library

# 1 ohm for each micrometre of metal1, 2 of metal2; 2 fF and 3 fF, the half of it at the two edges.
_LEF = """
LAYER poly
  TYPE MASTERSLICE ;
END poly
LAYER metal1
  TYPE ROUTING ;
  WIDTH 0.5 ;
  RESISTANCE RPERSQ 0.5 ;
  CAPACITANCE CPERSQDIST 0.002 ;
  EDGECAPACITANCE 0.0005 ;
END metal1
LAYER via
  TYPE CUT ;
END via
LAYER metal2
  TYPE ROUTING ;
  WIDTH 0.5 ;
  RESISTANCE RPERSQ 1.0 ;
  CAPACITANCE CPERSQDIST 0.003 ;
  EDGECAPACITANCE 0.00075 ;
END metal2
VIA M2_M1 DEFAULT
  LAYER metal1 ;
    RECT -0.2 -0.2 0.2 0.2 ;
  LAYER via ;
    RECT -0.1 -0.1 0.1 0.1 ;
  LAYER metal2 ;
    RECT -0.2 -0.2 0.2 0.2 ;
END M2_M1
VIARULE viagen21 GENERATE
  LAYER metal1 ;
    WIDTH 0.3 TO 60 ;
END viagen21
MACRO INV
  ORIGIN 0 0 ;
  SIZE 2 BY 10 ;
  PIN A
    DIRECTION INPUT ;
    PORT
      LAYER metal1 ;
        RECT 0.2 2.0 0.6 3.0 ;
    END
  END A
  PIN Y
    DIRECTION OUTPUT ;
    PORT
      LAYER metal1 ;
        RECT 1.4 1.0 1.8 9.0 ;
    END
  END Y
  OBS
    LAYER metal1 ;
      RECT 0.0 5.0 1.0 6.0 ;
  END
END INV
"""


def layout(wires_of_net, orientation="N"):
    """Three inverters at x of 0, 20 and 40 um, of which the last stands as told; the first drives the others."""
    return f"""
UNITS DISTANCE MICRONS 100 ;
DIEAREA ( -100 -100 ) ( 5000 2000 ) ;
COMPONENTS 3 ;
- INV_1 INV + PLACED ( 0 0 ) N ;
- INV_2 INV + PLACED ( 2000 0 ) N ;
- INV_3 INV + PLACED ( 4000 0 ) {orientation} ;
END COMPONENTS
PINS 1 ;
- p + NET p
  + LAYER metal2 ( 0 0 ) ( 1 1 )
  + PLACED ( -100 250 ) N ;
END PINS
NETS 2 ;
- p
  ( PIN p )
  ( INV_1 A )
+ ROUTED metal2 ( -100 250 ) ( 40 * ) M2_M1 ;
- n
  ( INV_1 Y )
  ( INV_2 A )
  ( INV_3 A )
+ ROUTED {wires_of_net} ;
END NETS
SPECIALNETS 1 ;
- n
+ ROUTED metal1 40 ( 0 0 ) ( 10 * ) ;
END SPECIALNETS
"""


# A trunk on metal2 from the first to the third inverter, and a branch from its middle to the second.
_TRUNK = ("metal1 ( 160 250 ) M2_M1\n  NEW metal2 ( 160 250 ) ( * 850 ) ( 4040 * ) ( * 250 ) M2_M1\n"
          "  NEW metal1 ( 2040 250 ) M2_M1\n  NEW metal2 ( 2040 250 ) ( * {branch} )")
_WHOLE = _TRUNK.format(branch=850)


class Extraction(unittest.TestCase):
    def setUp(self):
        self.lef = extract.read_lef(_LEF)

    def net(self, wires_of_net=_WHOLE, name="n", **changes):
        return extract.extract_net(name, extract.read_def(layout(wires_of_net, **changes), self.lef), self.lef)

    def resistance(self, net, start, goal):
        """Along the one way from one pin to another."""
        waiting, reached = [(start, 0.0)], {start: 0.0}
        while waiting:
            node, ohm = waiting.pop()
            for a, b, more in net.resistors:
                for here, there in ((a, b), (b, a)):
                    if here == node and there not in reached:
                        reached[there] = ohm + more
                        waiting.append((there, ohm + more))
        return reached[goal]

    def test_layers_and_pins_are_those_of_the_lef_file(self):
        self.assertEqual(["metal1", "metal2"], list(self.lef.layers))
        self.assertEqual({"M2_M1": ["metal1", "metal2"]}, self.lef.vias)
        self.assertEqual({"A": [("metal1", 0.2, 2.0, 0.6, 3.0)], "Y": [("metal1", 1.4, 1.0, 1.8, 9.0)]},
                         self.lef.macros["INV"].pins)
        self.assertAlmostEqual(10.0, self.lef.layers["metal1"].ohm(10))
        self.assertAlmostEqual(20.0, self.lef.layers["metal1"].ff(10))

    def test_a_net_has_the_length_of_its_wires(self):
        """6 um up, 38.8 along and 6 down, and 6 of the branch."""
        net = self.net()
        self.assertAlmostEqual(56.8, net.length_um)
        self.assertAlmostEqual(3 * 56.8, sum(net.capacitances.values()))

    def test_resistances_are_those_of_the_way_to_a_pin(self):
        net = self.net()
        self.assertAlmostEqual(2 * (6 + 18.8 + 6), self.resistance(net, ("INV_1", "Y"), ("INV_2", "A")), places=1)
        self.assertAlmostEqual(2 * (6 + 38.8 + 6), self.resistance(net, ("INV_1", "Y"), ("INV_3", "A")), places=1)

    def test_a_contact_that_was_moved_a_little_is_joined(self):
        self.assertAlmostEqual(56.6, self.net(_TRUNK.format(branch=830)).length_um)

    def test_a_net_in_two_parts_is_refused(self):
        with self.assertRaisesRegex(FlowError, "net n is not routed: .*INV_2"):
            self.net(_TRUNK.format(branch=800))

    def test_a_pin_that_no_wire_reaches_is_refused(self):
        """Turned over, the pin of the third inverter is elsewhere."""
        self.net(_WHOLE)
        for orientation in ("S", "FS", "FN"):
            with self.subTest(orientation), self.assertRaisesRegex(FlowError, "net n is not routed: .*INV_3"):
                self.net(_WHOLE, orientation=orientation)

    def test_a_port_is_a_pin(self):
        self.assertAlmostEqual(1.4, self.net(name="p").length_um)

    def test_a_layout_that_joins_other_pins_than_the_netlist_is_refused(self):
        def netlist(last):
            return netlists.Netlist("top", [netlists.Port("p", "input", [1])], {
                name: netlists.Instance(name, "INV", pins) for name, pins in (
                    ("INV_1", {"A": 1, "Y": 7}), ("INV_2", {"A": 7}), ("INV_3", {"A": last}))})

        found = extract.read_def(layout(_WHOLE).replace("- n\n", "- n7\n"), self.lef)
        place.check_netlist(found, netlist(7))
        with self.assertRaisesRegex(FlowError, "not that of the netlist"):
            place.check_netlist(found, netlist(1))


class Timing(unittest.TestCase):
    def test_a_wire_adds_its_delay(self):
        """An inverter of 0.1 ns and 1 ns/pF drives a wire of 200 fF into the output, which is 40 fF."""
        work = ROOT / "build" / "synth-test" / "wires"
        work.mkdir(parents=True, exist_ok=True)
        path = work / "timed.lib"
        path.write_text(timed_library(("1ns", 1.0), ("pf", 1.0)), encoding="utf-8")
        library = libraries.load(path, implement.SETTINGS, work)
        block = netlists.Netlist("top", [
            netlists.Port("clk_i", "input", [1]), netlists.Port("rst_ni", "input", [5]),
            netlists.Port("d_i", "input", [2, 6]), netlists.Port("q_o", "output", [9, 4])], {
                "u0": netlists.Instance("u0", "DFF", {"D": 2, "CK": 1, "Q": 3}),
                "u1": netlists.Instance("u1", "INV", {"A": 3, "Y": 4})})
        flat = place.flattened(block)
        self.assertEqual(["clk_i", "d_i_0", "q_o_1"], [port.name for port in flat.ports])
        text = extract.spef(flat.name, {"q_o_1": extract.Parasitics(100.0, {("metal1", 0, 0): 200.0}, [
            (("u1", "Y"), ("metal1", 0, 0), 0.001), (("metal1", 0, 0), ("PIN", "q_o_1"), 0.001)])},
            place.directions(flat, library))
        flat.ports.append(netlists.Port("rst_ni", "input", [5]))
        unwired, wired = place.periods(implement.sta(), flat, library, work, text)
        self.assertAlmostEqual(0.3 + 0.1 + 0.04 + 0.2 + 0.05, unwired, places=3)
        self.assertAlmostEqual(0.2, wired - unwired, places=3)


class Tools(unittest.TestCase):
    def test_a_router_that_failed_at_a_net_is_an_error(self):
        place.check_routed("Progress: Stage 3 total routes completed: 9\nFinal: No failed routes!\n")
        for log in ("Final: Failed net routes: 2\n", "Progress: Stage 1\nNo failed routes!\n", ""):
            with self.subTest(log), self.assertRaisesRegex(place.NotPlaced, "qrouter"):
                place.check_routed(log)

    def test_what_takes_too_long_ends_with_all_that_it_started(self):
        with tempfile.TemporaryDirectory() as directory:
            tools = place.Tools(Path(directory), 1)
            with self.assertRaisesRegex(place.NotPlaced, "sh did not end within 1 s"):
                tools.run("log", "sh", "-c", "sh -c 'sleep 2; touch late' & wait")
            time.sleep(2)
            self.assertFalse((Path(directory) / "late").exists())

    def test_a_tool_that_fails_is_an_error(self):
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaisesRegex(place.NotPlaced, "false failed"):
                place.Tools(Path(directory), 10).run("log", "false")


class Starts(unittest.TestCase):
    """From which the placer begins."""

    def measure(self, outcomes, limit=100):
        """What place.measure() gives if those from each start are these, and from which it was tried."""
        tried = []

        def from_start(start, *_):
            tried.append(start)
            outcome = outcomes[len(tried) - 1]
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        with mock.patch.object(place, "measure_from", from_start), mock.patch.object(mapping, "progress"):
            try:
                return place.measure(None, None, None, None, limit), tried
            except place.NotPlaced as error:
                return str(error), tried

    def test_another_one_is_tried_where_a_net_is_left_open(self):
        self.assertEqual(("placed", [*place.STARTS[:2]]), self.measure([extract.NotRouted("open"), "placed"]))
        self.assertEqual(("placed", [*place.STARTS]), self.measure([extract.NotRouted("open"), place.NotPlaced("failed"), "placed"]))
        self.assertEqual(("last", [*place.STARTS]), self.measure([place.NotPlaced("failed"), place.NotPlaced("failed"), extract.NotRouted("last")]))

    def test_none_is_tried_when_the_time_is_over(self):
        self.assertEqual(("late", [place.STARTS[0]]), self.measure([place.NotPlaced("late"), "placed"], limit=0))

    def test_is_what_the_placer_reads(self):
        first, other = (place.parameters_from(start) for start in (1, 23))
        self.assertEqual(other, first.replace("*random.seed	      : 1\n", "*random.seed	      : 23\n"))
        self.assertNotEqual(first, other)


def report(**changes):
    """As nextpnr writes it, of a path of 2.5 ns, 1.5 of it in wires, and one that comes from outside."""
    def path(start, end, wire):
        return {"from": start, "to": end, "path": [
            {"delay": 0.5, "type": "clk-to-q"}, {"delay": wire, "type": "routing"},
            {"delay": 0.5, "type": "logic"}, {"delay": 0.5, "type": "routing"}, {"delay": 0.0, "type": "setup"}]}

    return {"fmax": {"clk": {"achieved": 400.0, "constraint": 12.0}}, "critical_paths": [
        path("<async>", "posedge clk", 9.0), path("posedge clk", "posedge clk", 1.0),
        path("posedge clk", "<async>", 8.0)]} | changes


class Fpga(unittest.TestCase):
    def test_only_paths_between_registers_count(self):
        self.assertEqual(route_fpga.Routed(400.0, 1.5, 2.5), route_fpga.parse_report(report()))

    def test_a_report_without_one_clock_is_refused(self):
        both = report()["fmax"] | {"other": {"achieved": 9.0, "constraint": 12.0}}
        for clocks in ({}, both):
            with self.subTest(clocks), self.assertRaisesRegex(FlowError, "where there should be one"):
                route_fpga.parse_report(report(fmax=clocks))
        with self.assertRaisesRegex(FlowError, "0 longest paths"):
            route_fpga.parse_report(report(critical_paths=report()["critical_paths"][:1]))

    def test_the_median_of_an_even_number_is_the_slower_one(self):
        runs = [route_fpga.Routed(mhz, 0.0, 1000 / mhz) for mhz in (90.0, 70.0, 80.0, 60.0)]
        self.assertEqual(70.0, route_fpga.median(runs).mhz)
        self.assertEqual(80.0, route_fpga.median(runs[:3]).mhz)

    def test_each_bit_of_a_block_is_shifted_in_or_shown(self):
        """Of a register of two bits nothing is optimized away: two bits in, one between, two out and two of the
        signature, which is six registers and the one that the block has."""
        work = ROOT / "build" / "synth-test" / "harness"
        work.mkdir(parents=True, exist_ok=True)
        source = work / "qosarb_harnessed.sv"
        source.write_text("module qosarb_harnessed #(parameter int unsigned Width = 1) (\n"
                          "  input logic clk_i, input logic rst_ni, input logic [Width-1:0] a_i, input logic b_i,\n"
                          "  output logic [Width-1:0] sum_o);\n"
                          "  always_ff @(posedge clk_i or negedge rst_ni)\n"
                          "    if (!rst_ni) sum_o <= '0; else sum_o <= a_i ^ {Width{b_i}};\n"
                          "endmodule\n", encoding="utf-8")
        block = mock.Mock(files=[source], module="qosarb_harnessed", parameters={"Width": 2})
        counts = route_fpga.map_block(implement.yosys(), work, block)
        self.assertEqual(3 + 2 + 2 + 2, counts["TRELLIS_FF"])
        self.assertEqual({}, route_fpga.memories(counts))

    def test_memories_are_told(self):
        self.assertEqual({"lut_ram": 4}, route_fpga.memories({"LUT4": 9, "TRELLIS_DPR16X4": 4}))

    def test_ports_are_connected_once(self):
        text = route_fpga.harness("m", {"A": 1}, [
            mapping.Port("clk_i", "input", 1), mapping.Port("rst_ni", "input", 1), mapping.Port("half_rst_ni", "input", 1),
            mapping.Port("a_i", "input", 3), mapping.Port("b_i", "input", 2), mapping.Port("c_o", "output", 4)])
        self.assertEqual([("a_i", "inputs_q[2:0]"), ("b_i", "inputs_q[4:3]"), ("c_o", "outputs[3:0]"),
                          ("half_rst_ni", "rst_ni"), ("rst_ni", "rst_ni")],
                         sorted(re.findall(r"\.(\w+)\(([^)]*)\)", text.split("u_block")[1])))


class Rows(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.enterContext(mock.patch.object(sweep, "DATA", Path(directory.name)))

    def row(self, name, seed, mhz, **changes):
        point = wires.ecp5_points()[name]
        return {"block": name, "seed": seed, "mhz": mhz, "wires_ns": 1.0, "luts": 5, "carries": 0, "registers": 9,
                "sources": wires.ecp5_digest_of(point["policy"])} | wires.columns_of(point) | changes

    def test_only_what_the_present_sources_made_of_the_same_block_is_measured(self):
        table = wires.ecp5_table()
        point, digest = wires.ecp5_points()["port-rr-next"], wires.ecp5_digest_of("port")
        for changes, expected in (({}, True), ({"sources": "older"}, False), ({"Latency": 0}, False),
                                  ({"entries": 64}, False)):
            with self.subTest(changes):
                table.put(self.row("port-rr-next", 1, 50.0, **changes))
                self.assertEqual(expected, wires.is_measured(table, point, {"block": "port-rr-next", "seed": 1}, digest))
        self.assertFalse(wires.is_measured(table, point, {"block": "port-rr-next", "seed": 2}, digest))

    def test_what_is_routed_as_before_keeps_its_frequency(self):
        netlist = {"modules": {"top": {"cells": {"lut": {"type": "LUT4", "attributes": {"src": "a.sv:1"}}}}}}

        def map_block(_, work, __):
            work.mkdir(parents=True, exist_ok=True)
            (work / "mapped.json").write_text(json.dumps(netlist), encoding="utf-8")
            return {"LUT4": 1}

        routed = []

        def route(_, seed, __):
            if seed == 9:
                raise KeyboardInterrupt
            routed.append(seed)
            return route_fpga.Routed(120.0 + len(routed), 2.0, 8.0)

        self.enterContext(mock.patch.object(route_fpga, "map_block", map_block))
        self.enterContext(mock.patch.object(route_fpga, "route", route))
        self.enterContext(mock.patch.object(mapping, "progress"))
        self.enterContext(mock.patch.object(wires, "WORK", Path(self.enterContext(tempfile.TemporaryDirectory()))))
        table, point = wires.ecp5_table(), wires.ecp5_points()["rr"]

        def measured(seeds):
            rows = []

            def keep(row):
                rows.append(row)
                table.put(row)

            wires.measure_ecp5("rr", point, seeds, table, keep)
            self.assertEqual({wires.ecp5_digest_of("rr")}, {row["sources"] for row in rows})
            return [float(row["mhz"]) for row in rows]

        self.assertEqual([121.0, 122.0], measured([1, 2]))
        for row in list(table.rows):
            table.put(row | {"sources": "older"})
        netlist["modules"]["top"]["cells"]["lut"]["attributes"]["src"] = "b.sv:2"
        self.assertEqual([121.0, 122.0, 123.0], measured([1, 2, 3]))
        netlist["modules"]["top"]["cells"]["lut"]["type"] = "CCU2C"
        self.assertEqual([124.0], measured([1]))
        table.put(table.rows[0] | {"router": "older"})
        self.assertEqual([125.0], measured([1]))
        with self.assertRaises(KeyboardInterrupt):
            measured([4, 9])
        self.assertEqual("126.0", table.find({"block": "rr", "seed": 4})["mhz"])

    def test_what_other_sources_made_is_taken_out(self):
        wires.ecp5_table().put(self.row("rr", 1, 100.0))
        wires.ecp5_table().put(self.row("sbt", 1, 100.0, sources="older"))
        self.assertEqual(1, wires.prune())
        self.assertEqual(["rr"], [row["block"] for row in wires.ecp5_table().rows])

    def test_the_page_has_median_and_range(self):
        for seed, mhz in enumerate((100.0, 125.0, 80.0), 1):
            wires.ecp5_table().put(self.row("rr-32", seed, 2 * mhz))
            wires.ecp5_table().put(self.row("port-all-next", seed, mhz, lut_ram=96, block_ram=4))
        self.assertEqual(
            ["| rr | 32 candidates | 4.00 | 5.00 | 1.25 | 1.00 | 200.0 | 160.0 to 250.0 (3) | 5 | 0 | 0 |",
             "| port with all nine | answer in the next cycle | 9.00 | 10.00 | 1.11 | 2.00 | 100.0 | 80.0 to 125.0 (3) | 5 | 96 | 4 |"],
            report_wires.ecp5().splitlines()[2:4])

    def test_the_page_says_what_was_not_measured(self):
        for name in wires.ecp5_points():
            if name not in ("port-rr-next", "bxi-deficit"):
                wires.ecp5_table().put(self.row(name, 1, 100.0))
        self.assertEqual("Not measured: bxi-deficit, 32 entries, 8 queues; port with rr alone, answer in the next cycle.",
                         report_wires.ecp5().splitlines()[-1])
        wires.ecp5_table().put(self.row("port-rr-next", 1, 100.0))
        wires.ecp5_table().put(self.row("bxi-deficit", 1, 100.0))
        self.assertNotIn("Not measured", report_wires.ecp5())

    def test_the_page_says_what_is_of_earlier_sources(self):
        wires.ecp5_table().put(self.row("rr", 1, 100.0))
        wires.ecp5_table().put(self.row("sbt", 1, 100.0, sources="older"))
        self.assertIn("\nOf earlier sources: sbt, 8 queues.\n", report_wires.ecp5())
        wires.ecp5_table().put(self.row("sbt", 1, 100.0))
        self.assertNotIn("earlier", report_wires.ecp5())

    def test_the_page_says_what_was_not_placed(self):
        for name, row in (("rr-32", {"wired_ns": 2.5, "wires_mm": 3.25, "core_um2": 1234}),
                          ("bxi-deficit-8", {"failed": "graywolf did not end within 9 s"})):
            wires.osu018_table().put(wires.columns_of(wires.osu018_points()[name]) | {
                "block": name, "cells": 4321, "unwired_ns": 2.0, "sources": "any"} | row)
        text = report_wires.osu018()
        self.assertIn("| rr | 32 candidates | 4,321 | 2.000 | 2.500 | 1.25 | 1.00 | 1.00 | 3.2 | 1,234 |", text)
        self.assertIn("Not placed and routed: bxi-deficit, 8 entries, 8 queues (4,321 cells): graywolf did not end "
                      "within 9 s.", text)


class Page(unittest.TestCase):
    def test_one_without_the_place_of_a_table_is_not_what_the_data_say(self):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory) / "page.md"
            text = reports.PAGE.read_text()
            mark = "<!-- synth: protect -->\n"
            with mock.patch.object(reports, "PAGE", page), contextlib.redirect_stderr(io.StringIO()):
                for changed, status in ((text, 0), (text.replace(mark, ""), 1), (text.replace(mark, mark + "9"), 1)):
                    page.write_text(changed)
                    self.assertEqual(status, reports.main(["--check"]))
                unmarked = text.replace(mark, "")
                page.write_text(unmarked)
                self.assertRaisesRegex(SystemExit, "has not each of the marks .*protect", reports.main, [])
                self.assertEqual(unmarked, page.read_text())

    def test_figures_of_other_sources_are_told(self):
        with tempfile.TemporaryDirectory() as directory:
            page, errors = Path(directory) / "page.md", io.StringIO()
            page.write_text("<!-- synth: sources -->\n<!-- end -->\n")
            for stale, of_the_present, found in (([], "All 5 figures", (0, 0)), (["rr-32"], "**1 of the 5 figures", (0, 1))):
                with mock.patch.object(report_tables, "stale_figures", return_value=(stale, 5)), \
                        mock.patch.object(reports, "stale_figures", return_value=(stale, 5)), \
                        mock.patch.multiple(reports, PAGE=page, TABLES={"sources": report_tables.sources}), \
                        contextlib.redirect_stderr(errors):
                    self.assertEqual(0, reports.main([]))
                    self.assertIn(of_the_present, page.read_text())
                    self.assertEqual(found, (reports.main(["--check"]), reports.main(["--check", "--current"])))
            self.assertEqual(3, errors.getvalue().count("the first: rr-32"))

    def test_goals_are_met_up_to_them(self):
        periods = {"rr-32": 0.4, "port-bxi-deficit-next": 0.6, "port-sbt-next": 0.68, "port-all-next": 0.42, "port-rr-next": 0.9}
        found = {report_tables.SEVEN: {name: {"min_period_ns": period} for name, period in periods.items()}}
        with mock.patch.object(report_tables, "reports", return_value=found), \
                mock.patch.object(report_data, "reports", return_value=found):
            self.assertEqual("Within the goal of x: rr-32 (1.00), all (1.05). Not yet: sbt (1.70, 6 % above 1.60).\n",
                             report_tables.against(report_tables.SEVEN, {
                                 "rr-32": 1.0, "port-sbt-next": 1.6, "port-all-next": 1.6, "port-trtcm-next": 1.6}, "of x"))
            self.assertEqual(
                ["- 800 Gb/s, a frame of 84 bytes every 0.84 ns: ports with rr, bxi-basic, bxi-deficit (0.600); rr, sbt (0.680); "
                 "all nine (0.420).",
                 "- 1600 Gb/s, a frame of 84 bytes every 0.42 ns: ports with all nine (0.420).",
                 "- Goals before wires: not yet met by rr, sbt (0.680, goal 0.67)."],
                report_tables.seven().splitlines())


if __name__ == "__main__":
    unittest.main()
