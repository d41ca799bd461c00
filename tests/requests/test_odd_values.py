"""Values that no option, table or file can have are refused as our own errors, never as those of other code."""

from __future__ import annotations

import inspect
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.planning.plan import Plan
from tests.refusals import refused

TEXTS = ["the quick brown fox jumps over the lazy dog", "the quick brown fox jumps over the lazy dog again"]
PEOPLE = [{"id": "1", "name": "ann lee", "city": "bonn"}, {"id": "2", "name": "ann lee", "city": "bonn"}]

VERBS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "find_pairs": ((TEXTS,), {}),
    "dedupe": ((TEXTS,), {}),
    "join": ((TEXTS, TEXTS), {}),
    "nearest": ((np.eye(4, dtype=np.float32),), {}),
    "frequent_pairs": (([["a", "b"], ["a", "b"]],), {"support": 2}),
    "resolve": ((PEOPLE,), {}),
    "stories": ((TEXTS,), {}),
    "plagiarism": ((TEXTS,), {}),
    "contamination": ((TEXTS, TEXTS), {}),
}

ODD = {
    "70 bits": 2**70,
    "5,001 digits": 10**5000,
    "a zero byte": "x\0y",
    "a surrogate": "\ud800",
    "5,000 characters": "9" * 5000,
    "bytes": b"x",
}


@pytest.mark.parametrize("verb", VERBS)
def test_an_odd_value_of_an_option_is_accepted_or_refused(verb: str, tmp_path: Path, monkeypatch: Any) -> None:
    """10**5000 cannot even be printed, and 2**70 fits into no integer of the kernel."""
    monkeypatch.chdir(tmp_path)
    call, (arguments, needed) = getattr(la, verb), VERBS[verb]
    options = [one.name for one in inspect.signature(call).parameters.values() if one.kind is one.KEYWORD_ONLY]
    for option, (name, value) in itertools.product(options, ODD.items()):
        try:
            call(*arguments, **{**needed, option: value})
        except LookalikeError as error:
            error.notice.render()
        except Exception as error:
            raise AssertionError(f"{verb}({option}=…), {name}") from error


@pytest.mark.parametrize(
    "data",
    [
        [2**70],
        {2**70: "a", 1: "b"},
        [{"id": 2**70, "text": "a"}],
        [{"id": 10**5000, "text": "a"}],
        [{"other": [2**70], "text": "a"}, {"other": [1.5], "text": "b"}],
        [[2**70, 1], [1]],
        ["a\0b", "\ud800"],
        "a\0b.jsonl",
        "\ud800.jsonl",
        pd.DataFrame({"id": [2**70, 1], "text": ["a", "b"]}),
        pd.Series([2**70]),
    ],
    ids=lambda data: type(data).__name__,
)
@pytest.mark.parametrize("verb", ["find_pairs", "dedupe", "join", "nearest", "resolve", "plagiarism"])
def test_odd_data_is_read_or_refused(verb: str, data: Any, tmp_path: Path) -> None:
    for options in ({}, {"id": "id"}):
        try:
            found = getattr(la, verb)(*(data, data) if verb == "join" else (data,), **options)
            found.to_arrow()
            found.save(tmp_path / "saved", force=True)
        except LookalikeError as error:
            error.notice.render()


def test_numbers_of_many_digits_in_plans_and_settings_are_refused(tmp_path: Path) -> None:
    for text in (f"hashes = {'9' * 5000}", f"hashes = {'[' * 5000}"):
        with refused("plan-not-toml"):
            Plan.from_toml(text)
        (tmp_path / "settings.toml").write_text(text, encoding="utf-8")
        with refused("settings-not-toml"):
            la.resolve(PEOPLE, settings=tmp_path / "settings.toml")
    settings = la.resolve(PEOPLE).settings.to_toml()
    for name in ("threshold", "top"):
        (tmp_path / "settings.toml").write_text(f"{name} = {10**400}\n" + settings, encoding="utf-8")
        with pytest.raises(LookalikeError):
            la.resolve(PEOPLE, settings=tmp_path / "settings.toml")


def test_numbers_that_no_float_can_represent_are_refused() -> None:
    for call in (
        la.Cost,
        la.GaussianLines,
        lambda value: la.tune(threshold=value),
        lambda value: la.Plan(recall=value),
    ):
        with pytest.raises(LookalikeError):
            call(10**5000)
    with refused("not-a-size"):
        la.find_pairs(TEXTS, memory="9" * 30)
    with refused("number-too-large", option="threshold"):
        la.find_pairs(TEXTS, threshold=10**5000)
