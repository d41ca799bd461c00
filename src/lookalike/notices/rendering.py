"""Renders notices as sentences, from the templates in `messages/`.

A template is a format string whose fields are the notice's values. In addition to Python's own syntax, it may contain:

    {@column}            an option: `--column`, `column=` or `"column"`
    {@method=lsh}        an option with its value: `--method lsh`, `method="lsh"`; `{@resume=True}` is `--resume`
    {option:@}           the option whose name is the value of `option`
    {options:options}    the options whose names are the values of `options`: `--fields or --ignore`
    {names:list}         a, b, c
    {names:or}           a, b or c
    {changes:clauses}    a; b; c: for items that may contain commas
    {names:quoted}       'a', 'b' and 3 more: at most twenty, each shortened
    {count:n document}   1 document, 2,000 documents; the plural of `{count:n entry/entries}` is written out
    {size:bytes}         1.5 GiB
    [[; try {hint}]]     left out if a value in it is None

Sentences start in lower case, since `lookalike: error:` precedes them, and the last one has no full stop, so that a
notice can be a value of another notice. Control characters are escaped, so that a file name cannot break the line.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.notices import LONGEST_REPR, Notice, Shown
from lookalike.notices.messages import message
from lookalike.notices.naming import UNSET, Naming, python
from lookalike.notices.readable import CONTROLS, in_words

LISTED, LONGEST = 20, 60
"""`quoted` lists at most `LISTED` names, with at most `LONGEST` characters each."""

_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


def render(notice: Notice, naming: Naming | None = None) -> str:
    """Renders a notice as a sentence. `naming` decides how options are written (default: as in Python)."""
    formatter = _Formatter(naming or python)
    template = message(notice.code).text

    def optional(found: re.Match[str]) -> str:
        names = [name for _, name, _, _ in formatter.parse(found[1]) if name and not name.startswith("@")]
        return found[1] if all(notice.values.get(name) is not None for name in names) else ""

    return formatter.vformat(_OPTIONAL.sub(optional, template), (), notice.values).translate(CONTROLS)


def fields(template: str) -> set[str]:
    """Returns the names of the values that a template uses."""
    parts = string.Formatter().parse(template.replace("[[", "").replace("]]", ""))
    return {name for _, name, _, _ in parts if name and not name.startswith("@")}


class _Formatter(string.Formatter):
    def __init__(self, naming: Naming) -> None:
        self.naming = naming

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if not field_name.startswith("@"):
            return kwargs[field_name], field_name
        option, equals, value = field_name[1:].partition("=")
        return Shown(self.naming(option, _literal(value) if equals else UNSET)), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        kind, _, rest = format_spec.partition(" ")
        if kind == "@":
            return self.naming(value, UNSET)
        if kind == "options":
            return _joined([self.naming(option, UNSET) for option in value], "or")
        if kind in ("list", "or", "and"):
            return _joined([self._text(item) for item in value], "" if kind == "list" else kind)
        if kind == "clauses":
            return "; ".join(self._text(item) for item in value)
        if kind == "quoted":
            return _quoted(value)
        if kind == "n":
            return _counted(value, rest)
        if kind == "bytes":
            return in_words(value)
        return format(value, format_spec) if format_spec else self._text(value)

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "r" and isinstance(value, str) and not isinstance(value, Shown) and len(value) > LONGEST:
            return repr(value[: LONGEST - 1] + "…")
        if conversion == "r" and isinstance(value, tuple):
            text = repr(_listed(value))
            return text if len(text) <= LONGEST_REPR else text[: LONGEST_REPR - 1] + "…"
        return super().convert_field(value, conversion)

    def _text(self, value: Any) -> str:
        return value.render(self.naming) if isinstance(value, Notice) else str(value)


def _listed(value: Any) -> Any:
    """Converts tuples to lists for display, because a notice stores a user's list as a tuple."""
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _literal(text: str) -> Any:
    """Parses the value of an option in a template (`{@method=lsh}`): a boolean, a number or a string."""
    if text in ("True", "False"):
        return text == "True"
    if re.fullmatch(r"\d+\.\d+", text):
        return float(text)
    return int(text) if text.isdecimal() else text


def _joined(items: list[str], word: str) -> str:
    if not word or len(items) < 2:
        return ", ".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _quoted(names: Sequence[Any]) -> str:
    shown = [repr(name if len(name) <= LONGEST else name[: LONGEST - 1] + "…") for name in map(str, names[:LISTED])]
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return (", ".join(shown) or "none") + more


def _counted(count: Any, noun: str) -> str:
    one, _, many = noun.partition("/")
    return f"{count:,} {one if count == 1 else many or one + 's'}"
