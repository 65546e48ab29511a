"""What is built: a policy, its module, parameters and sources."""

import re
from dataclasses import dataclass
from pathlib import Path

import mapping
from library import FlowError


@dataclass
class Block:
    policy: str
    module: str
    parameters: dict[str, int]
    files: list[Path]  # of the module and all that it instantiates, packages first


# Command-line option -> parameters of the modules, and the default, that of the target in the docs.
# A table entry's weight is a quantum; a token bucket's burst is what comes nearest to one.
OPTIONS = {
    "queues": (("Queues",), 8),
    "entries": (("Entries",), 32),
    "quantum_width": (("QuantumWidth", "WeightWidth", "BurstWidth"), 16),
    "max_packet_flits": (("MaxPacketFlits",), 255),
}


def _registered():
    """The policies of the RTL, in order of their codes in the port's register map."""
    text = (Path(__file__).resolve().parents[2] / "rtl/port/qosarb_port.rdl").read_text(encoding="utf-8")
    (codes,) = re.findall(r"^enum policy \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    return tuple(name.replace("_", "-") for name in re.findall(r"^  (\w+) +=", codes, re.MULTILINE))


POLICIES = _registered()

# Not a policy but what is built of them. A switch is a few ports with one table, whose parts are counted: what
# they share once, what each has for itself once for each port of the switch.
PORTS = ("port", "switch")

BUILT_PORTS = 4  # of a switch, unless told otherwise

# Engines that are a module with parameters set; the others are modules of their own name.
_ENGINES = {"bxi-basic": ("bxi_lookahead", {"Deficits": 0}),
            "bxi-deficit": ("bxi_lookahead", {"Deficits": 1}),
            "ets": ("ets", {"Latency": 0}), "port": ("port", {"Latency": 0}),
            "switch": ("ports", {"Latency": 0})}

# Parameters that a module has only because all arbiters have the same ports.
_WITHOUT_EFFECT = {"rr": ("entries", "quantum_width", "max_packet_flits"),
                   "sbt": ("max_packet_flits",)}


def find(root, policy, options, extra):
    """The Block of a policy. `extra` sets parameters by their RTL names."""
    module, path = _module(root, policy)
    known = mapping.module_parameters(path)
    parameters = _ENGINES.get(policy, (None, {}))[1] | {name: options[option] for option, (names, _) in OPTIONS.items()
                  for name in names if name in known}
    if "Ports" in known:
        parameters["Ports"] = options.get("ports", BUILT_PORTS)
    for name, value in extra.items():
        if name not in known:
            raise FlowError(f"module {module} has no parameter {name}; it has {', '.join(known)}")
        parameters[name] = value
    return Block(policy, module, parameters, sources(root, module))


def size(root, policy, options):
    """Those of the options that make a difference to the policy."""
    known = mapping.module_parameters(_module(root, policy)[1])
    return {option: options[option] for option, (names, _) in OPTIONS.items()
            if option not in _WITHOUT_EFFECT.get(policy, ()) and any(n in known for n in names)}


def sources(root, module):
    """The files of a module, of all that it instantiates and of the packages that these use."""
    available = _files(root)
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            text = re.sub(r"//.*", "", available[name].read_text(encoding="utf-8"))
            waiting += [word for word in re.findall(r"\bqosarb_\w+", text) if word in available]
    # In the order of _files, in which packages are first.
    return [path for name, path in available.items() if name in found]


def _module(root, policy):
    files = _files(root)
    name = _ENGINES.get(policy, (policy, {}))[0]
    module = "qosarb_" + name.replace("-", "_")
    if module not in files:
        raise FlowError(f"no policy {policy}: rtl/ has no module {module}")
    return module, files[module]


def _files(root):
    files = {path.stem: path for path in mapping.rtl_files(root)}
    baseline = Path(root) / "tb" / "synth" / "baseline"
    return files | {path.stem: path for path in sorted(baseline.glob("*.sv"))}
