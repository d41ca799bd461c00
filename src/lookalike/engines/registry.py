"""All engines by name, with the options that each engine declares.

An engine is a folder. Its `__init__.py` declares the engine without importing its class, so that the command line can
list every option before an engine is loaded. To add an engine, write its folder and add its name to `NAMES`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from lookalike.engines.base import Engine

NAMES = ("local", "reference", "spark")


@dataclass(frozen=True)
class EngineOption:
    """One option of an engine, under the name that users write."""

    name: str
    type: Any
    """A Python type, such as `int | None`."""
    default: Any
    metavar: str
    """The placeholder for the value in the command's help."""
    help: str
    """The option's help text: one sentence."""


@dataclass(frozen=True)
class Declaration:
    """An engine before it is loaded: its name, the location of its class, and the options that the class accepts."""

    name: str
    made_by: str
    """The module and class of the engine: `package.module:Class`."""
    help: str
    options: tuple[EngineOption, ...] = ()


def engine(name: str | Engine = "local", **options: Any) -> Engine:
    """Returns the engine with this name, configured with these options: `engine("local", threads=4, memory="2GiB")`.

    None leaves an option at its default, and options of other engines are refused. An engine instance is returned
    unchanged and takes no further options.
    """
    given = {option: value for option, value in options.items() if value is not None}
    if isinstance(name, str):
        declared = declaration(name)
        for option in given.keys() - {option.name for option in declared.options}:
            raise _refusal(option, name)
        module, _, class_name = declared.made_by.partition(":")
        made: Engine = getattr(import_module(module), class_name)(**given)
        return made
    if not hasattr(name, "run"):
        raise InvalidOption("not-an-engine", value=name)
    for option in given:
        raise InvalidOption("option-of-a-made-engine", option=option, engine=name.name)
    return name


def declaration(name: str) -> Declaration:
    """The declaration of the engine with this name."""
    if name not in NAMES:
        raise InvalidOption("not-one-of", option="engine", allowed=NAMES, value=name)
    declared: Declaration = import_module(f"lookalike.engines.{name}").DECLARATION
    return declared


def options() -> dict[str, EngineOption]:
    """The options of all engines, by option name."""
    return {option.name: option for name in NAMES for option in declaration(name).options}


def _refusal(option: str, engine: str) -> InvalidOption:
    owners = [name for name in NAMES if option in {known.name for known in declaration(name).options}]
    if not owners:
        return InvalidOption("unknown-option", verb=f"engine {engine}", option=option, meant=None)
    return InvalidOption("option-of-another-engine", option=option, owners=owners, engine=engine)
