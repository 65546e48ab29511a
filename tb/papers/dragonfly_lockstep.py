"""The dragonfly paper's networks with the RTL at every port: Fig. 7's three configurations on 144 nodes, and what Figs. 3 to 6 begin with, in either size.

These stand by themselves as what is stored and the page have them behind all other experiments.
"""

from dragonfly import paper
from dragonfly_latency_networks import LATENCY
from dragonfly_shaping_networks import MACHINE_PLACEMENTS

LATENCY_LOCKSTEP = paper.in_lockstep(
    "lockstep", LATENCY, "Figs. 7 to 10", without=lambda point: point not in ("Standalone", "QoS", "no-QoS")
)
PLACEMENTS_LOCKSTEP = paper.in_lockstep(
    "machine-lockstep", MACHINE_PLACEMENTS, "Figs. 3 to 5, their first 22 us", without=lambda point: point != "Table II"
)
