"""Parses survivor rules, such as `source:clean/*,where:language=en,best:quality,longest`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_names
from lookalike.results.survivors import RULES, Rule

ALLOWED = (*RULES, "best:COLUMN", "least:COLUMN", "source:GLOB", "where:COLUMN=VALUE")
"""The forms of rules, for messages."""

_PART = re.compile(r'(?:[^,"]|"(?:[^"]|"")*")*')
"""One rule. Text between double quotation marks may contain commas, and "" stands for one quotation mark."""

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')

_CONDITION = re.compile(r"(.+?)(!=|>=|<=|=)(.*)", re.DOTALL)


def parse_rules(given: Any, option: str = "keep") -> tuple[Rule, ...]:
    """Parses rules separated by commas, or a list of rules, whose commas and quotation marks are not special."""
    parts = split_rules(given) if isinstance(given, str) else given
    if not isinstance(parts, Iterable) or not (parts := list(parts)):
        raise InvalidOption("not-one-of", option=option, allowed=ALLOWED, value=given)
    rules = tuple(dict.fromkeys(parse_rule(part, option) for part in parts))
    for before, rule in pairwise(rules):
        if before.name in ("first", "last"):
            raise InvalidOption("rule-never-used", option=option, rule=str(rule), before=str(before))
    return rules[:-1] if rules[-1].name == "first" and len(rules) > 1 else rules  # ties go to the first row anyway


def split_rules(text: str, option: str = "keep") -> list[str]:
    """Splits rules at commas that are not between double quotation marks.

    >>> split_rules('where:title="a, b",longest')
    ['where:title=a, b', 'longest']
    """
    parts, at = [], 0
    while True:
        found = _PART.match(text, at)
        assert found is not None  # the pattern matches the empty text
        parts.append(_QUOTED.sub(lambda quoted: quoted[1].replace('""', '"'), found[0]).strip())
        at = found.end()
        if at == len(text):
            return parts
        if text[at] == '"':
            raise InvalidOption("rule-with-open-quotation", option=option, value=text)
        at += 1


def parse_rule(text: Any, option: str = "keep") -> Rule:
    """Parses one rule.

    >>> parse_rule("where:year>=2020")
    Rule(name='where', subject='year', operator='>=', value='2020')
    """
    if isinstance(text, str):
        if text in RULES:
            return Rule(text)
        name, _, subject = text.partition(":")
        if name in ("best", "least", "source") and subject:
            return Rule(name, subject)
        if name == "where":
            if found := _CONDITION.fullmatch(subject):
                return Rule("where", *found.groups())
            raise InvalidOption("where-without-condition", option=option, value=text)
    raise InvalidOption("not-one-of", option=option, allowed=ALLOWED, value=text)


def parse_protected(given: Any) -> tuple[Rule, ...]:
    """Parses the value of `protect`: globs of files, or conditions such as where:COLUMN=VALUE.

    >>> parse_protected(["clean/*", "where:checked=true"])[0]
    Rule(name='source', subject='clean/*', operator='', value='')
    """
    names = check_names("protect", given)
    if not names or not all(names):
        raise InvalidOption("empty-option", option="protect")
    known = ("where:", "source:")
    return tuple(parse_rule(text, "protect") if text.startswith(known) else Rule("source", text) for text in names)
