"""The renderer: the syntax of templates, for each kind of reader. Only these tests compare sentences."""

from __future__ import annotations

import pickle
import string
from pathlib import Path
from typing import Any, is_typeddict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import errors
from lookalike.cli import command_options
from lookalike.notices import Notice
from lookalike.notices.messages import Message, catalogue
from lookalike.notices.naming import command_line, http, python
from lookalike.requests import applications, clustering, indexes, reading, records, service, shared, verbs


@pytest.fixture
def template(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Renders a template that a test passes."""

    def rendered(text: str, /, **values: Any) -> str:
        monkeypatch.setitem(catalogue(), "test", Message("detail", text))
        return str(Notice("test", **values))

    return rendered


def test_an_option_is_named_as_its_reader_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "{@on_error}, {@method=lsh}, {@resume=True}, {@bag=False}, {@k=5}, {@recall=0.9}, {option:@}"
    monkeypatch.setitem(catalogue(), "test", Message("detail", text))
    notice = Notice("test", option="test_id")
    assert notice.render(python) == 'on_error=, method="lsh", resume=True, bag=False, k=5, recall=0.9, test_id='
    assert notice.render(command_line) == "--on-error, --method lsh, --resume, --no-bag, --k 5, --recall 0.9, --test-id"
    assert (
        notice.render(http)
        == '"on_error", "method": "lsh", "resume": true, "bag": false, "k": 5, "recall": 0.9, "test_id"'
    )


def test_lists_counts_and_sizes(template: Any) -> None:
    assert template("{x:list}", x=["a", "b"]) == "a, b"
    assert template("{x:or}", x=["a", "b", "c"]) == "a, b or c"
    assert template("{x:and}", x=["a"]) == "a"
    assert template("{x:clauses}", x=["a, b", "c"]) == "a, b; c"
    assert template("{x:quoted}", x=["a", "b" * 70]) == f"'a', '{'b' * 59}…'"
    assert template("{x:quoted}", x=[]) == "none"
    assert template("{x:quoted}", x=list("abcdefghijklmnopqrstuvw")).endswith("'t' and 3 more")
    assert template("{x!r}", x=[1, ["a"]]) == "[1, ['a']]"  # a notice stores lists as tuples
    assert template("{x:n document}", x=1) == "1 document"
    assert template("{x:n document}", x=2000) == "2,000 documents"
    assert template("{x:n entry/entries}", x=0) == "0 entries"
    assert template("{x:bytes}", x=3 << 29) == "1.5 GiB"
    assert template("{x:,}", x=12345) == "12,345"


def test_numbers_of_numpy_are_numbers(template: Any) -> None:
    assert template("{x:g} {y:,} {z!r}", x=np.float32(0.5), y=np.int64(1234), z=np.bool_(True)) == "0.5 1,234 True"


def test_an_optional_part_is_left_out_when_its_value_is_missing(template: Any) -> None:
    text = "no{x}[[; did you mean {meant!r}?]]"
    assert template(text, x=1, meant=None) == "no1"
    assert template(text, x=1, meant="y") == "no1; did you mean 'y'?"


def test_a_notice_inside_another_is_rendered_for_the_same_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue(), "outer", Message("detail", "cannot: {reason}"))
    inner = Notice("not-a-path", option="out", type="int")
    assert Notice("outer", reason=inner).render(command_line) == "cannot: --out must be a path, got int"


@given(st.text())
def test_values_never_break_the_line(value: str) -> None:
    assert str(Notice("not-a-path", option="out", type=value)).splitlines() in (
        [],
        [str(Notice("not-a-path", option="out", type=value))],
    )


class Odd:
    """Something that can neither be pickled nor written as JSON."""

    def __repr__(self) -> str:
        return "<odd>"

    def __reduce__(self) -> Any:
        raise TypeError


VALUES = [3, 0.1, True, None, "text", ("a", 2), Odd(), Notice("not-a-path", option="o", type=Odd())]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_notices_and_errors_travel(value: Any) -> None:
    """Through pickle, as between processes, and through JSON, as over HTTP and Spark."""
    notice = Notice("not-true-or-false", option="bag", value=value)
    error = errors.InvalidOption("not-true-or-false", option="bag", value=value)
    assert pickle.loads(pickle.dumps(notice)) == Notice.from_dict(notice.to_dict()) == notice
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.notice, str(copy)) == (type(error), error.notice, str(error))


def test_an_error_prints_as_the_code_that_makes_it() -> None:
    error = errors.InvalidOption("not-a-path", option="out", type="int")
    assert repr(error) == "InvalidOption('not-a-path', option='out', type='int')"
    assert str(error) == "out= must be a path, got int"


class Unprintable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError


CIRCULAR: list[object] = []
CIRCULAR.append(CIRCULAR)


ODD = [Path, CIRCULAR, Unprintable(), 10**5000, list(range(100_000)), b"x", Path("a")]


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
def test_any_value_makes_a_short_message(value: object) -> None:
    """An error about an odd value must not fail itself: neither when it is made, nor when it is printed."""
    error = errors.InvalidOption("not-true-or-false", option="bag", value=value)
    assert 0 < len(str(error)) < 300
    assert pickle.loads(pickle.dumps(error)).notice == error.notice


def test_a_notice_of_a_newer_version_is_shown_as_code_and_values() -> None:
    """A saved result may have a warning that this version does not know, or one whose values have changed."""
    assert str(Notice.from_dict({"code": "not-known-here", "values": {"a": 1}})) == "not-known-here {'a': 1}"
    assert str(Notice("not-true-or-false", option="bag")) == "not-true-or-false {'option': 'bag'}"


def test_every_option_in_a_message_is_an_option_of_a_verb_or_command() -> None:
    """Once, messages advised options of the command line that had been renamed."""
    known = {"traceback", "help", "similarities"}  # of every command; of the curves of families
    for module in (reading, shared, verbs, clustering, indexes, applications, records, service, command_options):
        for thing in vars(module).values():
            if is_typeddict(thing):
                known |= thing.__annotations__.keys()
    named = {
        field[1:].partition("=")[0]
        for message in catalogue().values()
        for _, field, _, _ in string.Formatter().parse(message.text.replace("[[", "").replace("]]", ""))
        if field and field.startswith("@")
    }
    assert named - known == set()
