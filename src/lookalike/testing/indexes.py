"""Checks the contract of backends of an index: whatever was done to an index, it answers like a run over its documents.

After each change, everything that a store returns is compared with the same in plain Python, and answers and clusters
with those of `find_pairs` and `find_clusters` over the same documents.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

import pyarrow as pa

from lookalike.api import dedupe
from lookalike.errors import LookalikeError, WorkTaken
from lookalike.flow import Tokens, Words
from lookalike.index.creating import plan_of
from lookalike.index.ids import as_ids
from lookalike.index.index import Index
from lookalike.index.store import Bulk, Store
from lookalike.planning.plan import Plan
from lookalike.testing.comparing import same
from lookalike.testing.engines import Rows
from lookalike.testing.index_contents import Contents, Id

Open = Callable[[], Store]
"""A function that opens an index."""


class Create(Protocol):
    """A function that creates an empty index, and returns a function that opens it."""

    def __call__(self, plan: Plan, *, contain: bool = False) -> Open: ...


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda my".split()

PLAN = plan_of(None, {"shingles": Words(2, key=2**63 + 5), "threshold": 0.5, "seed": 7})

WITHOUT_TEXTS = plan_of(None, {"shingles": Words(2, key=1), "threshold": 0.5, "seed": 9}, texts=False)

OF_LISTS = plan_of(None, {"shingles": Tokens(1, key=3), "threshold": 0.5, "seed": 4})


def check_index(create: Create, *, seed: int = 0) -> None:
    """Compares an index on a backend with runs over the same documents, after each of many changes.

    `create` makes an empty index with a plan, which finds passages if `contain` is true. It returns a function that
    opens the index, each time as another process would.
    Raises AssertionError at the first difference.
    """
    for text_ids in (False, True):
        _check_changes(create(PLAN, contain=text_ids), random.Random(seed), text_ids)
    _check_changes(create(WITHOUT_TEXTS), random.Random(seed), text_ids=False)
    _check_changes(create(OF_LISTS, contain=True), random.Random(seed), text_ids=False, kind=str.split)
    _check_new(create(PLAN), random.Random(seed + 1))
    for contain in (False, True):
        _check_large_buckets(create(PLAN, contain=contain))
    _check_failures(create(PLAN))
    _check_readers(create(PLAN))
    _check_writers(create(PLAN))


class SmallParts:
    """A store whose bulk adds have parts of a few rows."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def __len__(self) -> int:
        return len(self._store)

    def start_bulk(self, *, text_ids: bool, most_bytes: int) -> Bulk:
        return self._store.start_bulk(text_ids=text_ids, most_bytes=min(most_bytes, 300))


@contextmanager
def opened(open: Open) -> Iterator[Index]:
    """An open index, to which many documents are added in several parts."""
    with Index(SmallParts(open()), threads=2) as index:
        yield index


def add(index: Index, documents: dict[Any, str], *, bulk: bool, contents: Contents) -> None:
    """Adds documents with their ids, and puts them into the contents."""
    rows = Rows(list(documents.values()), as_ids(list(documents)), batch_rows=4)
    rows.in_memory = not bulk
    if not documents:  # a column of ids has no type then
        return
    added = index.add(rows)
    same("add: replaced", contents.put(documents), added.replaced)
    same("add: ids", list(documents), added.ids.to_pylist())


def some_text(rng: random.Random, known: list[str]) -> str:
    """Returns a text: often a copy of a known one, or one with a few other words; sometimes an empty one."""
    words = rng.choice(known).split() if known and rng.random() < 0.6 else rng.choices(WORDS, k=rng.randrange(12))
    for _ in range(rng.randrange(3)):
        if words:
            words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words)


def _check_changes(open: Open, rng: random.Random, text_ids: bool, kind: Callable[[str], Any] = str) -> None:
    """Adds, replaces and deletes documents at random, and opens the index again from time to time.

    `kind` makes a document of a text.
    """
    contents, number, known = Contents(), 0, list[str]()
    others = [kind(text) for text in ("alpha beta gamma", "", "no words of these")]
    index = Index(SmallParts(open()), threads=2)
    for step in range(12):
        documents: dict[Any, str] = {}
        for _ in range(rng.choice([1, 3, 20])):
            id: Id
            if contents.texts and rng.random() < 0.3:
                id = rng.choice(list(contents.texts))
            else:
                id = f"n{number}" if text_ids else number
                number += 1
            known.append(some_text(rng, known))
            documents[id] = kind(known[-1])
        add(index, documents, bulk=rng.random() < 0.4, contents=contents)
        if step % 3 == 2:
            gone = rng.sample(list(contents.texts), min(len(contents), rng.randrange(8)))
            same("delete", contents.remove(gone), index.delete(gone * 2))
        if step % 4 == 3:
            index.close()
            index = Index(SmallParts(open()), threads=2)
        contents.compare(index, others)
    if not text_ids:
        more = [kind("one more"), kind("alpha beta")]
        assigned = index.add(more).ids.to_pylist()
        same("add: ids that are assigned", [number, number + 1], assigned)
        contents.put(dict(zip(assigned, more, strict=True)))
    index.verify()
    index.delete(list(contents.texts))
    contents.remove(list(contents.texts))
    contents.compare(index)
    index.close()


