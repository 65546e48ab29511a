"""The results of a regression as JUnit XML and as one HTML page that needs no network."""

import html
import json
import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import coverage
import kinds

sys.path.append(str(Path(__file__).resolve().parent.parent / "cli"))
from whole_file import write_whole  # noqa: E402

STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --soft: #5b6577; --line: #d5dae3; --back: #ffffff;
  --panel: #f5f7fa; --bar: #3b6fb6; --mark: #c2571a; --good: #1f7a3d; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ef; --soft: #9aa5b8; --line: #39414f;
  --back: #14181f; --panel: #1c222b; --bar: #6ea0e6; --mark: #ef9a5b; --good: #5cc484; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
  max-width: 1100px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 8px; }
h3 { font-size: 15px; margin: 0 0 2px; }
p { margin: 6px 0; } .soft { color: var(--soft); }
.verdict { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
table { border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 4px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child, td.text, th.text { text-align: left; }
tr.total td { font-weight: 600; }
.scroll { overflow-x: auto; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(500px, 100%), 1fr)); gap: 14px; }
.plot { background: var(--panel); border-radius: 8px; padding: 12px 14px; }
svg { display: block; width: 100%; height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
pre { background: var(--panel); padding: 10px 12px; border-radius: 6px; overflow-x: auto; font-size: 12.5px; }
details { margin: 8px 0; } summary { cursor: pointer; }
code { font-size: 13px; } a { color: var(--bar); }
"""


@dataclass
class Summary:
    """Over all results in a directory."""
    jobs: int
    failed: int
    decisions: int


class NoResult(Exception):
    """A file is no result, or has no settings: one line."""


def result_in(file, kind):
    try:
        result = json.loads(file.read_text())
    except ValueError:
        result = None
    if not isinstance(result, dict) or not {"subject", "seed", "passed", "seconds", *kind.figures} <= set(result):
        raise NoResult(f"{file}: is no result of a job of --kind {kind.name}, which is run again without that file")
    return result


def settings_in(file):
    try:
        settings = json.loads(file.read_text())
    except ValueError:
        settings = None
    if not isinstance(settings, dict) or settings.get("kind") not in kinds.KINDS:
        raise NoResult(f"{file}: is cut off or has no settings; the results there are of nobody knows which") from None
    return settings


def results_in(out):
    kind = kind_of(out)
    results = [result_in(file, kind) for file in (out / "jobs").glob("*.json")]
    return sorted(results, key=lambda r: (r["subject"], r["seed"]))


def by_subject(results):
    return {subject: [r for r in results if r["subject"] == subject]
            for subject in sorted({r["subject"] for r in results})}


def settings_of(out):
    file = out / "settings.json"
    return settings_in(file) if file.exists() else {"kind": kinds.PORTS.name}


def kind_of(out):
    """The kind of the jobs whose results are in `out`."""
    return kinds.KINDS[settings_of(out)["kind"]]


def missing(out):
    """Of each job that was asked for, or began, and has no result: that it failed."""
    of = settings_of(out).get("of")
    jobs = jobs_in(out / "logs", "txt")
    for asked in named(out / "asked", r"(\d+)-(\d+)") if of else ():
        first, count = map(int, asked)
        jobs |= {(of[number % len(of)], first + number // len(of)) for number in range(count)}
    jobs -= jobs_in(out / "jobs", "json")
    return [kind_of(out).failure(subject, seed, "was not run, or not to its end") for subject, seed in sorted(jobs)]


def named(folder, pattern):
    """Of each file there with a name of this pattern its groups; an editor's copies have none."""
    return [match.groups() for file in folder.glob("*") if (match := re.fullmatch(pattern, file.name))]


def jobs_in(folder, suffix):
    """What they are of and their seeds, by the names of their logs or results."""
    return {(subject, int(seed)) for subject, seed in named(folder, rf"(.+)-(\d+)\.{suffix}")}


def printable(text):
    """XML 1.0 has no other control characters."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "?", text)


def write_junit(out, results):
    root = ElementTree.Element("testsuites", name="qosarb regression", tests=str(len(results)),
                               failures=str(sum(not r["passed"] for r in results)))
    for subject, some in by_subject(results).items():
        suite = ElementTree.SubElement(
            root, "testsuite", name=subject, tests=str(len(some)), errors="0", skipped="0",
            failures=str(sum(not r["passed"] for r in some)),
            time=f"{sum(r['seconds'] for r in some):.3f}")
        for result in some:
            case = ElementTree.SubElement(suite, "testcase", classname=subject,
                                          name=f"seed {result['seed']}",
                                          time=f"{result['seconds']:.3f}")
            if not result["passed"]:
                text = printable(result["failure"])
                failure = ElementTree.SubElement(case, "failure", message=text.split("\n")[0])
                failure.text = text
    ElementTree.indent(root)
    write_whole(out / "junit.xml", '<?xml version="1.0" encoding="UTF-8"?>\n' +
                ElementTree.tostring(root, encoding="unicode") + "\n")


def number(value):
    return f"{value:,}".replace(",", "\u202f")


def row(cells, tag="td", **attributes):
    attribute_text = "".join(f' {name.rstrip("_")}="{value}"' for name, value in attributes.items())
    return f"<tr{attribute_text}>" + "".join(
        cell if str(cell).startswith("<t") else f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def table(head, rows):
    return ('<div class="scroll"><table>' + row(head, "th") + "".join(rows) + "</table></div>")


def titles(kind):
    return [figure.replace("_", " ") for figure in kind.figures]


def subject_table(kind, results):
    def cells(name, some):
        failed = sum(not r["passed"] for r in some)
        return [html.escape(name), len(some), len(some) - failed,
                f'<span class="bad">{failed}</span>' if failed else "0",
                *(number(sum(r[key] for r in some))
                  for key in kind.figures),
                f"{sum(r['seconds'] for r in some):,.0f} s"]
    rows = [row(cells(subject, some)) for subject, some in by_subject(results).items()]
    rows.append(row(cells("all", results), class_="total"))
    return table([kind.of, "jobs", "passed", "failed", *titles(kind), "time"], rows)


def failures(out, results):
    parts = []
    for result in results:
        if result["passed"]:
            continue
        name = f"{result['subject']}-{result['seed']}"
        reproducer = out / "reproducers" / name
        link = ""
        if reproducer.is_dir():
            files = " ".join(f'<a href="reproducers/{name}/{file.name}">{html.escape(file.name)}</a>'
                             for file in sorted(reproducer.iterdir()))
            link = (f'<p>Reproducer: <a href="reproducers/{name}/">reproducers/{name}</a> '
                    f'<span class="soft">({files})</span></p>')
        parts.append(f'<h3 class="bad">{html.escape(result["subject"])}, seed {result["seed"]}</h3>'
                     f'<pre>{html.escape(result["failure"])}</pre>{link}')
    return "<h2>What failed</h2>" + "".join(parts) if parts else ""


class Queue:
    """What one queue got in the backlogged parts of all seeds."""

    def __init__(self, rows):
        self.shares = [row["share"] for row in rows]
        served = [row for row in rows if row["packets"] > 0]
        self.mean = sum(r["wait_mean"] for r in served) / len(served) if served else None
        self.p99 = sum(r["wait_p99"] for r in served) / len(served) if served else None
        self.longest = max(r["wait_max"] for r in served) if served else None

    @property
    def share(self):
        return sum(self.shares) / len(self.shares)


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 190, 46, 8, 12, 34


def frame(ticks, queues, axis, title):
    """The axes of a plot; ticks are (height in 0..1, text)."""
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">']
    for at, text in ticks:
        y = y_of(at)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                     f'stroke="var(--line)"/><text x="{LEFT - 6}" y="{y + 4:.1f}" '
                     f'text-anchor="end">{text}</text>')
    step = 1 if queues <= 16 else 4
    for q in range(0, queues, step):
        parts.append(f'<text x="{x_of(q, queues):.1f}" y="{HEIGHT - BOTTOM + 15}" '
                     f'text-anchor="middle">{q}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 4}" text-anchor="middle">'
                 f'{axis}</text>')
    return parts


def y_of(at):
    return TOP + (1 - at) * (HEIGHT - TOP - BOTTOM)


def x_of(q, queues):
    return LEFT + (q + 0.5) * (WIDTH - LEFT - RIGHT) / queues


def share_plot(queues, title):
    highest = max(max(queue.shares) for queue in queues)
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if highest / s <= 5.01)
    top = math.ceil(highest / step - 1e-9) * step
    ticks = [(i * step / top, f"{100 * i * step:.0f} %") for i in range(round(top / step) + 1)]
    parts = frame(ticks, len(queues), "queue", title)
    width = min(34.0, 0.7 * (WIDTH - LEFT - RIGHT) / len(queues))
    for q, queue in enumerate(queues):
        x = x_of(q, len(queues))
        y = y_of(queue.share / top)
        parts.append(f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" '
                     f'height="{y_of(0) - y:.1f}" fill="var(--bar)"><title>queue {q}: '
                     f'{100 * queue.share:.2f} %, {100 * min(queue.shares):.2f} to '
                     f'{100 * max(queue.shares):.2f} %</title></rect>')
        low, high = y_of(min(queue.shares) / top), y_of(max(queue.shares) / top)
        parts.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}M{x - 4:.1f} {low:.1f}h8'
                     f'M{x - 4:.1f} {high:.1f}h8" stroke="var(--mark)" stroke-width="1.5"/>')
    return "".join(parts) + "</svg>"


def wait_plot(queues, title):
    highest = max((queue.longest for queue in queues if queue.longest), default=1)
    decades = max(1, math.ceil(math.log10(max(highest, 1)) - 1e-9))

    def at(value):
        return math.log10(max(value, 1)) / decades

    ticks = [(d / decades, number(10 ** d)) for d in range(decades + 1)]
    parts = frame(ticks, len(queues), "queue", title)
    for q, queue in enumerate(queues):
        x = x_of(q, len(queues))
        if queue.mean is None:
            parts.append(f'<text x="{x:.1f}" y="{y_of(0) - 4:.1f}" text-anchor="middle">never</text>')
            continue
        mean, p99, longest = (y_of(at(v)) for v in (queue.mean, queue.p99, queue.longest))
        parts.append(f'<g><title>queue {q}: mean {queue.mean:.1f}, 99 % {queue.p99:.0f}, longest '
                     f'{queue.longest}</title>'
                     f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{mean:.1f}" y2="{longest:.1f}" '
                     'stroke="var(--line)" stroke-width="2"/>'
                     f'<circle cx="{x:.1f}" cy="{mean:.1f}" r="3.5" fill="var(--bar)"/>'
                     f'<path d="M{x - 5:.1f} {p99:.1f}h10" stroke="var(--bar)" stroke-width="2.5"/>'
                     f'<circle cx="{x:.1f}" cy="{longest:.1f}" r="3.5" fill="none" '
                     'stroke="var(--mark)" stroke-width="1.6"/></g>')
    return "".join(parts) + "</svg>"


def plots(results):
    parts = []
    for subject, some in by_subject(results).items():
        backlogs = [r["backlog"] for r in some if r["backlog"]]
        if not backlogs:
            continue
        count = len(backlogs[0]["queues"])
        queues = [Queue([b["queues"][q] for b in backlogs]) for q in range(count)]
        name = html.escape(backlogs[0]["scenario"])
        parts.append(
            f'<div class="plot"><h3>{subject}: share of the link</h3>'
            f'<p class="soft">arbiter of {name}; bar: mean over {len(backlogs)} seeds, mark: lowest '
            f'to highest</p>{share_plot(queues, subject + ": shares")}</div>'
            f'<div class="plot"><h3>{subject}: how long a head waits, in cycles</h3>'
            '<p class="soft">dot: mean, dash: 99 %, circle: longest of all seeds</p>'
            f'{wait_plot(queues, subject + ": waiting")}</div>')
    if not parts:
        return ""
    return ("<h2>Shares and waiting</h2><p>Every queue always has packets, of uniform random length "
            "up to the longest, and the link sends a flit each cycle. Reference and RTL in "
            'lockstep, as everywhere.</p><div class="plots">' + "".join(parts) + "</div>")


def percent(hit, total):
    if total == 0:
        return '<td class="soft">–</td>'
    kind = "good" if hit == total else "bad"
    return f'<td class="{kind}">{100 * hit / total:.1f} % <span class="soft">{hit}/{total}</span></td>'


def coverage_part(out):
    files = sorted((out / "coverage").glob("*.dat")) if (out / "coverage").is_dir() else []
    if not files:
        return ""
    merged = out / "coverage.dat"
    if not coverage.merge(files, merged):
        return '<h2>Coverage</h2><p class="bad">verilator_coverage could not merge the files.</p>'
    points = coverage.read(merged)
    exclusions = coverage.read_exclusions()
    found = coverage.account(points, exclusions)
    rows = []
    totals = {kind: [0, 0] for kind in coverage.KINDS}
    for module in sorted(found.modules):
        cells = [f"<code>{html.escape(module)}</code>"]
        for kind in coverage.KINDS:
            hit, total = found.modules[module].get(kind, (0, 0))
            totals[kind][0] += hit
            totals[kind][1] += total
            cells.append(percent(hit, total))
        rows.append(row(cells))
    rows.append(row(["all", *(percent(*totals[kind]) for kind in coverage.KINDS)], class_="total"))
    parts = ["<h2>Coverage of the RTL</h2>",
             f"<p>Over {len(files)} jobs, all instances and builds of a module taken together; "
             "what is excluded, below, is left out of the numbers. Vectors of more than 64 bits are "
             "not watched for toggles.</p>",
             table(["module", *coverage.KINDS.values()], rows)]
    for kind, title in coverage.KINDS.items():
        missed = found.missed.get(kind, {})
        if not missed:
            parts.append(f'<p class="good">Every {title[:-1] if title.endswith("s") else title} was hit.</p>')
            continue
        count = sum(len(points) for points in missed.values())
        lines = "".join(row([f"<code>{html.escape(module)}</code>",
                             f'<td class="text"><code>{html.escape(", ".join(coverage.folded(names)))}'
                             "</code></td>"]) for module, names in sorted(missed.items()))
        parts.append(f"<details{' open' if kind != 'toggle' else ''}><summary>Not hit: {count} "
                     f'{title}</summary>{table(["module", "<th class=text>points</th>"], lines)}</details>')
    rows = [row([f"<code>{html.escape(e['module'])}</code>", f'<td class="text">{e["kind"]}</td>',
                 f'<td class="text"><code>{html.escape(e["points"])}</code></td>', str(found.excluded[i]),
                 f'<td class="text">{html.escape(e["reason"])}</td>'])
            for i, e in enumerate(exclusions)]
    if rows:
        parts.append("<details><summary>Excluded, each with its reason</summary>" +
                     table(["module", "<th class=text>kind</th>", "<th class=text>points</th>", "missed",
                            "<th class=text>reason</th>"], rows) + "</details>")
    return "".join(parts)


def all_jobs(kind, results):
    rows = [row([html.escape(r["subject"]), r["seed"],
                 '<span class="good">passed</span>' if r["passed"] else '<span class="bad">failed</span>',
                 *(number(r[key]) for key in kind.figures), f"{r['seconds']:.1f} s"]) for r in results]
    return (f"<details><summary>All {len(results)} jobs</summary>" +
            table([kind.of, "seed", "", *titles(kind), "time"], rows) + "</details>")


def write_page(out, kind, results, summary):
    verdict = ('<span class="verdict good">All passed.</span>' if summary.failed == 0 else
               f'<span class="verdict bad">{summary.failed} of {summary.jobs} jobs failed.</span>')
    body = [
        "<h1>qosarb regression</h1>",
        f'<p>{verdict} {summary.jobs} jobs, {number(summary.decisions)} {kind.said}; '
        "<a href=\"junit.xml\">junit.xml</a>.</p>"
        if results else "<p>No job has finished yet.</p>",
        subject_table(kind, results) if results else "",
        f'<p class="soft">{kind.words}</p>',
        failures(out, results), plots(results), coverage_part(out),
        "<h2>Jobs</h2>" + all_jobs(kind, results)]
    write_whole(out / "index.html",
                '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f"<title>qosarb regression</title><style>{STYLE}</style></head><body>\n"
                + "\n".join(part for part in body if part) + "\n</body></html>\n")


def write(out, lost):
    """Writes junit.xml and index.html over all results in `out`, and those that are `lost`; their Summary."""
    results = results_in(out) + lost
    summary = Summary(len(results), sum(not r["passed"] for r in results),
                      sum(r["decisions"] for r in results))
    write_junit(out, results)
    write_page(out, kind_of(out), results, summary)
    return summary
