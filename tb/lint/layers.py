"""What may include what: docs/architecture.md says it, and a compiler that finds all headers would not."""

import re

from common import CLEAN, FINDINGS, TOP, cpp_files

SIM = TOP / "sim"

# The libraries of sim/ by their rooms, each above those before it; what else is of the first, which has no file format.
LIBRARIES = ({"policy"}, {"config", "events", "network", "report", "sweep", "switch", "traffic"}, {"analyze", "plan"})
IN_POLICY = {"config/fixed_point.hpp", "config/input_error.hpp", "config/ratio.hpp"}
FORMATS = re.compile(r"yaml-cpp/|nlohmann/|zlib\.h|lzma\.h")


def layer_of(name):
    """Of a file of sim/, by its name there: the number of its library."""
    if name.replace(".cpp", ".hpp") in IN_POLICY:
        return 0
    return next((number for number, rooms in enumerate(LIBRARIES) if name.split("/")[0] in rooms), None)


def fault_of(file, included):
    layer = layer_of(file)
    if layer is None:
        return "stands in a room of no library"
    if included.startswith("qosarb/"):
        below = layer_of(included.removeprefix("qosarb/"))
        return None if below is not None and below <= layer else f"includes {included}"
    return f"includes {included}" if layer == 0 and FORMATS.match(included) else None


def check_layers():
    files = [file for file in cpp_files(".cpp", ".hpp") if SIM in file.parents]
    found = CLEAN
    for file in files:
        name = file.relative_to(SIM).as_posix()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for quote, included in re.findall(r'^ *# *include *(["<])([^">]+)', line):
                fault = fault_of(name, included)
                if fault is None and quote == '"' and not included.startswith("qosarb/"):
                    fault = f"includes {included}"
                if fault:
                    print(f"sim/{name}:{number}: {fault}")
                    found = FINDINGS
    print(f"{len(files)} files of sim/")
    return found
