"""clang-format and clang-tidy over the C++."""

import hashlib
import json
import shlex
from pathlib import Path

from common import BUILD, SANITIZED, TOP, cpp_files, in_parallel, run


def check_format():
    files = cpp_files(".cpp", ".hpp", ".h")
    status, output = run(["clang-format", "--dry-run", "-Werror", *files])
    print(output, end="")
    print(f"clang-format read {len(files)} files")
    return 1 if status else 0


def compile_commands():
    """The compiler's command for each source, or for each parcel of sources, once for all builds; without
    precompiled headers: clang cannot read another compiler's."""
    sources = set(cpp_files(".cpp"))
    commands = {}
    for build in (BUILD, SANITIZED):
        for entry in json.loads((build / "compile_commands.json").read_text()):
            file = Path(entry["file"])
            if file not in sources and file.parent.name != "Unity":
                continue
            words = [word for word in shlex.split(entry["command"]) if word != "-Winvalid-pch"]
            if "-include" in words:
                at = words.index("-include")
                del words[at:at + 2]
            name = file.relative_to(build) if build in file.parents else file
            commands.setdefault(name, (file, entry | {"command": shlex.join(words)}))
    return dict(commands.values())


def check_tidy():
    for build, preset in ((BUILD, "release"), (SANITIZED, "sanitize")):
        if not (build / "compile_commands.json").exists():
            print(f"{build.name}/compile_commands.json is missing: cmake --preset {preset}")
            return 1
    commands = compile_commands()
    stamps = BUILD / "tidy"
    stamps.mkdir(exist_ok=True)
    (stamps / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    settings = (TOP / ".clang-tidy").read_bytes()

    def fingerprint(file, entry):
        """Of all that a finding can come from: settings, command, and the project's sources."""
        words = shlex.split(entry["command"])
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
        parcel = file.parent.name == "Unity"
        checks = ["-bugprone-suspicious-include"] if parcel else []
        # The static analyzer spends its time inside GoogleTest's macros, and finds nothing there.
        if "_test.cpp" in file.name + (file.read_text() if parcel else ""):
            checks.append("-clang-analyzer-*")
        checks = [f"--checks={','.join(checks)}"] if checks else []
        status, output = run(["clang-tidy", "--quiet", "-p", stamps, *checks, file])
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
