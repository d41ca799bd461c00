"""Converts docstrings and signatures to Markdown."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from typing import Any

WIDTH = 88
"""The width of code blocks, in columns. A longer signature is written with one parameter per line."""


def markdown(docstring: str) -> str:
    """Returns the docstring with its examples and indented blocks in fences.

    The fence of examples is not `pycon`, because they are tested in their modules, not on the page.
    """
    blocks: list[str] = []
    for block in re.split(r"\n\s*?\n", _linked(docstring.strip())):
        if blocks and block.startswith("    ") and blocks[-1].startswith("    "):
            blocks[-1] += f"\n\n{block}"
        else:
            blocks.append(block)
    return "\n\n".join(map(_block, blocks))


def _block(block: str) -> str:
    if block.startswith(">>>"):
        return f"```python-console\n{block}\n```"
    if block.startswith("    "):
        block = textwrap.dedent(block)
        kind = "python-console" if block.startswith(">>>") else "text" if "──" in block else "py"
        return f"```{kind}\n{block}\n```"
    return block


def _linked(text: str) -> str:
    """Replaces paths of pages by links from docs/reference."""
    return re.sub(r"docs/([\w-]+)/([\w-]+)\.md", r"[\2](../\1/\2.md)", text)


def first_paragraph(docstring: str) -> str:
    """Returns the first paragraph in one line, for a cell of a table."""
    return cell(" ".join(docstring.strip().split("\n\n")[0].split()))


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def signature(name: str, function: Any) -> str:
    """Returns the signature with types, on one line or with one parameter per line."""
    found = inspect.signature(function)
    parts, star = [], False
    for parameter in found.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or parameter.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL)
        parts.append(_parameter(parameter))
    returned = "" if found.return_annotation in (inspect.Signature.empty, None, "None") else found.return_annotation
    end = f") -> {_plain(returned)}" if returned else ")"
    line = f"{name}({', '.join(parts)}{end}"
    return line if len(line) <= WIDTH else "\n".join([f"{name}(", *(f"    {part}," for part in parts), end])


def call(name: str, function: Any) -> str:
    """Returns the signature of a method without types, for a table."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
    return f"{name}({', '.join(_parameter(one.replace(annotation=one.empty)) for one in parameters)})"


def _parameter(parameter: inspect.Parameter) -> str:
    text = str(parameter.replace(annotation=parameter.empty, default=parameter.empty))  # with its stars
    typed = parameter.annotation is not inspect.Parameter.empty
    if typed:
        text += f": {_plain(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        # 12 digits, because 1 − 0.8 is not quite 0.2
        default = f"{parameter.default:.12g}" if isinstance(parameter.default, float) else repr(parameter.default)
        shown = "..." if default.startswith("<") or len(default) > 40 else default
        text += f" = {shown}" if typed else f"={shown}"
    return text


def _plain(annotation: Any) -> str:
    text = getattr(annotation, "__name__", annotation)
    return str(text).strip("'")


def attribute_docstrings(source: str) -> dict[str, str]:
    """Returns the docstrings below the attributes of a class or the constants of a module, by name."""
    tree = ast.parse(textwrap.dedent(source))
    body = tree.body[0].body if len(tree.body) == 1 and isinstance(tree.body[0], ast.ClassDef) else tree.body
    found: dict[str, str] = {}
    for statement, below in itertools.pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            found |= {one.id: below.value.value for one in targets if isinstance(one, ast.Name)}
    return found
