"""Maps what mapping.elaborate() wrote to the cells of a library with ABC."""

import mapping
from recipes import RECIPES


def map_to_cells(yosys, work, library, recipe, delay_ps):
    """Maps front.il to cells. Returns the path of the netlist, a Yosys JSON file."""
    settings = library.settings
    name = f"{recipe}-{delay_ps}"
    constraints = work / "abc.constr"
    constraints.write_text(f"set_driving_cell {settings.driving_cell}\n"
                           f"set_load {settings.output_load_ff}\n", encoding="utf-8")
    script = work / f"{name}.abc"
    script.write_text(RECIPES[recipe].replace("{D}", f"-D {delay_ps}") + "\n", encoding="utf-8")
    avoid = " ".join(f"-dont_use {pattern}" for pattern in settings.dont_use)
    lib = yosys.path(library.path)
    out = work / f"{name}.json"
    commands = [
        f"read_rtlil {yosys.path(work / 'front.il')}",
        f"dfflibmap -liberty {lib} {avoid}",
        "opt",
        f"abc -liberty {yosys.path(library.abc_path)} -constr {yosys.path(constraints)} -D {delay_ps} {avoid} "
        f"-script {yosys.path(script)}",
        # Second copies are mapped apart, so that nothing of them is merged with the first ones.
        *mapping.FLATTEN,
        "opt_clean",
    ]
    if settings.tie_high and settings.tie_low:
        commands.append(f"hilomap -singleton -hicell {' '.join(settings.tie_high)} "
                        f"-locell {' '.join(settings.tie_low)}")
    commands += ["clean", f"write_json {yosys.path(out)}", ""]
    yosys.run("\n".join(commands), work, name)
    return out
