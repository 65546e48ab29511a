"""What the checks of scripts/lint share."""

import concurrent.futures
import os
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
RTL = TOP / "rtl"
BUILD = TOP / "build"
SANITIZED = TOP / "build-sanitize"

CLEAN, FINDINGS = 0, 1


def run(command, **options):
    """Runs a command; returns its exit status and all that it printed."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options,
    )
    return done.returncode, done.stdout


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, items))


def rtl_sources(listed_in="qosarb.f"):
    """The files that a list in rtl/ has, relative to rtl/."""
    lines = (RTL / listed_in).read_text().splitlines()
    return [line for line in lines if line.endswith(".sv")]


def rtl_modules():
    """Of each module in rtl/: its file's text."""
    texts = {Path(file).stem: (RTL / file).read_text() for file in rtl_sources()}
    return {name: text for name, text in texts.items() if not name.endswith("_pkg")}


def cpp_files(*suffixes):
    return sorted(
        file for folder in ("sim", "tb") for file in (TOP / folder).rglob("*") if file.suffix in suffixes
    )
