"""The BXIv3 paper (arbitration tables in flits, deficits, spread entries), row by row.

Its experiments are in bxi_networks.py, its tables in bxi_tables.py; rows are in the modules below, of which those
with a section of the page are in the page's order.
"""

import bxi_architecture  # noqa: F401  links, queues, the PGFT, flow control: bxi-001 to 018
import bxi_algorithms  # noqa: F401  the table, Algorithms 1 and 2, Figs. 5 and 6: bxi-019, 022 to 056
import bxi_spreading  # noqa: F401  Table 2, Fig. 7, Tables 5 to 7: bxi-057 to 071, 101 to 114
import bxi_storage  # noqa: F401  Tables 3 and 4, Figs. 8 and 9: bxi-072 to 090
import bxi_traffic  # noqa: F401  metrics, what hosts generate: bxi-091 to 112
import bxi_fair  # noqa: F401  Figs. 11 to 13: bxi-115 to 141
import bxi_step  # noqa: F401  Figs. 14 to 16: bxi-142 to 168
import bxi_2powers  # noqa: F401  Figs. 17 to 19: bxi-169 to 184
import bxi_discards  # noqa: F401  what a port discards in fair and step: bxi-120, 122, 124, 131, 158, 160
import bxi_figures  # noqa: F401  fair, step and 2powers together: bxi-257, 258, 261
import bxi_search  # noqa: F401  the search application, Figs. 1 and 20 to 22: bxi-020, 021, 185 to 256, 259, 260
from bxi_tables import paper  # noqa: F401
