"""A cell library with the settings that synthesis uses for it (constraints/libraries.yaml)."""

import fnmatch
from dataclasses import dataclass
from pathlib import Path

import yaml

import liberty


class FlowError(Exception):
    """Something that the user must mend; the message is one line."""


@dataclass
class Settings:
    driving_cell: str
    output_load_ff: float
    clock_uncertainty: float
    io_delay: float
    dont_use: list[str]
    tie_high: list[str] | None = None
    tie_low: list[str] | None = None
    wire_load: str | None = None


@dataclass
class CellLibrary:
    path: Path  # the file that the tools read, not compressed
    abc_path: Path  # the same for ABC, which has the wire load of the settings
    source: str  # the path as the user gave it
    library: liberty.Library
    settings: Settings

    @property
    def name(self):
        return self.library.name

    def cell(self, name):
        return self.library.cells[name]

    def usable(self, cell):
        return not cell.dont_use and not any(
            fnmatch.fnmatchcase(cell.name, pattern) for pattern in self.settings.dont_use)


def load(path, settings_path, work):
    """Reads `path` (.lib or .lib.gz) and writes it, not compressed and as ABC is to read it, into the directory `work`."""
    path = Path(path)
    try:
        text = liberty.read_text(path)
        library = liberty.parse(text)
    except (OSError, EOFError) as error:
        raise FlowError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    except (ValueError, KeyError, IndexError) as error:
        raise FlowError(f"{path}: not a Liberty file: {error}") from error
    plain = _written(text, work / f"{library.name}.lib")
    with open(settings_path, encoding="utf-8") as stream:
        known = yaml.safe_load(stream)
    if library.name in known:
        settings = Settings(**known[library.name])
    else:
        settings = _derive(library)
    for_abc = plain
    if settings.wire_load:
        try:
            for_abc = _written(liberty.with_wire_load(text, settings.wire_load), work / f"{library.name}.abc.lib")
        except ValueError as error:
            raise FlowError(f"{settings_path}: {library.name}: {error}") from error
    return CellLibrary(plain, for_abc, str(path), library, settings)


def _written(text, path):
    """The path, with the text in the file; a file that has it already is left alone."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path


def _derive(library):
    """Settings of an unknown library: its second-smallest buffer drives, four of its inputs load."""
    excluded = [f"*{part}*" for part in ("clk", "CLK", "dly", "DLY", "del", "DEL")]
    buffers = sorted(
        (cell for cell in library.cells.values()
         if cell.is_buffer() and not cell.dont_use
         and not any(fnmatch.fnmatchcase(cell.name, pattern) for pattern in excluded)),
        key=lambda cell: (cell.area, cell.name))
    if not buffers:
        raise FlowError(f"library {library.name} has no buffer")
    driver = buffers[min(1, len(buffers) - 1)]
    load = 4 * driver.inputs()[0].capacitance * library.capacitance_ff
    scan = sorted(cell.name for cell in library.cells.values() if cell.is_scan or cell.is_special)
    return Settings(driver.name, round(load, 3), 0.05, 0.2, excluded + scan)
