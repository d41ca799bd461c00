"""The decorator for verbs: it checks options against their declarations, and lists all of them in `help()`."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from lookalike.display.progress import log_result, watching
from lookalike.requests.option import GROUPS, Declared, complete, declared

Function = TypeVar("Function", bound=Callable[..., Any])

WIDTH = 112
"""The line width of generated docstrings; `help()` indents lines by another four columns."""


def verb(request: type[Any]) -> Callable[[Function], Function]:
    """Makes a function a verb that takes the options of a request.

    The function receives every option. An option that was not given, or is None, has its declared default; a plan
    option that was not given is left out.
    """

    def decorate(function: Function) -> Function:
        fields = declared(request)
        arguments = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        names = {argument.name for argument in arguments}

        @functools.wraps(function)
        def called(*values: Any, **options: Any) -> Any:
            own = {name: options.pop(name) for name in names & options.keys()}
            filled = complete(function.__name__, fields, options)
            if "progress" not in filled:
                return function(*values, **own, **filled)
            with watching(filled["progress"]) as filled["progress"]:
                result = function(*values, **own, **filled)
            log_result(function.__name__, result)
            return result

        called.__signature__ = _signature(function, arguments, fields)  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # `python -OO` removes docstrings
            called.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{describe(fields)}"
        return cast(Function, called)

    return decorate


def _signature(
    function: Callable[..., Any], arguments: list[inspect.Parameter], fields: Mapping[str, Declared]
) -> inspect.Signature:
    """Creates a signature without types, which would make `help()` unreadable.

    Type checkers read them from the source.
    """
    plain = [argument.replace(annotation=inspect.Parameter.empty) for argument in arguments]
    keywords = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.required else field.option.default,
        )
        for name, field in fields.items()
    ]
    return inspect.Signature([*plain, *keywords], return_annotation=inspect.signature(function).return_annotation)


def describe(fields: Mapping[str, Declared]) -> str:
    """Returns the part of a docstring that lists the options by group, with one sentence each."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, field in fields.items():
        sentence = field.option.sentence(lambda option: f"`{option}`", _quoted)
        values = f" ({', '.join(map(_quoted, field.choices))})" if field.choices else ""
        line = textwrap.fill(f"{name}{values}: {sentence}", WIDTH, initial_indent="    ", subsequent_indent=" " * 8)
        groups[field.option.group].append(line)
    sections = ["\n".join([f"{group}:", *lines]) for group, lines in groups.items() if lines]
    return "\n\n".join(["Options (None means the default):", *sections])


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
