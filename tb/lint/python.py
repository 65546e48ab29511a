"""ruff on what is written in Python."""

import sys
from pathlib import Path

from common import TOP, run


def check_python():
    files = [file for folder in ("scripts", "tb") for file in sorted((TOP / folder).rglob("*")) if is_python(file)]
    ruff = Path(sys.executable).parent / "ruff"  # of scripts/venv
    status, output = run([ruff, "check", "--no-cache", "--quiet", "--output-format", "concise",
                          "--config", TOP / "tb" / "lint" / "ruff.toml", *files], cwd=TOP)
    print(output or f"{len(files)} files\n", end="")
    return 1 if status else 0


def is_python(file):
    if file.suffix or not file.is_file():
        return file.suffix == ".py"
    with open(file, "rb") as stream:
        return b"python" in stream.readline()
