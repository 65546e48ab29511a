"""docs/errata.md: what is wrong in the papers beside their algorithms, and what it costs.

The costs are of rows.csv: in a text, `{bxi-075 hold ([0-9,]+)}` stands for what the pattern's group matches in what
was measured for that row or in its note; a row that no longer has it is a fault. What is typed is the paper's or of the set-up.
"""

import re

import command
import marked
import rows

PAGE = command.TOP / "docs/errata.md"
PLACEHOLDER = re.compile(r"\{([a-z]+-d?\d+) ([^{}]+)\}")

# Where, what is printed, what it costs, the rows that show it.
ERRATA = {
    "bxi": [
        (
            "Table 4",
            "the remaining quantum has 16 bits",
            "a quantum of 65,535 and a saved deficit need 17: {bxi-075 not hold ([0-9,]+)} after a deficit of {bxi-075 deficit of (\\d+)}",
            "bxi-075",
        ),
        (
            "Tables 5 to 7",
            "the weight is each entry's",
            "taken so, SL 0 of *fair* gets {bxi-113 fair ([0-9.]+)} % instead of 20, of *step* {bxi-113 step ([0-9.]+)} instead of 33.3, "
            "of *2powers* {bxi-113 2powers ([0-9.]+)} instead of 51.6",
            "bxi-113",
        ),
        (
            "Table 10",
            "median FCT: 2.83, 0.78, 1.86 %",
            "repeats the column beside it; Table 9 gives {bxi-241 ([0-9.]+) %}, {bxi-246 ([0-9.]+) %} and {bxi-251 ([0-9.]+) %} %",
            "bxi-241, 246, 251",
        ),
        (
            "Sect. 3.5, Fig. 9a",
            "storage is ports times entries",
            "it is a sum: {bxi-086 (\\d+) bits an entry} bits an entry at any radix",
            "bxi-086",
        ),
        (
            "Sects. 2.3, 3.5",
            "64 ports, and 48 in the storage example",
            "{bxi-085 64 ports ([0-9,]+)} bits instead of {bxi-085 48 ports ([0-9,]+)}",
            "bxi-085",
        ),
        (
            "Fig. 5, text",
            "queue 1 uses its turn up at t3",
            "no small scenario with the text's order does, of {bxi-038 all (\\d+) small}",
            "bxi-038",
        ),
        ("Fig. 6", "what Algorithm 2 gives", "with quanta 2 and 2 it gives Fig. 5's order, by line 12", "bxi-050"),
        ("Sect. 3.4", "strides up to 32", "{bxi-057 16, (\\d+)} with 31 entries", "bxi-057"),
        (
            "Sect. 4.1",
            "load is what the network can carry",
            "*step* offers {bxi-094 step (\\d+)} %, *2powers* {bxi-094 2powers (\\d+)} %",
            "bxi-094",
        ),
        (
            "Table 2",
            "k = 1024",
            "a plain turn of SL 0 in *2powers* is 16,384 flits, where a queue holds 768: a class is {bxi-257 behind 40 .* 2powers ([0-9.]+) points} points off its share in a window of 200 us behind 40 and "
            "{bxi-257 2powers ([0-9.]+) points} in one of 1 ms behind 200 us",
            "bxi-257",
        ),
        (
            "Table 2, Sect. 4.2.2",
            "k = 1024, and that spreading raises SL 0's mean latency in *step* and lowers SL 4's",
            "at k = 1024 turns of SL 0 to 3 lose nothing to misfits in either table, so it does the opposite; "
            "with k = 300 SL 0 goes from {bxi-155 k = 300 as the one change it holds .plain ([0-9.]+)/} to {bxi-155 k = 300 as the one change it holds .*?spread ([0-9.]+)/} us and SL 4 from "
            "{bxi-155 k = 300 as the one change it holds .plain [0-9./]+/([0-9.]+) us} to {bxi-155 k = 300 as the one change it holds .*?spread [0-9./]+/([0-9.]+) us}",
            "bxi-155 to 157",
        ),
        (
            "Sect. 2.1",
            "routes to different destinations always differ",
            "{bxi-011 (\\d+) of 479} of 479 hosts behind other leaves share another's link up, {bxi-011 leaves, ([0-9.]+) %} %",
            "bxi-011",
        ),
        (
            "Sect. 4.2.1",
            "SL 4 loses as it has a single entry",
            "all SLs of the plain table have one; backlogged SL 4 loses most, but to heads that do not fit, {bxi-120 flits, SL 4's ([0-9,]+) as} flits, not to empty turns, {bxi-120 fit and ([0-9,]+) empty}",
            "bxi-120",
        ),
        (
            "Sect. 4.2.2",
            "deficits make latencies differ less by orders of magnitude",
            "they differ {bxi-159 us, ([0-9.]+) times} times as much with deficits as without: loads of 105 to 120 % of the shares make waits grow {bxi-159 passes, ([0-9.]+) points} points apart, and none can grow with more than 100 %",
            "bxi-159",
        ),
        (
            "Sect. 4.3",
            "bursts of 8 MiB, from all or from each",
            "{bxi-188 take (\\d+) us} us or {bxi-188 nodes ([0-9.]+) ms} ms of a link; in all, *2powers* saves {bxi-188 saves ([0-9.]+) %} % of a stand-in's time, from each {bxi-188 from each ([0-9.]+) %}, where Table 9 has {bxi-188 Table 9's ([0-9.]+)}",
            "bxi-188",
        ),
        (
            "Sect. 4.3",
            "almost 80 % below 1 ms, whatever the share",
            "{bxi-196 step (\\d+) and} % and more by Table 9 but for *fair*",
            "bxi-196",
        ),
    ],
    "omni-path": [
        (
            "Algorithm 1, restoring",
            "the restoring packet is not charged",
            "55:45 becomes {opa-39 becomes ([0-9.:]+)}",
            "opa-39",
        ),
        (
            "Algorithm 1, line 22",
            "active exhausted VLs are compared with the entries",
            "60:30 beside an idle SL becomes {opa-39 idle SL ([0-9:]+)}; with eight busy VLs and five entries no restore ever, "
            "{opa-d03 ([0-9./]+) %} instead of 10/30/50/5/5 %",
            "opa-d18, opa-d03",
        ),
        ("Table 5", "n = 49", "{opa-70 (\\d+), 32, 32}; 49 entries of 7 are 343, not the printed 448", "opa-70"),
        (
            "Table 5",
            "wishes 0.33334, 0.33333",
            "the other cells follow from {opa-74 (0.\\d+), 0} and {opa-74 , (0.\\d+)}; thirds need no correction at all",
            "opa-74, opa-84",
        ),
        ("Table 6, text", "SL 1 goes from 3 to 4", "from 2 to 3", "opa-89"),
        (
            "Table 10",
            "SBT weight 10 for VI",
            "{opa-127 10, (\\d+), 50}; with 10 the weights add to {opa-127 add to (\\d+)} and VI gets {opa-127 VI ([0-9.]+) %} %",
            "opa-127",
        ),
        (
            "Sect. 3.3.2",
            "share = weights / pool",
            "the weights of Table 10 add to {opa-60 sum to (\\d+)}, the pool is 4096: {opa-60 4096 = ([0-9.]+) %} % instead of 10",
            "opa-60",
        ),
        (
            "Sect. 3.3.2",
            "w and k leave latency alone",
            "w does; with k = 4 and 8 instead of 2 mean latencies stay within {opa-63 at 0.8 within (\\d+) %} % at 0.8 of a link, at 0.9 they change by {opa-63 VI ([-+0-9/]+) %} % (VI) and {opa-63 BE ([-+0-9/]+) %} % (BE), and VO's largest gap is "
            "{opa-d12 VO ([0-9, ]+) credits} credits for k = 2, 4, 8",
            "opa-63, opa-d12",
        ),
        (
            "Tables 5, 10",
            "entries hold at most M",
            "{opa-85 ; (\\d+) is above} where M is 12, {opa-125 (\\d+) each} where it is 128",
            "opa-85, opa-125",
        ),
        (
            "Sect. 3.2.1",
            "restored when the sum of x_i is 0",
            "x_i are the weights, never 0; what is left is meant",
            "opa-44",
        ),
        (
            "Sect. 4.2.3",
            "BE and BK wait longer than VO as they share VLs",
            "with own VLs they do, too, {opa-163 shared ones: ([0-9.]+) and} times VO's latency, with shared ones {opa-163 and ([0-9.]+) times}; with messages of one size {opa-163 all SLs ([0-9.]+)} and {opa-163 all SLs [0-9.]+ and ([0-9.]+);}",
            "opa-163",
        ),
        (
            "Sect. 4.2.3",
            "DTable avoids long bursts",
            "its longest run of one SL is {opa-168 SL: (\\d+) credits} credits, RR's {opa-168 (\\d+) under RR}",
            "opa-168",
        ),
    ],
    "infiniband": [
        (
            "Sect. 5.1",
            "packets of 4096 bytes",
            "SL 3 of A gets {ib-43 gets ([0-9.]+) %} %; the printed {ib-44 64 B ([0-9.]+),} needs 64 or 128 bytes",
            "ib-43, ib-44",
        ),
        (
            "Algorithm 1, line 8",
            "limit without x 4096",
            "{ib-26 of A ([0-9.]+) %} % for SL 3 of A, {ib-26 of B ([0-9.]+) %} of B",
            "ib-26",
        ),
        (
            "Algorithm 1, limit 0",
            "a low turn before the first high packet",
            "{ib-28 turn \\((\\d+) packets} packets of A at the start; the text sends a high one first",
            "ib-28",
        ),
        (
            "Sect. 3, example",
            "equal shares and a lower latency for VL 0",
            "{ib-19 leave (\\d+) of 64} of 64 places are empty; then both have the same longest gap, {ib-19 and (\\d+) packets} packets",
            "ib-19",
        ),
        (
            "Sects. 2, 4",
            "shares cannot be calculated",
            "W / (64 limit E + W): exact in {ib-15 in (\\d+ of \\d+) random} random tables",
            "ib-15",
        ),
        (
            "Sect. 2",
            "when the counter passes its limit cannot be known",
            "backlogged, as the tool assumes, after every {ib-16 every (\\d+) high} packets of 64 bytes",
            "ib-16",
        ),
        ("Fig. 2, text", "three packets are 196 bytes", "192", "ib-12"),
        ("Sect. 5.3", "64b/66b explains 0.43 points", "shares do not move with the rate", "ib-62"),
        (
            "Sect. 5.3",
            "latencies correspond to distances of entries",
            "these do not count what a visit sends: of four backlogged SLs in B SL 3, the second by distance, waits {ib-56 backlogged.* B [0-9.]+/[0-9.]+/[0-9.]+/([0-9.]+)} packet times, SL 1 {ib-56 backlogged.* B [0-9.]+/([0-9.]+)/}",
            "ib-56",
        ),
        (
            "Sect. 5.2",
            "a flit a cycle and NIC keeps the network full, but not how it is split over SLs",
            "each SL one it does; split evenly over four, SL 0 to 2 have no backlog: SL 0 is {ib-71 evenly: ([0-9.]+)} points off",
            "ib-70, ib-71",
        ),
    ],
    "cray": [
        (
            "Procedure 2, line 8",
            "new_age[9] AND head_flit[8]",
            "of {cray-106 of ([0-9,]+) cases} cases {cray-106 cases ([0-9,]+) are} are 255 too early, {cray-106 and ([0-9,]+) wrap} wrap to young",
            "cray-106",
        ),
        ("Table 2", "packet_count up to 2047", "the input queues hold {cray-84 ([0-9,]+) packets}", "cray-84"),
        (
            "Eq. 2",
            "1 / (1 - lambda) for M/D/1",
            "twice the wait and a service time: {cray-29 2.00, ([0-9.]+) is} where the wait is {cray-29 0.500, ([0-9.]+) packet} packet times, at 0.75",
            "cray-29",
        ),
        ("Eq. 3", "T = L / (2n)^H", "the inverse; P0 has {cray-41 (1/\\d+), not}, not 1/128", "cray-40, cray-41"),
        (
            "Eqs. 5 to 9",
            "hops and loads",
            "{cray-48 formula, ([0-9.]+) counted} instead of 9.75, {cray-49 8: ([0-9.]+) counted} instead of 6, {cray-50 formula, ([0-9.]+) counted} instead of 14; "
            "{cray-52 but ([0-9.]+) for} instead of 1.375, {cray-53 bisection, ([0-9.]+) on} on average instead of 2",
            "cray-48, 49, 50, 52, 53",
        ),
        ("Table 3", "inputs of -z", "+z where -z stands", "cray-123"),
        ("Sect. 1.2", "two flits are 134 bits", "{cray-12 (\\d+), not}", "cray-12"),
        (
            "Table 5",
            "average latency, measured",
            "2 ns x (2.75 Qx + 3 Qy + 4 Qz) + 537.5 ns in all {cray-28 all (\\d+) rows} rows",
            "cray-28",
        ),
        ("Sects. 2, 3.1", "biases by load, biases by order of routing", "on 11 x 12 x 16 they are opposite", "cray-91"),
        (
            "Sect. 3.1",
            "z is used best, for it is least constrained for egress",
            "for it is the longest: on {cray-136 on ([0-9 x]+), the one} links in z are busy for {cray-136 around for ([0-9.]+) } %, in x for {cray-136 /([0-9.]+) ± [0-9.]+ %}",
            "cray-136",
        ),
        ("Sect. 4", "Alltoall gains 36.3 %", "{cray-201 ([0-9.]+) %}", "cray-201"),
        (
            "Sect. 4",
            "z ejects a packet every 11.5 clocks",
            "every {cray-191 every ([0-9.]+)}: 11.5 is the stall",
            "cray-191",
        ),
        (
            "Sect. 4",
            "0.44 x 4.8 = 2.1 GB/s of z are about E_p, as Eq. 14 predicts",
            "of a channel; of a node, as Eq. 14 has it, {cray-193 channel, ([0-9.]+) of}",
            "cray-193",
        ),
        (
            "Abstract, Sect. 2.3",
            "globally fair",
            "an age that begins at the entry gives the farthest source of the line {cray-87 entry ([0-9.]+),} times the nearest one's share; from creation all are equal",
            "cray-87, cray-d9",
        ),
        (
            "Sect. 4",
            "most throughput with a period of 8 and biases 3, 2, 1",
            "z, of which it speaks, carries {cray-179 16/3,2,1 5101 ns, [0-9.]+/[0-9.]+/([0-9.]+) GB} GB/s with 16, {cray-179 8/3,2,1 5007 ns, [0-9.]+/[0-9.]+/([0-9.]+) GB} with 8",
            "cray-179",
        ),
        (
            "Sect. 4",
            "2.3 us and 31 % against default clock and biases",
            "those are against round robin; the default has no row",
            "cray-197",
        ),
    ],
    "dragonfly": [
        (
            "Sect. III-A",
            "both buckets are empty when a packet is red",
            "{dfly-11 (\\d+) tokens} tokens are left before a red packet of 5 flits",
            "dfly-11",
        ),
        (
            "Sects. II-D, V-A",
            "with an assured rate no class starves",
            "50/40/20/10 % assured: the last gets {dfly-17 9.9/([0-9.]+) %} %",
            "dfly-17",
        ),
        (
            "Sect. IV-E",
            "equal rates shape strictly",
            "class 0 of Table II gets {dfly-57 backlogged, (\\d+) %} % without class 1, {dfly-57 class 1, (\\d+) %} without 1 and 2",
            "dfly-57",
        ),
        (
            "Sect. IV-F, Figs. 11, 12",
            "80 % of the link, of the peak rate; class 2 exceeds its peak",
            "{dfly-90 links ([0-9.]+) >} % on global links, where its peak is 60",
            "dfly-90, dfly-95",
        ),
        (
            "Sect. IV-B",
            "adaptive routing, but neither what it counts nor its threshold",
            "an allreduce is {dfly-97 paper's nodes[^:]*: mean of an allreduce ([0-9.]+)} % slower than alone, one call after another, if what waits of its own class counts and a detour is taken where 1,024 bytes less wait; "
            "with calls 6 us apart {dfly-97 paper's nodes.*; with calls 6 us apart ([0-9.]+)} %, and {dfly-97 apart are ([0-9.]+)} if any difference is enough; on 144 nodes {dfly-97 with calls 6 us apart ([0-9.]+)} %, and {dfly-97 all classes, ([0-9.]+)} if what waits of all classes counts",
            "dfly-97",
        ),
        (
            "Sect. III-B",
            "low limits help the class's own packets",
            "at full load the longest take {dfly-23 both: ([0-9.]+)} us under a limit of 10 %, {dfly-23 60 % ([0-9.]+)} us under one of 60 %; what is fast is a small load, {dfly-23 full load, ([0-9.]+)} us at 5 %",
            "dfly-23",
        ),
    ],
}


def cost(text, lines):
    """The text with what its rows have in place of the patterns; `lines`: of rows.csv, by id."""

    def filled(match):
        _, _, _, measured, note = lines[match[1]]
        found = re.search(match[2], f"{measured}; {note}")
        rows.holds(found, f"an erratum needs '{match[2]}' in what {match[1]} tells")
        return found[1]

    return PLACEHOLDER.sub(filled, text)


def table(errata, lines):
    return "\n".join(
        [
            "| where | what is printed | what it costs | row |",
            "| --- | --- | --- | --- |",
            *(f"| {where} | {printed} | {cost(text, lines)} | {shown} |" for where, printed, text, shown in errata),
        ]
    )


def page(lines):
    """docs/errata.md with the tables of today between its marks; `lines`: of rows.csv, by id."""
    return marked.filled(PAGE, "errata", {paper: table(errata, lines) + "\n" for paper, errata in ERRATA.items()})
