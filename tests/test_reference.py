"""Every public name, option, command and message has its place in docs/reference."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import lookalike as la
from lookalike.cli.app import every_command
from lookalike.notices.messages import catalogue
from tools.python_reference.options import REQUESTS
from tools.python_reference.pages import MODULES, module, public

FOLDER = Path(__file__).parents[1] / "docs/reference"
PYTHON = {
    page: (FOLDER / f"{page}.md").read_text(encoding="utf-8") for page in ("python", "results", "plans", "modules")
}
CLI = (FOLDER / "cli.md").read_text(encoding="utf-8")
MESSAGES = (FOLDER / "messages.md").read_text(encoding="utf-8")

ENTRIES = [
    name.rpartition(".")[2] for page in PYTHON.values() for name in re.findall(r"^### `(.+)`$", page, re.MULTILINE)
]


def section(page: str, heading: str) -> str:
    """The text between a heading and the next one of its level or above."""
    level = len(heading.split()[0])
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{level}}} |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"no section {heading}"
    return found[1]


def test_every_public_name_has_one_entry() -> None:
    """For a name that is missing here, add it to a group in `tools/python_reference/pages.py`."""
    names = {name for path in MODULES for name in public(module(path))} | set(la.__all__)
    assert sorted(names - set(ENTRIES)) == []
    assert sorted(name for name in la.__all__ if ENTRIES.count(name) > 1) == []


def test_every_module_for_users_is_a_heading() -> None:
    """`families` is the exception: all its names are those of `lookalike` itself."""
    headings = {path.partition(".")[0] for path in MODULES}
    assert set(la._MODULES) - headings == {"families"}


VERBS = [name for name in la.__all__ if hasattr(getattr(la, name), "__wrapped__")]


@pytest.mark.parametrize("name", VERBS)
def test_every_option_of_a_function_is_in_its_entry(name: str) -> None:
    verb = getattr(la, name)
    assert verb in REQUESTS, "add the request to `tools/python_reference/options.py`"
    text = section(PYTHON["plans" if name == "resolve_plan" else "python"], f"### `{name}`")
    if "takes all [options for a corpus]" in text:
        text += section(PYTHON["python"], "## Options for a corpus")
    keywords = [one.name for one in inspect.signature(verb).parameters.values() if one.kind is one.KEYWORD_ONLY]
    assert keywords
    assert [option for option in keywords if f"`{option}`" not in text] == []


@pytest.mark.parametrize("name", every_command())
def test_every_option_of_a_command_is_in_its_section(name: str) -> None:
    text = section(CLI, f"## lookalike {name}")
    flags = [flag for option in every_command()[name].params for flag in option.opts if flag.startswith("--")]
    assert [flag for flag in flags if not re.search(rf"{flag}\b", text)] == []


def test_every_message_is_listed() -> None:
    assert [code for code in catalogue() if f"| `{code}` |" not in MESSAGES] == []
