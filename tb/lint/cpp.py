"""clang-format and clang-tidy over the C++."""

import hashlib
import itertools
import json
import re
import shlex
import tempfile
from pathlib import Path

from common import BUILD, SANITIZED, TOP, cpp_files, in_parallel, run


def check_format():
    files = cpp_files(".cpp", ".hpp", ".h")
    status, output = run(["clang-format", "--dry-run", "-Werror", *files])
    print(output, end="")
    print(f"clang-format read {len(files)} files")
    return 1 if status else 0


# What g++ warns of, and clang does not know.
OF_GCC = {"-Winvalid-pch", "-Wno-restrict"}


def without_precompiled_headers(words):
    """clang cannot read another compiler's, and its own are there in what is built only."""
    words, kept = iter(words), []
    for word in words:
        if word in ("-include", "-Xclang"):
            next(words)
        else:
            kept.append(word)
    return kept


def compile_commands():
    """The compiler's command for each source, or for each parcel of sources, once for all builds."""
    sources = set(cpp_files(".cpp"))
    commands = {}
    for build in (BUILD, SANITIZED):
        for entry in json.loads((build / "compile_commands.json").read_text()):
            file = Path(entry["file"])
            if file not in sources and file.parent.name != "Unity":
                continue
            words = without_precompiled_headers(word for word in shlex.split(entry["command"]) if word not in OF_GCC)
            name = file.relative_to(build) if build in file.parents else file
            commands.setdefault(name, (file, entry | {"command": shlex.join(words)}))
    return dict(commands.values())


STAMPS = BUILD / "tidy"
RECORD = TOP / "tb" / "lint" / "tidy_read.json"  # of each file: its text when clang-tidy last read all and found nothing
SETTINGS = TOP / ".clang-tidy"

# Of a source that several builds compile, only one is read; and what no build of these two compiles is not.
PINS_THAT_ARE_READ = (TOP / "tb/kernel/module_test.cpp").read_text()
NOT_READ = {"tb/formal/age_clock_runs.cpp", "tb/formal/mutant_runs.hpp", "tb/formal/mutants.cpp",
            "tb/formal/port_commit_runs.cpp", "tb/regress/covered_builds.cpp", "tb/synth/gate_level/gate_check.cpp",
            "tb/systemc/consumer/decide.cpp"} | {
    f"tb/kernel/pins/{path.name}" for path in (TOP / "tb/kernel/pins").glob("*.hpp")
    if f"pins/{path.name}\"" not in PINS_THAT_ARE_READ}


def configured(build, preset):
    """Configures a build that is not; False, with what CMake says, where that fails."""
    if (build / "compile_commands.json").exists():
        return True
    status, output = run(["cmake", "--preset", preset], cwd=TOP)
    if status != 0:
        print(f"cmake --preset {preset}:\n{output}", end="")
    return status == 0


def generated_headers(build, commands):
    """What a build generates where the commands' compilers look for headers."""
    folders = set()
    for entry in commands.values():
        words = shlex.split(entry["command"])
        folders |= {Path(word) for before, word in itertools.pairwise(words) if before == "-isystem"}
        folders |= {Path(word[2:]) for word in words if word.startswith("-I")}
    status, listed = run(["ninja", "-C", build, "-t", "targets", "all"])
    if status != 0:
        print(listed, end="")
    outputs = {build / line.split(": ")[0] for line in listed.splitlines() if line.endswith(": CUSTOM_COMMAND")}
    return sorted(file for file in outputs if file.suffix in (".h", ".hpp") and file.parent in folders)


def prepared():
    """The commands by source, as clang-tidy finds them; None, with what went wrong, where a build cannot be configured or
    the headers that it generates cannot. Some are of targets that are built on demand only."""
    for build, preset in ((BUILD, "release"), (SANITIZED, "sanitize")):
        if not configured(build, preset):
            return None
    for build in (BUILD, SANITIZED):
        headers = generated_headers(build, compile_commands())
        status, output = run(["ninja", "-C", build, *headers]) if headers else (0, "")
        if status != 0:
            print(output, end="")
            return None
    commands = compile_commands()
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    return commands


