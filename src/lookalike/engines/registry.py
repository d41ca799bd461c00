"""All engines by name, with the options that each engine declares.

Engines are declared here without importing their classes, so that the command line can list every option before an
engine is loaded. To add an engine, create its package and declare it here.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption, LookalikeError
from lookalike.notices import Notice

if TYPE_CHECKING:
    from lookalike.engines.base import Engine


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
    shown: str | None = None
    """The default in words, such as "one per core"."""


@dataclass(frozen=True)
class Declaration:
    """An engine before it is loaded: the location of its class, and the options that the class accepts."""

    made_by: str
    """The module and class of the engine: `package.module:Class`."""
    options: tuple[EngineOption, ...] = ()


ENGINES = {
    "local": Declaration(
        "lookalike.engines.local.engine:Local",
        (
            EngineOption(
                "threads",
                int | None,
                None,
                "N",
                "Number of threads. The number does not affect the result.",
                "one per core",
            ),
            EngineOption(
                "memory",
                int | str | None,
                None,
                "SIZE",
                "Maximum memory, such as 2GiB. Data that does not fit is written to temporary files.",
                "half of the free memory",
            ),
        ),
    ),
    "reference": Declaration("lookalike.engines.reference.engine:Reference"),
    "spark": Declaration(
        "lookalike.engines.spark.engine:Spark",
        (
            EngineOption(
                "master",
                str | None,
                None,
                "URL",
                "Address of the Spark master, such as spark://host:7077, local[4] or sc://host.",
                "this machine",
            ),
            EngineOption(
                "staging",
                str | None,
                None,
                "FOLDER",
                "Folder or URL for finished parts. All machines of the Spark cluster must be able to access it.",
            ),
        ),
    ),
}
NAMES = tuple(ENGINES)

OPTIONS = {option.name: option for declared in ENGINES.values() for option in declared.options}
"""The options of all engines, by option name."""


def engine(name: str | Engine | None = None, **options: Any) -> Engine:
    """Creates the engine with this name and these options: `engine("local", threads=4, memory="2GiB")`.

    An option that is None has its default value. Options of other engines raise an error. An engine object is returned
    unchanged and takes no further options. The default engine is "local". If the native module cannot be loaded and no
    option is set, the engine "reference" is used, and its results include a warning.
    """
    given = {option: value for option, value in options.items() if value is not None}
    if name is None or isinstance(name, str):
        name, warnings = named_or_default("local" if name is None and given else name)
        if warnings:
            from lookalike.engines.reference.engine import Reference

            return Reference(warnings)
        if name not in ENGINES:
            raise InvalidOption("not-one-of", option="engine", allowed=NAMES, value=name)
        declared = ENGINES[name]
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


def named_or_default(name: str | None) -> tuple[str, tuple[Notice, ...]]:
    """Returns the name of the engine to use (None: the default), and a warning if the default had to be replaced."""
    if name is not None and name != "local":
        return name, ()
    from lookalike.kernel import why_not_loaded

    if why_not_loaded is None:
        return "local", ()
    if name == "local":
        raise LookalikeError("native-module-not-loaded", reason=why_not_loaded)
    return "reference", (Notice("reference-engine-instead", reason=why_not_loaded),)


def _refusal(option: str, engine: str) -> InvalidOption:
    owners = [name for name in NAMES if option in {known.name for known in ENGINES[name].options}]
    if not owners:
        return InvalidOption("unknown-option", verb=f"engine {engine}", option=option, meant=None)
    return InvalidOption("option-of-another-engine", option=option, owners=owners, engine=engine)
