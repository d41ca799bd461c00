"""Every code that the package uses has one message, of the right class and with the right values; none is left over."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lookalike
from lookalike import errors
from lookalike.notices.messages import catalogue
from lookalike.notices.rendering import fields

SOURCE = Path(lookalike.__file__).parent
KINDS = {
    name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, errors.LookalikeError)
}
Use = tuple[str, str, str, set[str], bool]
"""Where, class, code, names of values, and whether there are more than the names say (`**values`)."""


def uses() -> Iterator[Use]:
    """Every place in the source where an error or a notice is created with a literal code."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0]
            if (
                name not in KINDS | {"Notice"}
                or not isinstance(first, ast.Constant)
                or not isinstance(first.value, str)
            ):
                continue
            given = {keyword.arg for keyword in node.keywords if keyword.arg is not None}
            more = any(keyword.arg is None for keyword in node.keywords)
            yield f"{path.relative_to(SOURCE)}:{node.lineno}", name, first.value, given, more


USES = list(uses())


@pytest.mark.parametrize("use", USES, ids=[f"{where} {code}" for where, _, code, _, _ in USES])
def test_a_code_in_use_has_a_message_that_fits(use: Use) -> None:
    _, kind, code, given, more = use
    message = catalogue()[code]
    if kind == "Notice":
        assert message.kind in ("warning", "detail"), f"{code} is an error of class {message.kind}"
    else:
        assert message.kind == kind
    wanted = fields(message.text)
    assert given <= wanted, f"the message has no place for {given - wanted}"
    assert more or given == wanted, f"the message also needs {wanted - given}"


def test_every_message_is_in_use() -> None:
    """A code may also be chosen among several before it is raised: then it is a string somewhere in the source."""
    texts = {
        node.value
        for path in SOURCE.rglob("*.py")
        if "messages" not in path.relative_to(SOURCE).parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(catalogue()) - texts == set()


@pytest.mark.parametrize("code", sorted(catalogue()))
def test_a_message_is_written_by_the_rules(code: str) -> None:
    message = catalogue()[code]
    assert message.kind in KINDS | {"warning", "detail"}
    assert not message.text.endswith("."), "the last sentence has no full stop: a notice may be part of another"
    assert " --" not in message.text, "options are written {@name}, and named by the renderer"
    assert "\n" not in message.text
