"""One declaration per verb: its signature, its help and the plan follow from it."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

import lookalike as la
from lookalike import api
from lookalike.apps import fingerprints
from lookalike.engines.registry import OPTIONS
from lookalike.flow import Chars
from lookalike.planning.plan import Plan
from lookalike.requests import applications, clustering, reading, records, shared, verbs
from lookalike.requests.option import PlanOption, declared
from tests.refusals import refused

REQUESTS: dict[str, type[Any]] = {
    "audit": verbs.Audit,
    "compare": verbs.Compare,
    "contamination": verbs.Contamination,
    "dedupe": clustering.Dedupe,
    "find_clusters": clustering.FindClusters,
    "find_pairs": verbs.FindPairs,
    "images.find_pairs": applications.FindPictures,
    "images.nearest": applications.NearestPictures,
    "forecast": verbs.Forecast,
    "frequent_pairs": verbs.FrequentPairs,
    "join": verbs.Join,
    "link": records.Link,
    "match_prints": applications.MatchPrints,
    "nearest": verbs.Nearest,
    "plagiarism": applications.Plagiarism,
    "resolve": records.Resolve,
    "resolve_plan": reading.Reading,
    "signature": verbs.Signing,
    "signatures": verbs.SignData,
    "simhash": verbs.SimHash,
    "stories": applications.Stories,
}


def function(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = attrgetter(name)(fingerprints if name == "match_prints" else la)
    return found


def test_every_verb_has_a_request() -> None:
    applications = ["images.find_pairs", "images.nearest", "link", "match_prints", "plagiarism", "resolve", "stories"]
    assert sorted(REQUESTS) == sorted([*api.__all__, *applications])


@pytest.mark.parametrize("name", REQUESTS)
def test_help_shows_every_option_with_its_default_and_one_sentence(name: str) -> None:
    parameters = inspect.signature(function(name)).parameters
    text = inspect.getdoc(function(name)) or ""
    for option, field in declared(REQUESTS[name]).items():
        default = inspect.Parameter.empty if field.required else field.option.default
        assert parameters[option].default == default
        assert re.search(rf"^    {option}( \([^)]*\))?: [A-Za-z`]", text, re.MULTILINE), option
    assert not [p for p in parameters.values() if p.kind is inspect.Parameter.VAR_KEYWORD]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_sentence_names_only_options_of_its_own_verb(name: str) -> None:
    fields = declared(REQUESTS[name])
    for option, field in fields.items():
        text = field.option.help + (field.option.shown or "")
        assert set(re.findall(r"\{@(\w+)\}", text)) <= set(fields), option
        assert re.fullmatch(r"[A-Za-z{].*[.…]", field.option.help), option


@pytest.mark.parametrize("name", REQUESTS)
def test_an_unknown_option_is_refused_with_the_one_that_was_meant(name: str) -> None:
    first, verb = next(iter(declared(REQUESTS[name]))), name.rpartition(".")[2]
    with refused("unknown-option", verb=verb, option=f"{first}x", meant=first):
        function(name)([], [], **{f"{first}x": 1})
    with refused("unknown-option", verb=verb, option="qqqq", meant=None):
        function(name)([], [], qqqq=1)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_value_that_the_type_does_not_allow_is_refused(name: str) -> None:
    for option, field in declared(REQUESTS[name]).items():
        if field.choices:
            with refused("not-one-of", option=option, value="qqqq"):
                function(name)([], [], **{option: "qqqq"})


def test_none_is_the_default() -> None:
    everything: dict[str, Any] = dict.fromkeys(declared(clustering.Dedupe))
    texts = ["the cat sat on the mat", "The cat sat on the mat."]
    assert la.dedupe(texts, **everything).kept_rows.tolist() == la.dedupe(texts).kept_rows.tolist() == [0]


def test_arguments_may_be_given_by_name() -> None:
    assert la.join(right=[["a"]], left=[["a"]]).top() == [(0, 0, 1.0)]


def test_a_required_option_is_asked_for() -> None:
    with refused("missing-option", verb="frequent_pairs", option="support"):
        la.frequent_pairs([["a", "b"]])  # type: ignore[call-arg]


def test_the_plan_has_the_entries_and_defaults_of_the_declaration() -> None:
    fields = {**declared(shared.Planning), **declared(shared.Linkage)}
    assert all(isinstance(field.option, PlanOption) for field in fields.values())
    defaults = {name: field.option.default for name, field in fields.items()}
    of_shingles = {name: defaults.pop(name) for name in fields if hasattr(Chars(5), name)}
    assert Chars(5, **of_shingles) == Chars(5)
    assert defaults.keys() == {field.name for field in dataclasses.fields(Plan)} - {"goal", "contained", "copies"}
    assert defaults.pop("linkage") == "connected" and Plan().linkage is None, "the default depends on the verb"
    assert Plan(**defaults) == Plan()
    assert declared(clustering.Dedupe)["linkage"].option.default == "star"


def test_options_that_have_no_effect_are_not_offered() -> None:
    assert "linkage" in declared(clustering.Dedupe) and "linkage" in declared(verbs.Forecast)
    assert "linkage" not in declared(verbs.FindPairs)
    assert not {"linkage", "verify", "ignore_common"} & declared(verbs.Compare).keys()
    with refused("unknown-option", verb="find_pairs", option="linkage"):
        la.find_pairs(["a"], linkage="star")  # type: ignore[call-arg]


def test_every_option_of_an_engine_is_declared_with_its_type() -> None:
    fields = dict(declared(shared.OnEngine))
    del fields["engine"]
    assert {name: field.type for name, field in fields.items()} == {
        name: option.type for name, option in OPTIONS.items()
    }


def test_options_that_do_not_apply_to_vectors_are_refused() -> None:
    with refused("not-for-vectors", option="hashes"):
        la.find_pairs([[1.0, 2.0]], measure="cosine", threshold=0.5, hashes=64)
    with refused("not-for-vectors", option="engine"):
        la.find_pairs([[1.0, 2.0]], measure="cosine", threshold=0.5, engine="spark")
