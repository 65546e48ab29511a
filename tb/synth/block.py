"""What is built: a policy, its module and parameters, and where its state and tables are."""

from dataclasses import dataclass

import mapping
from library import FlowError


@dataclass
class Block:
    policy: str
    module: str
    parameters: dict[str, int]


# Command-line option -> parameter of the modules, and the default, that of the target in the docs.
OPTIONS = {
    "queues": ("Queues", 8),
    "entries": ("Entries", 32),
    "quantum_width": ("QuantumWidth", 16),
    "max_packet_flits": ("MaxPacketFlits", 255),
}


# Not a policy but what is built of them. A switch is a port whose parts are counted: table memory and
# registers once, arbiter and counters once for each port.
PORTS = ("port", "switch")


def find(root, policy, options, extra):
    """The Block of a policy. `extra` sets parameters by their RTL names."""
    files = {path.stem: path for path in mapping.rtl_files(root)}
    files |= {path.stem: path for path in sorted((root / "tb" / "synth" / "baseline").glob("*.sv"))}
    module = "qosarb_" + ("port" if policy in PORTS else policy.replace("-", "_"))
    if module not in files:
        raise FlowError(f"no policy {policy}: rtl/ has no module {module}")
    known = mapping.module_parameters(files[module])
    parameters = {name: options[option] for option, (name, _) in OPTIONS.items() if name in known}
    for name, value in extra.items():
        if name not in known:
            raise FlowError(f"module {module} has no parameter {name}; it has {', '.join(known)}")
        parameters[name] = value
    return Block(policy, module, parameters)


def sources(root):
    return mapping.rtl_files(root) + sorted((root / "tb" / "synth" / "baseline").glob("*.sv"))