def _check_new(open: Open, rng: random.Random) -> None:
    """Adds only what is new, like `dedupe` with the survivor rule first."""
    texts: list[str] = []
    for _ in range(40):
        texts.append(some_text(rng, texts))
    contents = Contents()
    with opened(open) as index:
        for number, text in enumerate(texts):
            if index.add_if_new(text, id=number) is None:
                contents.put({number: text})
        same("add_if_new", dedupe(texts, plan=index.plan, keep="first").kept_rows.tolist(), list(contents.texts))
        contents.compare(index, texts)


def _check_large_buckets(open: Open) -> None:
    """Adds and deletes near-copies, which share all buckets, in parts and one by one."""
    base = [f"w{n}" for n in range(30)]
    family = {n: " ".join([*base[: n % 29], f"x{n}", *base[n % 29 + 1 :]]) for n in range(120)}
    first, contents = {n: family[n] for n in range(80)}, Contents()
    with opened(open) as index:
        add(index, first, bulk=True, contents=contents)
        add(index, {n: family[n] for n in range(80, 120)}, bulk=False, contents=contents)
        contents.compare(index, [" ".join(base)])
        gone = list(range(0, 120, 3))
        same("delete", contents.remove(gone), index.delete(gone))
        contents.compare(index)


def _check_failures(open: Open) -> None:
    """Whatever fails changes nothing."""
    contents = Contents()
    with opened(open) as index:
        add(index, {1: "one two three", 2: "two three four"}, bulk=True, contents=contents)
        twice = Rows(["five six"] * 9, [5, 6, 7, 8, 9, 10, 11, 12, 5], batch_rows=2)
        for bulk in (True, False):
            twice.in_memory = not bulk
            _refused("the same id twice", lambda: index.add(twice))
            contents.compare(index, ["five six"])
        _refused("ids of another type", lambda: index.add({"a": "one"}))
        try:
            with index.store.writing():
                index.store.reserve()
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            contents.compare(index)
        add(index, {3: "one two three four"}, bulk=False, contents=contents)
    with opened(open) as index:
        contents.compare(index)


def _check_readers(open: Open) -> None:
    """A reader sees one state during a turn, and what others committed in the next one."""
    contents = Contents()
    with opened(open) as writer, opened(open) as reader:
        contents.compare(reader)
        add(writer, {1: "one two three", 2: "seven eight"}, bulk=True, contents=contents)
        contents.compare(reader)
        with reader.store.reading():
            seen = reader.store.all_rows().tolist()
            add(writer, {3: "one two three four"}, bulk=False, contents=contents)
            same("writer.delete", contents.remove([1]), writer.delete(1))
            same("all_rows, in the same turn for reading", seen, reader.store.all_rows().tolist())
            texts = reader.store.texts_of(reader.store.all_rows()).to_pylist()
            same("texts_of, in the same turn for reading", ["one two three", "seven eight"], texts)
        contents.compare(reader)
        writer.clusters()
        contents.compare(reader)


def _check_writers(open: Open) -> None:
    """Of several writers at the same time, all succeed if the backend says so, and otherwise only one may write."""
    with opened(open) as one, opened(open) as other:
        one.add(pa.table({"id": [0], "text": ["first"]}), id="id")
        if not one.store.many_writers:
            try:
                other.add_if_new("second", id=1)
            except WorkTaken:
                same("documents of the only writer", ["first"], [row["text"] for row in other])
                return
            raise AssertionError("writing: expected WorkTaken, since another process has the index open for writing")

        def adds(index: Index) -> list[Any]:
            return [index.add_if_new(f"the text number {n} that both add at once") for n in range(20)]

        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(adds, [one, other]))
        added = [sum(answers[n] is None for answers in found) for n in range(20)]
        texts = [row["text"] for row in one if row["text"] != "first"]
        same("add_if_new by two writers: documents, each once", len(set(texts)), len(texts))
        same("add_if_new by two writers: the number that was added", len(texts), sum(added))


def _refused(about: str, call: Callable[[], Any]) -> None:
    try:
        call()
    except LookalikeError:
        return
    raise AssertionError(f"{about}: expected an error")
