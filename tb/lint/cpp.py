"""clang-format and clang-tidy over the C++."""

import hashlib
import json
import shlex
from pathlib import Path

from common import BUILD, TOP, cpp_files, in_parallel, run


def check_format():
    files = cpp_files(".cpp", ".hpp", ".h")
    status, output = run(["clang-format", "--dry-run", "-Werror", *files])
    print(output, end="")
    print(f"clang-format read {len(files)} files")
    return 1 if status else 0


def check_tidy():
    database = BUILD / "compile_commands.json"
    if not database.exists():
        print("build/compile_commands.json is missing: cmake --preset release")
        return 1
    commands = {}
    for entry in json.loads(database.read_text()):
        file = Path(entry["file"])
        if file in cpp_files(".cpp"):
            commands[file] = entry
    stamps = BUILD / "tidy"
    stamps.mkdir(exist_ok=True)
    settings = (TOP / ".clang-tidy").read_bytes()

    def fingerprint(file, entry):
        """Of all that a finding can come from: settings, command, and the project's sources."""
        words = shlex.split(entry["command"])
        words = words[1:] if "ccache" in Path(words[0]).name else words
        output = words.index("-o")
        status, rule = run(words[:output] + words[output + 2:] + ["-MM"], cwd=entry["directory"])
        if status != 0:
            return None
        digest = hashlib.sha256(settings + entry["command"].encode() + Path(__file__).read_bytes())
        for name in rule.replace("\\\n", " ").split(":", 1)[1].split():
            digest.update((Path(entry["directory"]) / name).read_bytes())
        return digest.hexdigest()

    def tidy(item):
        file, entry = item
        stamp = stamps / (str(file.relative_to(TOP)).replace("/", "__") + ".clean")
        wanted = fingerprint(file, entry)
        if wanted and stamp.exists() and stamp.read_text() == wanted:
            return False, 0, ""
        # The static analyzer spends its time inside GoogleTest's macros, and finds nothing there.
        checks = ["--checks=-clang-analyzer-*"] if file.stem.endswith("_test") else []
        status, output = run(["clang-tidy", "--quiet", "-p", BUILD, *checks, file])
        if status == 0 and wanted:
            stamp.write_text(wanted)
        return True, status, output

    bad = 0
    read = 0
    for file, (was_read, status, output) in zip(commands, in_parallel(tidy, commands.items())):
        read += was_read
        if status != 0:
            bad += 1
            print(f"{file.relative_to(TOP)}:\n{output}")
    print(f"clang-tidy read {read} of {len(commands)} files (the others are as they were), {bad} with findings")
    return 1 if bad else 0
