"""Generates docs/reference/messages.md from the catalogue of messages.

python tools/messages_reference.py            write the page
python tools/messages_reference.py --check    fail if the page is out of date
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

from lookalike import errors
from lookalike.notices.messages import Message, areas

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "messages.md"

HEAD = """# Messages

Every error and warning has a code and values. `error.code` and `error.values` are for programs; the sentence is for
people, and may be improved at any time. Options are named as you wrote them: `--id` on the command line, `id=` in
Python. This page is made by `tools/messages_reference.py`; words in italics stand for a value.

An error's class decides the exit code of the command line ([what can go wrong](../concepts/semantics.md)).

"""


def page() -> str:
    sections = [HEAD.rstrip() + "\n"]
    for area in areas():
        module = import_module(f"lookalike.notices.messages.{area}")
        title = (module.__doc__ or "").split("\n")[0].removeprefix("Messages about ").rstrip(".")
        rows = [_row(code, message) for code, message in sorted(module.MESSAGES.items())]
        heading = f"## {title[0].upper()}{title[1:]}\n"
        sections.append("\n".join([heading, "| code | class | message |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(sections)


def _row(code: str, message: Message) -> str:
    kind = message.kind
    if hasattr(errors, kind):
        kind = f"{kind} ({getattr(errors, kind).exit_code})"
    return f"| `{code}` | {kind} | {_readable(message.text)} |"


def _readable(template: str) -> str:
    """The template with options as written in Python and values in italics."""
    text = template.replace("[[", "").replace("]]", "").replace("|", "\\|").replace("*", "\\*")
    text = re.sub(r"\{@(\w+)=(\w+)\}", r"`\1=\2`", text)
    text = re.sub(r"\{@(\w+)\}", r"`\1=`", text)
    text = re.sub(r"\{(\w+):n ([^}/]+)(?:/([^}]+))?\}", lambda n: f"*{n[1]}* {n[3] or n[2] + 's'}", text)
    return re.sub(r"\{(\w+)[^}]*\}", r"*\1*", text)


def main() -> None:
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is out of date: run python tools/messages_reference.py")
        return
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
