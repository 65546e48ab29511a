"""Modules with one fault each, which the front end must find, and one without a fault."""

from common import CLEAN, FINDINGS
from front_end import FrontEnd

MODULES = [
    ("", "module m (input logic a_i, output logic b_o);\n  assign b_o = ~a_i;\nendmodule\n"),
    ("width-trunc",
     "module m (input logic [7:0] a_i, output logic [3:0] b_o);\n  assign b_o = a_i;\nendmodule\n"),
    ("width-expand",
     "module m (input logic [3:0] a_i, output logic [7:0] b_o);\n  assign b_o = a_i;\nendmodule\n"),
    ("inferred-latch",
     "module m (input logic a_i, input logic b_i, output logic c_o);\n"
     "  always_comb if (b_i) c_o = a_i;\nendmodule\n"),
    ("unused-but-set-variable",
     "module m (input logic a_i, output logic b_o);\n  logic c;\n  assign c = a_i;\n"
     "  assign b_o = 1'b0;\nendmodule\n"),
    ("unused-port", "module m (input logic a_i, output logic b_o);\n  assign b_o = 1'b0;\nendmodule\n"),
    ("undriven-port",
     "module m (input logic a_i, output logic b_o, output logic c_o);\n  assign b_o = a_i;\nendmodule\n"),
    ("unassigned-variable",
     "module m (input logic a_i, output logic b_o);\n  logic c;\n  assign b_o = a_i & c;\nendmodule\n"),
    ("multiple-always-assigns",
     "module m (input logic a_i, output logic b_o);\n  always_comb b_o = a_i;\n"
     "  always_comb b_o = ~a_i;\nendmodule\n"),
    ("index-oob",
     "module m (input logic [3:0] a_i, output logic b_o);\n  assign b_o = ^a_i & a_i[5];\nendmodule\n"),
    ("port-width-expand",
     "module n (input logic [3:0] a_i, output logic b_o);\n  assign b_o = ^a_i;\nendmodule\n"
     "module m (input logic [2:0] a_i, output logic b_o);\n  n u_n (.a_i, .b_o);\nendmodule\n"),
    ("unconnected-input-port",
     "module n (input logic a_i, output logic b_o);\n  assign b_o = ~a_i;\nendmodule\n"
     "module m (output logic b_o);\n  n u_n (.b_o);\nendmodule\n"),
    ("error", "module m (output logic b_o);\n  assign b_o = missing;\nendmodule\n"),
]


def check_seeded():
    bad = 0
    for wanted, text in MODULES:
        found = {name for _, name, _ in FrontEnd([("m.sv", text)]).findings("m", {})}
        if (wanted not in found) if wanted else found:
            bad += 1
            print(f"instead of '{wanted}' it found {sorted(found)} in\n{text}")
    print(f"{len(MODULES)} modules, {bad} not judged as they have to be")
    return FINDINGS if bad else CLEAN
