"""The decorator for verbs: it checks options against their declarations, and lists all of them in `help()`."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_one_of, check_true_or_false, plain_number
from lookalike.requests.option import GROUPS, Declared, PlanOption, declared
from lookalike.requests.words import meant

Function = TypeVar("Function", bound=Callable[..., Any])

WIDTH = 112
"""The line width of generated docstrings; `help()` indents lines by another four columns."""


def verb(request: type[Any]) -> Callable[[Function], Function]:
    """Makes a function a verb that takes the options of a request.

    The function receives every option; one that was not given, or is None, has its declared default. Plan options that
    were not given are left out.
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
            return function(*values, **own, **complete(function.__name__, fields, options))

        called.__signature__ = _signature(function, arguments, fields)  # type: ignore[attr-defined]
        if function.__doc__ is not None:  # `python -OO` removes docstrings
            called.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n{describe(fields)}"
        return cast(Function, called)

    return decorate


def complete(name: str, fields: Mapping[str, Declared], options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call, checked and completed with defaults. `name` is the verb that errors name."""
    given = {option: plain_number(value) for option, value in options.items() if value is not None}
    if unknown := sorted(options.keys() - fields.keys()):
        raise InvalidOption("unknown-option", verb=name, option=unknown[0], meant=meant(unknown[0], fields))
    for option, value in given.items():
        if choices := fields[option].choices:
            check_one_of(option, value, choices)
        elif fields[option].type is bool:
            check_true_or_false(option, value)
    for option, field in fields.items():
        if field.required and option not in given:
            raise InvalidOption("missing-option", verb=name, option=option)
    filled = {
        option: field.option.default for option, field in fields.items() if not isinstance(field.option, PlanOption)
    }
    return filled | given


def _signature(
    function: Callable[..., Any], arguments: list[inspect.Parameter], fields: Mapping[str, Declared]
) -> inspect.Signature:
    """A signature without types, which would make `help()` unreadable; type checkers read them from the source."""
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
    """The part of a docstring that lists the options by group, with one sentence each."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, field in fields.items():
        sentence = field.option.sentence(lambda option: f"`{option}`", _quoted)
        values = f" ({', '.join(map(_quoted, field.choices))})" if field.choices else ""
        line = textwrap.fill(f"{name}{values}: {sentence}", WIDTH, initial_indent="    ", subsequent_indent=" " * 8)
        groups[field.option.group].append(line)
    sections = ["\n".join([f"{group}:", *lines]) for group, lines in groups.items() if lines]
    return "\n\n".join(["Options, of which None stands for the default:", *sections])


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
