"""The Cray XT paper (age-based arbitration in the SeaStar router), row by row.

Its experiments are in cray_networks.py, what several modules need in cray_machine.py, cray_small.py and, for the torus,
cray_claims.py; rows are in the modules below, of which those with a section of the page are in the page's order.
"""

import cray_router  # noqa: F401  the torus and its router: cray-1 to 25
import cray_arbiter  # noqa: F401  parameters, who competes and wins: cray-54, 55, 58 to 68, 86, 89, 94 to 96, 102, 103
import cray_ages  # noqa: F401  Tables 1 and 2, Procedures 1 to 3: cray-69 to 85, 97 to 101, 104 to 106, 108 to 114
import cray_loads  # noqa: F401  Eqs. 4 to 16: cray-47 to 53, 90 to 92, 125 to 135
import cray_queueing  # noqa: F401  Eqs. 1 and 2: cray-26 to 31, d12
import cray_parameters  # noqa: F401  Table 3, biases, the age clock: cray-42, 116, 118 to 124, 137 to 139, 141 to 148
import cray_line  # noqa: F401  Eq. 3, Fig. 4 by round robin: cray-33 to 41, 43 to 46, d6, d11
import cray_line_by_age  # noqa: F401  Fig. 4 by age: cray-56, 57, 87, 93, 107, 115, 140, d1 to d5, d7 to d10
import cray_counters  # noqa: F401  Table 4, Eq. 17: cray-149 to 155
import cray_torus  # noqa: F401  Table 5: cray-157 to 178, 180 to 182, 184 to 187, 189, 190
import cray_histograms  # noqa: F401  Fig. 5: cray-117, 204 to 207
import cray_occupancy  # noqa: F401  stalls, waits and use on the torus: cray-32, 88, 136, 156, 194, 209, 210
import cray_kernels  # noqa: F401  Table 6: cray-199, 200, 202, 203
import cray_printed  # noqa: F401  Tables 5 and 6 by themselves: cray-179, 183, 188, 191 to 193, 195 to 198, 201, 208
from cray_machine import paper  # noqa: F401
