"""Whether two sources are the same design: digests of what Yosys makes of the RTL."""

import hashlib
import json

import netlist as netlists


def read(generic_path, top):
    """A digest of the netlist before mapping, and all names in it.

    The digest is of the cells in their order, of who drives whom, and of the flip-flops' names: what Yosys calls
    the rest, and where in the RTL it stands, makes no difference to a figure.
    """
    with open(generic_path, encoding="utf-8") as stream:
        module = json.load(stream)["modules"][top]
    names = netlists.names_of_nets(module)
    numbers = {}  # of nets, in the order in which they appear
    digest = hashlib.sha256()

    def add(pin, bits):
        digest.update(json.dumps([pin, *(numbers.setdefault(bit, len(numbers)) if isinstance(bit, int) else bit
                                         for bit in bits)]).encode())

    for name, port in module["ports"].items():
        add(f"{port['direction']} {name}", port["bits"])
    for cell in module["cells"].values():
        digest.update(json.dumps([cell["type"], cell["parameters"]]).encode())
        for pin, bits in cell["connections"].items():
            add(pin, bits)
        if "Q" in cell["connections"]:
            digest.update(json.dumps(names.get(cell["connections"]["Q"][0], [])[:1]).encode())
    return digest.hexdigest()[:12], {name for found in names.values() for name in found}


def routed(mapped_path):
    """A digest of a netlist of an FPGA's cells as the router reads it, but for where in the RTL it stands.

    Names are in it: a placer starts from them.
    """
    with open(mapped_path, encoding="utf-8") as stream:
        netlist = json.load(stream)
    return hashlib.sha256(json.dumps(_without_places(netlist["modules"])).encode()).hexdigest()[:12]


def _without_places(node):
    if isinstance(node, dict):
        return {key: _without_places(value) for key, value in node.items() if key != "src"}
    return [_without_places(value) for value in node] if isinstance(node, list) else node
