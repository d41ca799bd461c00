"""Generates docs/reference/cli.md from the output of `--help`.

python tools/cli_reference.py            write the page
python tools/cli_reference.py --check    fail if the page is out of date
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"

HEAD = """# The command line

This page is generated from `--help` by `tools/cli_reference.py`. Options are spelt like the arguments of the Python
functions: `lookalike pairs news.jsonl --threshold 0.8` is `find_pairs("news.jsonl", threshold=0.8)`.

Data goes to standard output only if `--out` is missing or `-`; progress, summary and errors go to standard error. An
error is one line, `lookalike: error: …`, and an exit code from the list below. Outputs are written under a temporary
name and then renamed: after an error or Ctrl-C, a file is either complete or missing.

"""


def page() -> str:
    """The current text of the page."""
    from lookalike.cli.app import COMMANDS

    sections = [HEAD + _block([])]
    sections += [f"## lookalike {command}\n\n" + _block([command]) for command in COMMANDS]
    return "\n".join(sections)


def _block(arguments: list[str]) -> str:
    from lookalike.cli import run

    os.environ["COLUMNS"] = "100"  # a fixed width, independent of the terminal
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run([*arguments, "--help"])
    text = "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines())
    return f"```\n{text}\n```\n"


def main() -> None:
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is out of date: run python tools/cli_reference.py")
        return
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
