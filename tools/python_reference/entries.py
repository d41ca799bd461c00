"""Writes the entry of one public name: heading, signature, docstring, options, result, and members of a class."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from typing import Any

import lookalike as la
from tools.python_reference.docstrings import attribute_docstrings, call, first_paragraph, markdown, signature
from tools.python_reference.options import REQUESTS, options

BASES = (la.Result, la.Family, la.Shingling, la.LookalikeError)
"""Classes with their own entries. Members that other classes inherit from them are not repeated."""


def entry(name: str, thing: Any, homes: dict[str, str]) -> str:
    """Returns the entry of a name. `homes` are the addresses of the entries of classes, to which results link."""
    parts = [f"### `{name}`"]
    if inspect.isfunction(thing) and thing in REQUESTS:
        parts += _verb(name, thing, homes)
    elif inspect.isclass(thing):
        parts += _class(name, thing)
    elif callable(thing):
        parts += [_code(signature(name, thing)), markdown(inspect.getdoc(thing) or "")]
    else:
        parts += [markdown(_constant(name.rpartition(".")[2], thing))]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _constant(name: str, value: Any) -> str:
    """Returns the docstring below a constant, in the module that defines it."""
    ours = [module for path, module in sys.modules.items() if path.startswith("lookalike")]
    sources = [inspect.getsource(module) for module in ours if vars(module).get(name) is value]
    return next(found[name] for found in map(attribute_docstrings, sources) if name in found)


def _verb(name: str, verb: Any, homes: dict[str, str]) -> list[str]:
    found = inspect.signature(verb)
    arguments = [
        str(parameter)
        for parameter in found.parameters.values()
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    returned = str(found.return_annotation).strip("'")
    linked = f"[`{returned}`]({homes[returned]})" if returned in homes else f"`{returned}`"
    written = inspect.getdoc(verb.__wrapped__) or ""
    head = _code(f"{name}({', '.join(arguments)}, **options) -> {returned}")
    return [head, markdown(written), f"Returns {linked}.", options(verb)]


def _class(name: str, thing: type[Any]) -> list[str]:
    # Results are returned and errors are raised; users make neither.
    made = not issubclass(thing, (la.Result, la.Summary, BaseException)) and thing is not la.Family
    head = _code(signature(name, thing)) if made else ""
    members = _members(thing)
    rows = [f"| `{shown}` | {meaning} |" for shown, meaning in members]
    table = "\n".join(["| member | meaning |", "|---|---|", *rows]) if rows else ""
    # A signature shows all fields; without one, those that are not in the table are listed.
    listed = {shown.removeprefix(".") for shown, _ in members}
    others = [f"`.{name}`" for name in _fields(thing) if name not in listed and not made]
    return [
        head,
        markdown(inspect.getdoc(thing) or ""),
        table,
        f"Other members: {', '.join(others)}." if others else "",
    ]


def _members(thing: type[Any]) -> list[tuple[str, str]]:
    """Returns the documented public attributes and methods, without those inherited unchanged from a class in
    `BASES`."""
    base = next((base for base in thing.__mro__[1:] if base in BASES), object)
    found = [(f".{name}", first_paragraph(text)) for name, text in _attributes(thing, base).items()]
    for name in dir(thing):
        member, text = inspect.getattr_static(thing, name), _docstring(thing, name)
        if text and text != _docstring(base, name):
            is_property = isinstance(member, (property, functools.cached_property))
            found.append((f".{name if is_property else call(name, getattr(thing, name))}", first_paragraph(text)))
    return found


def _attributes(thing: type[Any], base: type[Any]) -> dict[str, str]:
    """Returns the attributes with a docstring below them, with fields first, in their order."""
    found = dict.fromkeys(_fields(thing), "")
    for one in reversed(_ours(thing)):
        if one is not base:
            found |= attribute_docstrings(inspect.getsource(one))
    return {name: text for name, text in found.items() if text and not name.startswith("_")}


def _docstring(thing: type[Any], name: str) -> str:
    """Returns the docstring of a public method or property of our own, which may be inherited; otherwise ""."""
    owner = next((one for one in _ours(thing) if name in vars(one)), None)
    if owner is None or name.startswith("_"):
        return ""
    member = vars(owner)[name]
    if isinstance(member, (property, functools.cached_property)):  # `getdoc` would return the docstring of a type
        return _property_docstring(thing, name)
    if isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
        return inspect.getdoc(getattr(thing, name)) or ""
    return ""


def _property_docstring(thing: type[Any], name: str) -> str:
    """Returns the docstring of a property, or of the property that it overrides; otherwise ""."""
    members = [vars(one)[name] for one in _ours(thing) if name in vars(one)]
    written = [one.__doc__ for one in members if isinstance(one, (property, functools.cached_property)) and one.__doc__]
    return inspect.cleandoc(written[0]) if written else ""


def _ours(thing: type[Any]) -> list[type[Any]]:
    return [one for one in thing.__mro__ if one.__module__.startswith("lookalike")]


def _fields(thing: type[Any]) -> list[str]:
    return [field.name for field in dataclasses.fields(thing)] if dataclasses.is_dataclass(thing) else []


def _code(text: str) -> str:
    return f"```py\n{text}\n```"
