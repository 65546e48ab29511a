"""What holds for the RTL at any size: no warning where parameters are possible, refusal where not."""

import re

from common import CLEAN, FINDINGS, RTL, in_parallel, rtl_modules, rtl_sources, run
from front_end import FrontEnd
from parameter_sets import IMPOSSIBLE, module_sets, policies, port_sets, several_ports_sets

# What Verilator's -Wall is run over as well; the front end is the one that sees all sets.
def verilator_sets():
    every = sum(policies().values())
    tops = [name for name in rtl_modules() if not is_instantiated(name)]
    return [(name, {}) for name in tops] + [
        ("qosarb_port", {"Policies": every}),
        ("qosarb_port", {"Policies": every, "Queues": 12, "Entries": 20, "QuantumWidth": 9,
                         "MaxPacketFlits": 300, "Latency": 1}),
        ("qosarb_port", {"Queues": 1, "Entries": 1, "Policies": 0x7}),
        ("qosarb_port", {"Policies": every, "Protect": 1}),
        ("qosarb_port", {"Policies": every, "Protect": 1, "Latency": 1}),
        ("qosarb_ports", {"Policies": every, "Ports": 3}),
        ("qosarb_ports", {"Policies": every, "Ports": 5, "Queues": 12, "Entries": 20, "Latency": 1}),
        ("qosarb_ports", {"Policies": every, "Ports": 2, "Latency": 1, "Protect": 1}),
    ]


def is_instantiated(module):
    return any(re.search(rf"^ *{module} (#\(|u_)", text, re.MULTILINE) for text in rtl_modules().values())


def front_end():
    return FrontEnd([(file, (RTL / file).read_text()) for file in rtl_sources()])


def check_rtl():
    sources = front_end()
    # What only a port instantiates as a part of itself has no size of its own.
    tops = {name: text for name, text in rtl_modules().items()
            if name != "qosarb_port" and not name.endswith("_slot")
            and not (name.startswith("qosarb_port") and is_instantiated(name))}
    cases = [("qosarb_port", parameters) for parameters in port_sets()]
    cases += [("qosarb_ports", parameters) for parameters in several_ports_sets()]
    cases += [(name, parameters) for name, text in tops.items() for parameters in module_sets(name, text)]
    bad = {}
    for module, parameters in cases:
        for finding in sources.findings(module, parameters):
            if finding[1].startswith("unused-package") and module not in ("qosarb_port", "qosarb_ports"):
                continue  # what only ports use
            bad.setdefault(finding, (module, parameters))
    for (where, name, message), (module, parameters) in bad.items():
        print(f"rtl/{where}: {message} [{name}], first with {module} {parameters}")
    print(f"{len(cases)} sets of parameters over {len(tops) + 1} modules and {len(policies())} policies, "
          f"{len(bad)} findings")
    return FINDINGS if bad else CLEAN


def check_wall():
    cases = verilator_sets()

    def lint(case):
        module, parameters = case
        settings = [f"-G{name}={value}" for name, value in parameters.items()]
        return run(["verilator", "--lint-only", "-Wall", "-F", RTL / "qosarb.f", "--top-module", module,
                    *settings])

    bad = 0
    for (module, parameters), (status, output) in zip(cases, in_parallel(lint, cases), strict=True):
        if status != 0 or output:
            bad += 1
            print(f"{module} {parameters}:\n{output}")
    print(f"{len(cases)} runs of verilator -Wall, {bad} with findings")
    return FINDINGS if bad else CLEAN


def check_parameters():
    messages = {}
    for name, text in rtl_modules().items():
        for message in re.findall(r'\$error\("([^"]*)"', text):
            messages[message] = name
    sources = front_end()
    bad = 0
    seen = set()
    for module, parameters, wanted in IMPOSSIBLE:
        output = [message for _, name, message in sources.findings(module, parameters) if name == "error"]
        seen |= {message for message in messages if any(message in line for line in output)}
        if not any(wanted in line for line in output):
            bad += 1
            print(f"{module} {parameters} is not refused by \"{wanted}\": {output}")
    for message in sorted(set(messages) - seen):
        bad += 1
        print(f"{messages[message]}: no case brings up \"{message}\"")
    print(f"{len(IMPOSSIBLE)} impossible builds, {len(seen)} of {len(messages)} messages seen")
    return FINDINGS if bad else CLEAN
