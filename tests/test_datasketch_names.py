"""Names, attributes and options of datasketch are answered with what to use instead."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import lookalike as la
from lookalike.notices import datasketch
from tests.refusals import refused


@pytest.mark.parametrize("name", sorted(datasketch.NAMES))
def test_a_class_of_datasketch_is_answered_with_a_verb(name: str) -> None:
    with pytest.raises(AttributeError, match=f"{name!r}, which is a name from datasketch. Use ") as error:
        getattr(la, name)
    verb = datasketch.NAMES[name].split()[0].rstrip(",")
    assert callable(getattr(la, verb)) and verb in str(error.value) and not hasattr(la, name)


@pytest.mark.parametrize("name", sorted(datasketch.ATTRIBUTES))
def test_an_attribute_of_its_minhash_is_answered(name: str) -> None:
    for owner in (la.signature(["a"]), la.MinHash()):
        with pytest.raises(AttributeError, match=f"{name!r}, which is a name from datasketch. Use "):
            getattr(owner, name)
        assert not hasattr(owner, name)
    instead = datasketch.ATTRIBUTES[name]
    assert " " in instead or instead == "len" or hasattr(la.Signature, instead)


def test_other_names_have_the_usual_error() -> None:
    name = "nothing"
    for owner in (la, la.signature(["a"]), la.MinHash()):
        with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
            getattr(owner, name)


def test_options_of_its_minhash_are_answered_and_others_are_not() -> None:
    options: dict[str, Any] = {"num_perm": 128, "seed": 1}
    with refused("minhash-of-datasketch", option="num_perm="):
        la.MinHash(**options)
    with pytest.raises(TypeError, match="nothing"):
        la.MinHash(nothing=1)  # type: ignore[call-arg]
    assert list(inspect.signature(la.MinHash).parameters) == ["sketch"]


def test_families_and_signatures_are_still_copied_and_pickled() -> None:
    for value in (la.MinHash("classic").and_(5), la.signature(["a"])):
        assert copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
