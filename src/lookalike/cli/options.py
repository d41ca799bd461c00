"""Turns the options that verbs declare into typer parameters, and passes the given values to commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any

import typer

from lookalike.cli.process import Ended, Interrupted, heed_signals
from lookalike.requests.option import Declared, declared, part
from lookalike.requests.shared import OnEngine

INPUTS_HELP = (
    "Files, folders of texts, quoted globs, URLs, or - for standard input: Parquet, JSONL, CSV, TSV "
    "or text, also .gz, .zst and .bz2."
)
Inputs = Annotated[list[str], typer.Argument(metavar="INPUT...", show_default=False, help=INPUTS_HELP)]


@dataclass(frozen=True)
class Options:
    """The options of a call: the given values, and the declared defaults of all other options."""

    fields: Mapping[str, Declared]
    given: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        value = self.given.get(name)
        return self.fields[name].option.default if value is None else value

    def of(self, *requests: type[Any]) -> dict[str, Any]:
        """The options of these requests that were given, as keyword arguments for a verb."""
        return part(self.given, *requests)

    def changed(self) -> list[str]:
        """The names of the options that were given a value other than the default."""
        usual = {name: field.option.default for name, field in self.fields.items()}
        return [name for name, value in self.given.items() if value is not None and value != usual[name]]


def takes(*requests: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator that adds the options of these requests to a command.

    If two requests declare the same option, the later declaration is used. The command receives the options as its last
    argument, an `Options`.
    """
    every = {name: field for request in requests for name, field in declared(request).items()}
    fields = {name: field for name, field in every.items() if not field.option.python_only}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[:-1]

        @functools.wraps(command)
        def called(**values: Any) -> None:
            options = Options(fields, {name: values.pop(name) for name in fields})
            # imported before signals raise exceptions, which may get lost during an import
            if OnEngine.__annotations__.keys() <= fields.keys():
                import lookalike.engines.local.engine
                import lookalike.run
            else:
                import lookalike.api  # noqa: F401
            heed_signals()
            try:
                command(**values, options=options)
            except Ended as end:
                raise Interrupted(end.number) from None
            except KeyboardInterrupt:
                raise Interrupted from None

        parameters = [*own, *(_parameter(name, field) for name, field in fields.items())]
        keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
        called.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        called.fields = fields  # type: ignore[attr-defined]  # help texts are built only if they are shown
        return called

    return decorate


def _parameter(name: str, field: Declared) -> inspect.Parameter:
    """The typer parameter of an option. Unless the option is required, the default is None, which means "not given"."""
    option, kind = field.option, field.option.takes
    if kind is None and field.choices:
        kind = type(field.choices[0])
    elif kind is None:  # a string, if the verb accepts one
        types = [one for one in field.types if one is not NoneType]
        kind = str if str in types or not types else types[0]
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    described = typer.Option(*flags, metavar=option.metavar, show_default=False)
    annotation: Any = Annotated[kind if field.required else kind | None, described]
    default = inspect.Parameter.empty if field.required else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
