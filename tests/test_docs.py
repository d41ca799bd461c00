"""The documentation is correct: its code runs and prints the output shown, its links work, and nothing is missing.

In every page the fenced blocks run in order, in one namespace and one folder that holds nothing but examples/: `pycon`
is a doctest, `python` is executed, and in `console`, the lines after `$ ` are run by bash, and their output is compared
with the lines that follow. `...` matches anything, and lines of progress are ignored. Blocks of other kinds (`sh`,
`text`, …) are only shown.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lookalike
from lookalike.cli.app import COMMANDS
from lookalike.errors import LookalikeError

ROOT = Path(__file__).parents[1]
PAGES = sorted(page for folder in ("", "docs/**/", "examples/", "notebooks/") for page in ROOT.glob(f"{folder}*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRESS = re.compile(r"lookalike: (?!error|warning)")
LINK = re.compile(r"\]\(([^)#\s]*)#?([^)\s]*)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 1)


RUNNABLE = [page for page in PAGES if any(b.kind in ("pycon", "python", "console") for b in blocks(page))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", RUNNABLE, ids=name)
def test_the_code_of_the_page_runs_and_gives_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("COLUMNS", "80")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{name(page)}:{block.line}"
        if block.kind == "pycon":
            with monkeypatch.context() as prompt:
                prompt.setattr(
                    sys, "ps1", ">>> ", raising=False
                )  # as at a prompt, where `show()` prints nothing itself
                run_session(block, names, where)
        elif block.kind == "python":
            exec(compile("\n" * block.line + block.text, name(page), "exec"), names)
        elif block.kind == "console":
            run_commands(block, where)


def run_session(block: Block, names: dict[str, Any], where: str) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, where, where, 0)
    report: list[str] = []
    # the namespace is kept, because later blocks continue where this one ends
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)


def run_commands(block: Block, where: str) -> None:
    # `lookalike` and `python` are those of the environment that runs the tests
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, want = command.replace("\\\n", "\0").partition("\n")
        line, want = line.replace("\0", "\\\n"), want.replace("\0", "\\\n")
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=120
        )
        got = done.stdout + done.stderr
        got = "".join(l for l in got.splitlines(keepends=True) if not PROGRESS.match(l))
        assert done.returncode == 0, f"{where}: `{line}` ended with exit code {done.returncode}\n{got}"
        if want.strip():
            same = doctest.OutputChecker().check_output(want.rstrip() + "\n", got.rstrip() + "\n", FLAGS)
            assert same, f"{where}: `{line}` gave\n{got}\nbut the page shows\n{want}"


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """The links of a page to files in the repository: each as a file, and a heading or nothing."""
    for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            yield (page.parent / target).resolve() if target else page, heading


def headings(page: Path) -> set[str]:
    """The headings of a page as written in links: lower case, without punctuation, with hyphens for spaces."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_the_page_lead_somewhere(page: Path) -> None:
    broken = [
        (target, heading)
        for target, heading in links(page)
        if not target.exists() or (heading and heading not in headings(target))
    ]
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_page_can_be_reached_from_the_readme(page: Path) -> None:
    seen, new = set[Path](), [ROOT / "README.md"]
    while new:
        here = new.pop()
        if here not in seen and here.suffix == ".md":
            seen.add(here)
            new += [target for target, _ in links(here)]
    assert page in seen


@pytest.mark.parametrize(
    "page", [ROOT / page for page in ("docs/architecture.md", "docs/internals.md", "CONTRIBUTING.md")], ids=name
)
def test_the_files_that_the_map_names_are_there(page: Path) -> None:
    named = set(re.findall(r"`([\w.]+/[\w./]*)`", page.read_text(encoding="utf-8")))
    known = [path for path in named if any((base / path).exists() for base in (ROOT, ROOT / "src/lookalike"))]
    assert sorted(path for path in named - set(known) if "NAME" not in path) == []


def test_the_map_names_every_module() -> None:
    """Commands are apart: the map says that each has a file of its own."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\w+", page.partition("## The packages")[2].partition("A package may import")[0]))
    modules = {module.stem for module in (ROOT / "src/lookalike").glob("*/*.py")} - {"__init__"} - COMMANDS.keys()
    assert sorted(modules - names) == []


def test_the_names_that_the_map_gives_to_a_file_are_in_it() -> None:
    """`io/open.py` (`_opened()`): a function that was renamed would send whoever adds a format astray."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    for path, inside in re.findall(r"`([\w./]+\.\w+)` \(([^)]*`[^)]*)\)", page.replace("()", "")):
        found = [base / path for base in (ROOT, ROOT / "src/lookalike") if (base / path).exists()]
        text = "".join(file.read_text(encoding="utf-8") for file in found)
        names = re.findall(r"`([A-Za-z_]\w*)`", inside) if found else []
        assert [name for name in names if not re.search(rf"\b{name}\b", text)] == [], path


def test_what_pages_and_messages_call_is_public() -> None:
    """`la.resolve_plan` was named by a page and by an error, and was not there."""
    called = {
        (call, name(page))
        for page in (*PAGES, *ROOT.glob("src/**/*.py"))
        for call in re.findall(r"\bla\.([A-Za-z]\w*)", page.read_text(encoding="utf-8"))
    }
    assert sorted((call, page) for call, page in called if not hasattr(lookalike, call)) == []


@pytest.mark.parametrize("tool", ["cli_reference", "messages_reference", "python_reference"])
def test_a_generated_page_is_what_its_tool_writes(tool: str) -> None:
    command = [sys.executable, "-m", f"tools.{tool}", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "COLUMNS": "40"})
    assert done.returncode == 0, done.stderr


def errors(base: type[LookalikeError] = LookalikeError) -> Iterator[type[LookalikeError]]:
    yield base
    for error in base.__subclasses__():
        yield from errors(error)


@pytest.mark.parametrize("error", [*errors()], ids=lambda error: error.__name__)
def test_the_semantics_page_gives_every_error_its_exit_code(error: type[LookalikeError]) -> None:
    page = (ROOT / "docs/concepts/semantics.md").read_text(encoding="utf-8")
    row = next((line for line in page.splitlines() if line.startswith("|") and f"`{error.__name__}`" in line), "")
    assert f"| {error.exit_code} |" in row
