"""A test over RTL with a hand-made fault: it must fail with the fault, and pass without it.

  check.py FAULT PROGRAM [ARGUMENT ...]

PROGRAM is a GoogleTest whose RTL has the fault of number FAULT where QOSARB_FAULT says so, and that
makes QOSARB_DECISIONS random decisions. Exit status 0 if the fault is found, which means that a
comparison fails and not that the program crashes, and if the same program finds nothing wrong in as
many decisions without it.
"""

import os
import subprocess
import sys

# Most faults show early; only for the others more decisions are made.
DECISIONS = (20_000, 400_000)


def run(command, fault, decisions):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=os.environ | {"QOSARB_FAULT": str(fault),
                                            "QOSARB_DECISIONS": str(decisions)}, check=False)
    print(f"fault {fault}, {decisions} decisions: exit status {done.returncode}")
    return done


def main():
    fault, command = int(sys.argv[1]), sys.argv[2:]
    for decisions in DECISIONS:
        faulty = run(command, fault, decisions)
        if faulty.returncode == 0:
            continue
        if faulty.returncode != 1 or " FAILED TEST" not in faulty.stdout:
            print(faulty.stdout[-4000:], "\nthe test did not fail, it broke down")
            return 1
        control = run(command, 0, decisions)
        if control.returncode != 0:
            print(control.stdout[-4000:], "\nthe test fails without the fault, too")
            return 1
        return 0
    print("the fault is not found")
    return 1


if __name__ == "__main__":
    sys.exit(main())
