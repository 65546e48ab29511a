"""What the flow has to know of each engine: the tables of engines/*.toml, by its name.

  pins           header under tb/kernel/pins, and the class in it, by which a simulation drives the gates
  reference      the policy whose decisions it makes, if its name is another
  other_latency  true: of a policy with two engines, the one that answers in the other cycle
  in_next_port   parameters that a port which answers in the next cycle sets, by their RTL names
  honest_heads   true: no lengths that lie
  table          false: nothing is programmed that it decides by
  highest        what the policy's specification allows: of an option a number, or another option
  small          options of a small block that is mapped in seconds
"""

import tomllib
from pathlib import Path

ENGINES = {name: entry for file in sorted((Path(__file__).parent / "engines").glob("*.toml"))
           for name, entry in tomllib.loads(file.read_text(encoding="utf-8")).items()}
