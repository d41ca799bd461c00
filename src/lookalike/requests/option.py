"""Declarations of options, and functions that read them.

A request is a TypedDict with a field per option:

    class Finding(TypedDict, total=False):
        hashes: Annotated[int, PlanOption(128, "Number of hashes per signature.", FIND, "N")]

Type checkers understand it directly: `def find_pairs(data, **options: Unpack[FindPairs])` needs no stub and no
generated code, and a misspelt option is a type error. Everything else is read at run time from the `Option` in each
field.

Declarations must be cheap to import and to read, because the help of a command is built from them. Their modules
therefore do not postpone annotations (no `from __future__ import annotations`), and a type that is expensive to import
is written as a string: `Annotated["Plan | None", Option(…)]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import UnionType
from typing import Any, ForwardRef, Literal, NamedTuple, Required, Union, get_args, get_origin

from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.requests.words import meant

INPUT, FIND, CUT, RUN, OUTPUT = GROUPS = "Input", "Matching", "Preprocessing", "Running", "Output"
"""The headings under which help lists options, in this order."""


@dataclass(frozen=True)
class Option:
    """The declaration of one option: its default, its help sentence, and its form on the command line.

    In `help` and `shown`, `{@name}` refers to another option. It is shown as the reader would write that option.
    """

    default: Any
    help: str
    group: str
    metavar: str | None = None
    """The placeholder for the value in the command's help; None for flags and for options that commands do not have."""
    shown: str | None = None
    """The default in words, such as "one per core", if its value alone would not be clear."""
    flags: tuple[str, ...] = ()
    """The flags on the command line (default: `--` and the name, with hyphens)."""
    takes: type[Any] | None = None
    """The type of the value on the command line (default: derived from the declared type)."""
    python_only: bool = False
    suggested: tuple[str, ...] = ()
    """Values that the shell suggests, if the option also accepts others."""

    def sentence(self, write: Callable[[str], str], quote: Callable[[Any], str] = str) -> str:
        """Returns the help text, with the default at the end of its first sentence.

        `write` formats option names, and `quote` formats values.
        """
        text = self.help
        if default := self.default_in_words(quote):
            first, end, rest = text.partition(". ")
            text = f"{first.removesuffix('.')} (default: {default}).{end[1:]}{rest}"
        return _OPTION.sub(lambda found: write(found[1]), text)

    def default_in_words(self, quote: Callable[[Any], str] = str) -> str:
        """Returns the default as shown in the help; empty if there is nothing to show, as for flags."""
        if self.shown is not None:
            return self.shown
        return "" if self.default is None or isinstance(self.default, bool) else quote(self.default)


class PlanOption(Option):
    """An option that is an entry of the plan. Its default is not filled in, because a saved plan may set the entry."""


class Declared(NamedTuple):
    """One field of a request: its option, and the information about its value in the type annotation."""

    option: Option
    type: Any
    required: bool
    types: tuple[Any, ...]
    """The members of a union type; otherwise the type itself. Empty if the type is written as a string."""
    choices: tuple[Any, ...]
    """The allowed values, if the type contains a `Literal`; otherwise empty."""


LARGEST = 64
"""The maximum number of bits of an integer. Larger integers would fail in native code."""

_OPTION = re.compile(r"\{@(\w+)\}")


def declared(request: type[Any]) -> Mapping[str, Declared]:
    """Returns the options of a request by name, in the order of its fields."""
    fields: dict[str, Declared] = {}
    annotation: Any
    for name, annotation in request.__annotations__.items():
        required = get_origin(annotation) is Required
        if required:
            (annotation,) = get_args(annotation)
        kind, option = annotation.__origin__, annotation.__metadata__[0]
        types: tuple[Any, ...] = () if isinstance(kind, ForwardRef) else (kind,)
        if get_origin(kind) in (Union, UnionType):
            types = get_args(kind)
        choices = tuple(value for one in types if get_origin(one) is Literal for value in get_args(one))
        fields[name] = Declared(option, kind, required, types, choices)
    return fields


def complete(name: str, fields: Mapping[str, Declared], options: Mapping[str, Any]) -> dict[str, Any]:
    """Checks the options of a call and adds the defaults. Errors name the verb `name`."""
    from lookalike.flow.checks import check_one_of, plain_number  # imports NumPy, which help does not need

    if unknown := sorted(options.keys() - fields.keys()):
        raise InvalidOption("unknown-option", verb=name, option=unknown[0], meant=meant(unknown[0], fields))
    given = {option: plain_number(value) for option, value in options.items() if value is not None}
    for option, value in given.items():
        if choices := fields[option].choices:
            check_one_of(option, value, choices)
        elif fields[option].type is bool and not isinstance(value, bool):
            raise InvalidOption("not-true-or-false", option=option, value=value)
        elif isinstance(value, int) and value.bit_length() > LARGEST:
            raise InvalidOption("number-too-large", option=option, bits=LARGEST, value=value)
    for option, field in fields.items():
        if field.required and option not in given:
            raise InvalidOption("missing-option", verb=name, option=option)
    filled = {
        option: field.option.default for option, field in fields.items() if not isinstance(field.option, PlanOption)
    }
    return filled | given


def part(options: Mapping[str, Any], *requests: type[Any]) -> dict[str, Any]:
    """Returns the options that belong to these requests and are not None."""
    names = (name for request in requests for name in request.__annotations__)
    return {name: options[name] for name in names if options.get(name) is not None}


def renamed(options: Mapping[str, Any], request: type[Any], prefix: str) -> dict[str, Any]:
    """Returns the options of a request that are not None, without the prefix of their names: right_column → column."""
    return {name.removeprefix(prefix): value for name, value in part(options, request).items()}


def of_second_input(
    reading: Mapping[str, Any], options: Mapping[str, Any], request: type[Any], prefix: str
) -> dict[str, Any]:
    """Returns the options for opening a second input: its own ones, and those that it inherits from the first input.

    `request` declares its own options, whose names have the prefix.
    """
    own = renamed(options, request, prefix)
    return {**reading, **own, "inherited": ({"column", "id"} & reading.keys()) - own.keys()}


@contextmanager
def naming(request: type[Any], prefix: str) -> Iterator[None]:
    """Wraps code that opens a second input. Errors about its columns then name its own options, such as test_column."""
    try:
        yield
    except NoSuchColumn as error:
        own = request.__annotations__
        options = tuple(prefix + one if prefix + one in own else one for one in error.values.get("options", ()))
        raise NoSuchColumn(error.code, **{**error.values, "options": options}) from None


@contextmanager
def sharing_columns(option: str) -> Iterator[None]:
    """Wraps code that opens the input of `option`, whose columns have the same names as those of the main input."""
    try:
        yield
    except NoSuchColumn as error:
        values = {name: error.values[name] for name in ("where", "column", "columns")}
        raise NoSuchColumn("no-such-column-in-other-input", option=option, **values) from None
