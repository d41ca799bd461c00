"""The answers of some 370 runs, frozen as digests: structure, names and speed may change, answers may not.

A digest is a hash of the column names, types and values of everything that a run returns or writes, in order (see
`digest.py`). The runs cover all verbs and commands, both engines, all measures, kinds of shingles and input formats.

With the digests, code can be rearranged safely. They show that an answer has changed, not that it is wrong; other tests
check what is right. If a run fails here after a change that was not meant to change answers, that change is at fault.
To see what differs, print the answer before and after, and compare:

    python -m tests.answers.take --show "pairs, texts, words:5"

Retake the digests only in a commit that changes answers on purpose, or that adds runs; its message lists what changed
and why, which the command prints:

    python -m tests.answers.take

The digests do not depend on the machine, the number of threads, the hash seed of Python or the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.answers.data import Data
from tests.answers.digest import digest
from tests.answers.runs import PARTS, RUNS
from tests.answers.take import data_in_folder, load

DIGESTS = load()


@pytest.fixture(scope="module")
def data() -> Iterator[Data]:
    with data_in_folder() as made:
        yield made


@pytest.mark.parametrize("name", RUNS)
def test_the_answer_is_the_same_as_before(name: str, data: Data) -> None:
    assert digest(RUNS[name](data)) == DIGESTS.get(name)


def test_every_digest_has_its_run_and_every_run_its_digest() -> None:
    assert list(DIGESTS) == list(RUNS)


def test_no_two_runs_have_the_same_name() -> None:
    assert len(RUNS) == sum(len(part.RUNS) for part in PARTS)


def test_no_run_is_without_an_answer() -> None:
    """The digest of an empty table would not change if something went wrong."""
    assert [name for name, taken in DIGESTS.items() if taken.startswith("0 values")] == []
