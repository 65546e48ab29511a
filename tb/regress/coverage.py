"""What verilator_coverage's files say, module by module."""

import collections
import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
EXCLUSIONS = TOP / "tb" / "coverage" / "exclusions.toml"

KINDS = {"line": "lines and branches", "toggle": "toggles", "cover": "cover points"}
KIND_OF_PAGE = {"v_line": "line", "v_branch": "line", "v_toggle": "toggle", "v_user": "cover"}


def merge(files, merged):
    """Adds the counts of `files`, a hundred at a time; whether that went well."""
    files = [str(file) for file in files]
    sum_file = []
    for first in range(0, len(files), 100):
        part = merged.with_suffix(".part")
        done = subprocess.run(["verilator_coverage", "--write", str(part), *sum_file,
                               *files[first:first + 100]], stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return False
        part.replace(merged)
        sum_file = [str(merged)]
    return True


def read(file):
    """{(module, kind, point): count}, over all instances and builds of a module.

    A point is LINE.COLUMN and what stands there, SIGNAL[BIT], or the name of a cover property, which
    counts for the module that the cover points are bound to.
    """
    points = collections.Counter()
    bound = []  # cover points: the instance that they look into, their name, their count
    modules = {}  # of the instances
    with open(file, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if not line.startswith("C '"):
                continue
            text, count = line[3:].rsplit("' ", 1)
            fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
            page, _, module = fields["page"].partition("/")
            kind = KIND_OF_PAGE.get(page)
            module = module.split("__")[0]
            if kind is None or not module.startswith("qosarb_"):
                continue
            if kind == "cover":
                instance, _, name = fields["h"].rsplit(".", 2)
                bound.append((instance, name, int(count)))
                continue
            if module.endswith("_cover"):
                continue
            modules[fields["h"]] = module
            if kind == "line":
                point = f"{fields['l']}.{fields['n']} {fields['o']}"
            else:
                point = fields["o"]
            points[module, kind, point] += int(count)
    for instance, name, count in bound:
        points[modules[instance], "cover", name] += count
    return points


def read_exclusions():
    return tomllib.loads(EXCLUSIONS.read_text()).get("exclude", [])


@dataclass
class Account:
    modules: dict = field(default_factory=dict)  # module: {kind: (hit, total)}, without exclusions
    missed: dict = field(default_factory=dict)  # kind: {module: [points]}
    excluded: list = field(default_factory=list)  # of each exclusion, the missed points it excuses


def account(points, exclusions):
    """An exclusion excuses a point that was missed; one that was hit counts as any other."""
    result = Account(excluded=[0] * len(exclusions))
    for (module, kind, point), count in sorted(points.items()):
        if count == 0:
            at = next((i for i, e in enumerate(exclusions)
                       if e["kind"] == kind and re.fullmatch(e["module"], module)
                       and re.fullmatch(e["points"], point)), None)
            if at is not None:
                result.excluded[at] += 1
                continue
            result.missed.setdefault(kind, {}).setdefault(module, []).append(point)
        kinds = result.modules.setdefault(module, {})
        hit, total = kinds.get(kind, (0, 0))
        kinds[kind] = (hit + (count > 0), total + 1)
    return result


def folded(points):
    """Bits of one vector as ranges: a[0], a[1], a[3] as a[0..1,3]."""
    bits = {}
    for point in points:
        match = re.fullmatch(r"(.*)\[(\d+)\]", point)
        bits.setdefault(match[1] if match else point, [])
        if match:
            bits[match[1]].append(int(match[2]))
    for name, numbers in bits.items():
        runs = []
        for n in sorted(numbers):
            if runs and n == runs[-1][1] + 1:
                runs[-1][1] = n
            else:
                runs.append([n, n])
        text = ",".join(str(a) if a == b else f"{a}..{b}" for a, b in runs)
        yield f"{name}[{text}]" if runs else name
