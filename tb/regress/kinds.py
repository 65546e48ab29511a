"""What kinds of jobs there are: what a job is of, which program runs it, and what it counts."""

import json
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Kind:
    """Of scripts/regress --kind."""
    name: str
    of: str         # what a job is of, beside its seed
    target: str     # what is built for it
    program: str    # in the build's directory
    data: str       # the file in docs/data for what is published
    figures: tuple  # that a job counts
    said: str       # of all jobs of the page, behind their number
    words: str      # that explain the figures

    def result(self, subject, seed, status, output, seconds):
        """Of a job that has left no result, or says that it passed and has ended badly: it failed. From its exit
        status and what it printed."""
        return self.failure(subject, seed, f"{self.target} ended with status {status}: {output[-4000:]}", seconds)

    def failure(self, subject, seed, text, seconds=0.0):
        """Of a job of which nothing else is known."""
        return {"subject": subject, "seed": seed, "passed": False, "seconds": seconds, "backlog": None,
                **dict.fromkeys(self.figures, 0), "failure": text}


class Networks(Kind):
    """Jobs of `qosarb sim`, whose output is the result."""

    def result(self, subject, seed, status, output, seconds):
        try:
            run = json.loads(output[output.index("{"):]) if status == 0 else None  # behind warnings
        except ValueError:
            run = None
        if run is None:
            return super().result(subject, seed, status, output, seconds)
        wrong = [f"{figure}: {run[figure]}" for figure in ("flits_lost", "reordered") if run[figure] != 0]
        return {"subject": subject, "seed": seed, "passed": not wrong, "seconds": seconds, "backlog": None,
                **{figure: run[figure] for figure in self.figures}, "failure": "; ".join(wrong)}


PORTS = Kind(
    "ports", "policy", "regress_job", "tb/regress/regress_job", "campaign.csv",
    ("decisions", "grants", "contested", "lives", "commits", "refused_commits", "resets", "reads",
     "too_long_heads", "zero_flit_heads", "lowering_commits"),
    "random decisions, each made by the reference and by the RTL",
    "A life is a port from reset on, with a random size, table and traffic. Commits are new tables that took "
    "effect during traffic; refused ones must change nothing. A grant is contested when two or more queues are "
    "active.")
ENGINES = Kind(
    "engines", "engine", "engine_job", "tb/regress/engine_job", "soak.csv",
    ("decisions", "grants", "contested", "states", "back_to_back", "lives", "loads", "too_long_heads",
     "zero_flit_heads"),
    "random decisions, each made by the reference and by the engine",
    "A life is an engine from its reset on, with a random number of queues, table and traffic; with -next it is the "
    "one that answers in the next cycle. Loads are new tables during traffic. A grant is contested when two or more "
    "queues are active; a state is compared in each cycle.")
NETWORKS = Networks(
    "networks", "scenario", "qosarb_command", "qosarb", "incast.csv",
    ("decisions", "cycles", "flits_delivered", "flits_in_flight", "flits_lost", "reordered", "flit_hops",
     "packet_hops", "pause_frames"),
    "decisions of the references",
    "Every packet of a flow has to arrive once and in order, and at the end every flit that was sent has "
    "arrived or is found in a queue or on a wire.")
KINDS = {kind.name: kind for kind in (PORTS, ENGINES, NETWORKS)}