def read_by(entry):
    """The files that a source includes, itself among them, or None where it does not compile."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    status, rule = run(words[:output] + words[output + 2:] + ["-MM"], cwd=entry["directory"])
    if status != 0:
        return None
    return [Path(entry["directory"]) / name for name in rule.replace("\\\n", " ").split(":", 1)[1].split()]


def clang_tidy(file, *options, database=STAMPS):
    parcel = file.parent.name == "Unity"
    checks = ["-bugprone-suspicious-include", "-readability-redundant-declaration"] if parcel else []
    # The static analyzer spends its time inside GoogleTest's macros, and finds nothing there; in Google Benchmark's
    # loops it finds the variable that stands for nothing.
    if re.search(r"_(test|bench)\.cpp", file.name + (file.read_text() if parcel else "")):
        checks.append("-clang-analyzer-*")
    checks = [f"--checks={','.join(checks)}"] if checks else []
    return run(["clang-tidy", "--quiet", "-p", database, *checks, *options, file])


def texts():
    """Of each file of C++ that is read a digest of its text."""
    settings = SETTINGS.read_bytes()
    return {name: hashlib.sha256(settings + file.read_bytes()).hexdigest()[:16]
            for file in cpp_files(".cpp", ".hpp") if (name := str(file.relative_to(TOP))) not in NOT_READ}


def check_tidy():
    commands = prepared()
    if commands is None:
        return 1
    found = texts()
    included = dict(zip(commands, in_parallel(read_by, commands.values()), strict=True))
    left = {TOP / name for name in found} - {path.resolve() for files in included.values() for path in files or ()}

    def fingerprint(file, entry):
        """Of all that a finding can come from: settings, command, and the project's sources."""
        files = included[file]
        if files is None:
            return None
        digest = hashlib.sha256(SETTINGS.read_bytes() + entry["command"].encode() + Path(__file__).read_bytes())
        for file in files:
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def tidy(item):
        file, entry = item
        stamp = STAMPS / (str(file.relative_to(TOP)).replace("/", "__") + ".clean")
        wanted = fingerprint(file, entry)
        if wanted and stamp.exists() and stamp.read_text() == wanted:
            return False, 0, ""
        status, output = clang_tidy(file)
        if status == 0 and wanted:
            stamp.write_text(wanted)
        return True, status, output

    bad = 0
    read = 0
    for file, (was_read, status, output) in zip(commands, in_parallel(tidy, commands.items()), strict=True):
        read += was_read
        if status != 0:
            bad += 1
            print(f"{file.relative_to(TOP)}:\n{output}")
    print(f"clang-tidy read {read} of {len(commands)} files (the others are as they were), {bad} with findings")
    if in_neither_build(left) or bad:
        return 1
    RECORD.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
    return 0


def in_neither_build(files):
    """Tells which files no source includes that either build compiles, and whether there are some."""
    for file in sorted(files):
        print(f"{file.relative_to(TOP)}: in neither build")
    return bool(files)


def only_in(paths):
    """What clang-tidy is told so that it finds what it finds in these files, which go by the names by which they are
    included: a header's may be a link."""
    return f"--line-filter={json.dumps([{'name': str(path)} for path in paths])}"


def first_that_reads(wanted, read):
    """Of the files wanted, each in the first source, or parcel, that reads it: {source: [names there]}, and what none reads.
    `read` are the names of what each source reads."""
    of_source, left = {}, set(wanted)
    for source, files in read.items():
        here = [path for path in files or () if path.resolve() in left]
        if here:
            of_source[source] = here
            left -= {path.resolve() for path in here}
    return of_source, left


def check_tidy_changed():
    found = texts()
    known = json.loads(RECORD.read_text())
    changed = {TOP / name for name, digest in found.items() if known.get(name) != digest}
    print(f"{len(changed)} of {len(found)} files are not as clang-tidy read them last")
    if not changed:
        return 0
    commands = prepared()
    if commands is None:
        return 1
    of_source, left = first_that_reads(
        changed, dict(zip(commands, in_parallel(read_by, commands.values()), strict=True)))

    bad = 0
    answers = in_parallel(lambda item: clang_tidy(item[0], only_in(item[1])), of_source.items())
    for file, (status, output) in zip(of_source, answers, strict=True):
        if status != 0:
            bad += 1
            print(f"{file.relative_to(TOP)}:\n{output}")
    print(f"clang-tidy read {len(of_source)} sources with them, {bad} with findings")
    return 1 if in_neither_build(left) or bad else 0


def check_seeded_tidy():
    """A fault in a header that has changed is found, by each name by which sources include one, and no other header's."""
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory).resolve()
        links = {"include/qosarb": "headers", "include-systemc/qosarb/sc": "tb/systemc/sc"}
        names = {"headers/linked.hpp": "<qosarb/linked.hpp>", "tb/systemc/sc/pins.hpp": "<qosarb/sc/pins.hpp>",
                 "tb/ages/bench.hpp": '"../ages/bench.hpp"', "tb/unit/beside.hpp": '"beside.hpp"',
                 "headers/other.hpp": "<qosarb/other.hpp>"}
        for name in names:
            header = top / name
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text(f"#pragma once\ninline int {header.stem}(int a) {{ if (a == 1) return 2; return a; }}\n")
        for link, folder in links.items():
            (top / link).parent.mkdir(parents=True)
            (top / link).symlink_to(top / folder)
        (top / ".clang-tidy").write_text(SETTINGS.read_text())
        source = top / "tb" / "unit" / "source.cpp"
        source.write_text("".join(f"#include {name}\n" for name in names.values()))
        entry = {"directory": str(top), "file": str(source),
                 "command": f"g++ -I{top}/include -I{top}/include-systemc -o source.o -c {source}"}
        (top / "compile_commands.json").write_text(json.dumps([entry]))
        changed = {top / name for name in names} - {top / "headers" / "other.hpp"}
        of_source, left = first_that_reads(changed, {source: read_by(entry)})
        status, output = clang_tidy(source, only_in(of_source.get(source, ())), database=top)
    wrong = [name for name in names if (f"/{Path(name).name}:2:" in output) != (top / name in changed)]
    if left or status == 0 or wrong:
        print(f"headers with a fault were not found, or one beside them was: {' '.join(wrong)}\n{output}")
        return 1
    return 0
