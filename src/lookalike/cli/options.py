"""Creates commands from functions and declared options, and passes the given values to the functions."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

import click
from click.shell_completion import CompletionItem

from lookalike.cli.help import CONTEXT, Argument, Command
from lookalike.cli.process import Ended, Interrupted, raise_on_signals
from lookalike.errors import InvalidOption
from lookalike.requests.option import OUTPUT, Declared, declared, part
from lookalike.requests.shared import OnEngine

CONFIGURATION = Path(
    os.environ.get("LOOKALIKE_CONFIG")
    or Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "lookalike", "config.toml")  # noqa: PTH111 - fails without a home
)
"""The user's configuration file, which need not exist."""

IS_NAMED = os.environ.get("LOOKALIKE_CONFIG", "") not in ("", os.devnull)
"""True if the user named the configuration file, which then has to exist."""

INPUTS_HELP = (
    "Files, folders of texts, quoted globs, URLs, or - for standard input. The data can be Parquet, JSONL, CSV, TSV "
    "or text, and can be compressed (.gz, .zst, .bz2)."
)
Inputs = Annotated[list[str], Argument("INPUT...", INPUTS_HELP)]


@dataclass(frozen=True)
class Options:
    """The options of a call: given values, values from the user's configuration, and declared defaults."""

    command: str
    fields: Mapping[str, Declared]
    given: Mapping[str, Any]
    configured: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        value = self.given.get(name)
        return self.configured.get(name, self.fields[name].option.default) if value is None else value

    def of(self, *requests: type[Any]) -> dict[str, Any]:
        """Returns the options of these requests that were given or configured, as keyword arguments for a verb."""
        return part(self.configured, *requests) | part(self.given, *requests)

    def without_table_on_standard_output(self) -> Options:
        """Returns the options for a run that prints JSON on standard output: its table is written only to a file."""
        for name, value in self.given.items():
            if str(value) == "-" and self.fields[name].option.group == OUTPUT:
                raise InvalidOption("json-beside-table", option=name)
        if (out := self.fields.get("out")) is None or out.option.default != "-":
            return self
        return replace(self, fields={**self.fields, "out": out._replace(option=replace(out.option, default=None))})

    def is_table_on_terminal(self) -> bool:
        """True if the table is written to a terminal, where a progress line would mix with it."""
        return self["out"] in (None, "-") and not self["json"] and sys.stdout.isatty()

    @property
    def progress(self) -> bool:
        """True if progress should be shown."""
        return not self["quiet"] and bool(self.configured.get("progress", True))

    def changed(self) -> list[str]:
        """Returns the names of the options whose given value differs from the default."""
        usual = {name: field.option.default for name, field in self.fields.items()}
        return [name for name, value in self.given.items() if value is not None and value != usual[name]]


def takes(*requests: type[Any], example: str, loads: str = "lookalike.api") -> Callable[[Callable[..., None]], Command]:
    """Returns a decorator that creates a command with the options of these requests.

    If two requests declare the same option, the later declaration is used. The decorated function receives the
    arguments and, as `options`, an `Options`. Its docstring and the example are shown in the help of the command.
    `loads` is the module that contains what the command calls; options of an engine replace it.
    """
    every = {name: field for request in requests for name, field in declared(request).items()}
    fields = {name: field for name, field in every.items() if not field.option.python_only}

    def decorate(function: Callable[..., None]) -> Command:
        def called(**values: Any) -> None:
            values = {name: [*value] or None if isinstance(value, tuple) else value for name, value in values.items()}
            name = click.get_current_context().command_path.partition(" ")[2]
            options = Options(name, fields, {name: values.pop(name) for name in fields})
            if IS_NAMED or os.path.isfile(CONFIGURATION):  # noqa: PTH113  (Path.is_file fails if its folder cannot be read)
                from lookalike.cli.configuration import configured

                options = replace(options, configured=configured(CONFIGURATION, options))
            if options["json"]:
                options = options.without_table_on_standard_output()
            if options["verbose"]:
                from lookalike.cli.details import print_details

                print_details(options, CONFIGURATION)
            # imported before signals raise exceptions, because an exception may get lost during an import
            if OnEngine.__annotations__.keys() <= fields.keys():
                pass
            else:
                import_module(loads)
            raise_on_signals()
            try:
                function(**values, options=options)
            except Ended as end:
                raise Interrupted(end.number) from None
            except KeyboardInterrupt:
                raise Interrupted from None

        own = list(inspect.signature(function, eval_str=True).parameters.values())[:-1]
        arguments: dict[str, Argument] = {parameter.name: get_args(parameter.annotation)[-1] for parameter in own}
        command = Command(
            function.__name__,
            context_settings=CONTEXT,
            callback=called,
            params=[
                *(
                    click.Argument(
                        [name],
                        nargs=-1 if argument.metavar.endswith("...") else 1,
                        required=not argument.metavar.startswith("["),
                        metavar=argument.metavar,
                        shell_complete=_files,
                    )
                    for name, argument in arguments.items()
                ),
                *(_option(name, field) for name, field in fields.items()),
            ],
            help=inspect.getdoc(function),
            epilog=example,
            no_args_is_help=any(not argument.metavar.startswith("[") for argument in arguments.values()),
        )
        command.arguments, command.fields = arguments, fields  # help texts are built only if they are shown
        return command

    return decorate


def _option(name: str, field: Declared) -> click.Option:
    """Creates the click option for a declared option. Unless it is required, its default None means "not given"."""
    option, kind = field.option, field.option.takes
    if kind is None and field.choices:
        kind = type(field.choices[0])
    elif kind is None:  # a string, if the verb accepts one
        types = [one for one in field.types if one is not NoneType]
        kind = str if str in types or not types else types[0]
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    settings: dict[str, Any] = {"type": kind}
    if kind is bool:
        settings = {"is_flag": True}
    elif get_origin(kind) is list:
        settings = {"type": get_args(kind)[0], "multiple": True}
    elif get_origin(kind) is tuple:
        settings = {"type": get_args(kind)}
    settings |= {"required": True} if field.required else {"default": None}
    if values := tuple(map(str, field.choices)) or option.suggested:
        settings["shell_complete"] = lambda _, __, typed: [value for value in values if value.startswith(typed)]
    elif option.metavar in ("FILE", "PATH", "FOLDER"):
        settings["shell_complete"] = _files
    return click.Option([*flags, name], metavar=option.metavar, **settings)


def _files(context: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Completes file names in the shell."""
    return [CompletionItem(typed, type="file")]
