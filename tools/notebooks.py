"""Executes the notebooks in notebooks/ and stores their outputs, for readers who do not run them.

    python -m tools.notebooks              execute all notebooks and write their outputs
    python -m tools.notebooks records      only this one

Outputs must be the same in every run. So times and memory sizes are left out. Figures are stored without their sliders,
which work only in a running notebook.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"

OF_THE_MACHINE = (
    (re.compile(r" ?<span><b>[\d.]+</b> <i>seconds</i></span>"), ""),
    (re.compile(r'<p class="counts"></p>'), ""),  # if seconds were all
    (re.compile(r"(<tr><th>(?:memory|time)</th><td>about )[^<]*</td>"), r"\1…</td>"),
)
"""Parts of a card that depend on the machine, and what is stored instead."""


def notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path) -> Any:
    """Executes a notebook and returns it with new outputs. Raises an error if a cell does.

    It runs in a temporary folder beside a link to examples/, so that files which it writes are not left behind.
    """
    book = read(path)
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "examples").symlink_to(ROOT / "examples")
        here = Path(place) / FOLDER.name
        here.mkdir()
        # Without sliders, the figure itself is the output of its cell.
        (here / "ipywidgets.py").write_text("raise ImportError", encoding="utf-8")
        client = NotebookClient(
            book, timeout=120, kernel_name="python3", record_timing=False, resources={"metadata": {"path": str(here)}}
        )
        client.execute()
    return tidied(book)


def tidied(book: Any) -> Any:
    """Returns the notebook without anything that differs from run to run or from machine to machine."""
    count = 0
    for number, cell in enumerate(book.cells, 1):
        cell["id"] = f"cell-{number}"
        cell["metadata"] = {}
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _joined([_stable(output, count) for output in cell.outputs if not _is_progress(output)])
    book.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python", "version": sys.version.split()[0]},
    }
    return nbformat.from_dict(book)  # type: ignore[no-untyped-call]


def _is_progress(output: Any) -> bool:
    """Returns True for the progress that a slow machine shows. It is empty in the end."""
    return output.output_type == "display_data" and not any(output.data.values())


def _stable(output: Any, count: int) -> Any:
    if output.output_type == "execute_result":
        output.execution_count = count
    if "data" in output:
        output["metadata"] = {}
        for kind, content in output.data.items():
            for pattern, instead in OF_THE_MACHINE:
                content = pattern.sub(instead, content)
            output.data[kind] = content
    return output


def _joined(outputs: list[Any]) -> list[Any]:
    """Returns the outputs, with consecutive prints in one. How many pieces they arrive in depends on the machine."""
    joined: list[Any] = []
    for output in outputs:
        if joined and output.output_type == joined[-1].output_type == "stream" and output.name == joined[-1].name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined


def outputs(book: Any) -> list[list[Any]]:
    """Returns the outputs of each code cell, for comparison."""
    return [cell.outputs for cell in book.cells if cell.cell_type == "code"]


def main(names: list[str]) -> None:
    for path in [FOLDER / f"{name}.ipynb" for name in names] or notebooks():
        nbformat.write(executed(path), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(sys.argv[1:])
