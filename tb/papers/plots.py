"""Plots as SVG: bars in groups and curves, both with confidence intervals. Drawn for light and dark pages."""

import html
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#994f00"]  # Okabe and Ito
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 64, 12, 30, 62
STYLE = (
    "<style>text{font:12px sans-serif;fill:#222}.axis{stroke:#555}.grid{stroke:#ddd}.error{stroke:#222;fill:none}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#aaa}.grid{stroke:#444}.error{stroke:#ddd}}</style>"
)


class Scale:
    """From values to heights on the page, linear or logarithmic."""

    def __init__(self, low, high, log):
        self.log = log
        if log:
            self.low, self.high = math.floor(math.log10(low)), math.ceil(math.log10(high))
            self.high = max(self.high, self.low + 1)
            self.ticks = [10**power for power in range(self.low, self.high + 1)]
        else:
            step = 10 ** math.floor(math.log10(max(high - low, 1e-12)))
            step *= next(m for m in (0.1, 0.2, 0.25, 0.5, 1, 2) if (high - low) / (step * m) <= 8)
            self.low, self.high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
            self.ticks = [self.low + step * i for i in range(round((self.high - self.low) / step) + 1)]

    def part(self, value):
        value = math.log10(max(value, 10**self.low)) if self.log else value
        return (value - self.low) / (self.high - self.low)

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(self.part(value), 0), 1)

    def x(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(self.part(value), 0), 1)


def _text(x, y, text, anchor="middle", turn=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{html.escape(text)}</text>'


def _frame(title, unit, scale, names):
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{html.escape(title)}</title>",
        STYLE,
        _text(WIDTH / 2, 18, title),
    ]
    for tick in scale.ticks:
        y = scale.y(tick)
        parts += [
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>',
            _text(LEFT - 6, y + 4, f"{tick:g}" if scale.log else f"{round(tick, 10):g}", "end"),
        ]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(14, middle, unit, turn=f' transform="rotate(-90 14 {middle})"'))
    x = LEFT
    for number, name in enumerate(names):
        parts += [
            f'<rect x="{x}" y="{HEIGHT - 16}" width="10" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>',
            _text(x + 14, HEIGHT - 7, name, "start"),
        ]
        x += 30 + 7 * len(name)
    return parts


def _range(values, log):
    values = [value for value in values if not math.isinf(value) and not math.isnan(value) and (value > 0 or not log)]
    return (min(values), max(values)) if log else (min(0, *values), max(*values, 1e-9))


def bars(title, unit, groups, series, log=False):
    """series: name: a list of Intervals (or numbers, or None), one for each group."""
    values = [bound for items in series.values() for item in items if item is not None for bound in _bounds(item)]
    scale = Scale(*_range(values, log), log)
    parts = _frame(title, unit, scale, series)
    slot = (WIDTH - LEFT - RIGHT) / len(groups)
    width = slot * 0.84 / len(series)
    base = scale.y(scale.ticks[0] if log else 0)
    for place, group in enumerate(groups):
        parts.append(_text(LEFT + slot * (place + 0.5), HEIGHT - BOTTOM + 16, group))
        for number, items in enumerate(series.values()):
            if items[place] is None:
                continue
            low, middle, high = _bounds(items[place])
            x, y = LEFT + slot * (place + 0.08) + width * number, scale.y(middle)
            parts.append(
                f'<rect x="{x:.1f}" y="{min(y, base):.1f}" width="{width * 0.92:.1f}" height="{abs(base - y):.1f}" '
                f'fill="{COLOURS[number % len(COLOURS)]}"/>'
            )
            if high > low:
                at = x + width * 0.46
                parts.append(f'<path class="error" d="M{at:.1f} {scale.y(low):.1f}V{scale.y(high):.1f}"/>')
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base:.1f}" y2="{base:.1f}"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def curves(title, x_unit, unit, series, log=False, log_x=False):
    """series: name: list of (x, Interval or number)."""
    values = [bound for items in series.values() for _, item in items for bound in _bounds(item)]
    scale = Scale(*_range(values, log), log)
    across = Scale(*_range([x for items in series.values() for x, _ in items], log_x), log_x)
    parts = _frame(title, unit, scale, series)
    for tick in across.ticks:
        parts.append(_text(across.x(tick), HEIGHT - BOTTOM + 16, f"{round(tick, 10):g}"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 34, x_unit))
    for number, items in enumerate(series.values()):
        colour = COLOURS[number % len(COLOURS)]
        points = [(across.x(x), *map(scale.y, _bounds(item))) for x, item in items]
        path = " ".join(f"{x:.1f},{middle:.1f}" for x, _, middle, _ in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        for x, low, _, high in points:
            if low - high > 1:
                parts.append(f'<path class="error" d="M{x:.1f} {low:.1f}V{high:.1f}"/>')
    base = HEIGHT - BOTTOM
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _bounds(item):
    if isinstance(item, (int, float)):
        return item, item, item
    half = 0 if math.isinf(item.half) else item.half
    return item.mean - half, item.mean, item.mean + half
