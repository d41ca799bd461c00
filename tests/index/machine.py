"""Any sequence of changes of an index, and what it contains after them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from lookalike.index.index import Index
from lookalike.planning.plan import Plan
from lookalike.testing.comparing import same
from lookalike.testing.index_contents import Contents
from lookalike.testing.indexes import OF_LISTS, PLAN, WITHOUT_TEXTS, WORDS, Create, SmallParts, add

SOME_WORDS = st.lists(st.sampled_from(WORDS[:8]), max_size=8)

Backend = Callable[[Path], Create]
"""A function that takes a folder, and returns a function that creates indexes there."""

CHOICES = st.lists(st.integers(0, 99), min_size=1, max_size=6)
"""Numbers, from which known documents are chosen."""


class Changes(RuleBasedStateMachine):
    """Changes an index on a backend in any order. The index must answer like a run over its documents."""

    backend: tuple[Backend]

    def __init__(self) -> None:
        super().__init__()
        self.contents, self.number = Contents(), 0
        self.folder = TemporaryDirectory()
        self.text_ids = self.has_tokens = False

    @initialize(text_ids=st.booleans(), plan=st.sampled_from([PLAN, WITHOUT_TEXTS, OF_LISTS]), contain=st.booleans())
    def create(self, text_ids: bool, plan: Plan, contain: bool) -> None:
        contain &= plan is not WITHOUT_TEXTS
        self.open = self.backend[0](Path(self.folder.name))(plan, contain=contain)
        self.text_ids, self.has_tokens = text_ids, plan is OF_LISTS
        self.index = self._opened()
        self.reader = self._opened()

    def _opened(self) -> Index:
        return Index(SmallParts(self.open()), threads=2)

    def _new_id(self) -> Any:
        self.number += 1
        return f"n{self.number}" if self.text_ids else self.number

    def _known(self, choices: list[int]) -> list[Any]:
        ids = list(self.contents.texts)
        return list(dict.fromkeys(ids[choice % len(ids)] for choice in choices)) if ids else []

    def _text(self, words: list[str], like: int) -> Any:
        """A new text (or list) or, more often, one like a known one."""
        known = self._known([like])
        if known and like % 3:
            old = self.contents.texts[known[0]]
            old = old if self.has_tokens else old.split()
            words = old[: max(len(old) - len(words) // 3, 1)] + words[: len(words) // 4]
        return self._document(words)

    def _document(self, words: list[str]) -> Any:
        return words if self.has_tokens else " ".join(words)

    @rule(new=st.lists(st.tuples(SOME_WORDS, st.integers(0, 99)), min_size=1, max_size=8), bulk=st.booleans())
    def adds(self, new: list[tuple[list[str], int]], bulk: bool) -> None:
        add(self.index, {self._new_id(): self._text(*one) for one in new}, bulk=bulk, contents=self.contents)

    @precondition(lambda self: len(self.contents) > 0)
    @rule(choices=CHOICES, words=SOME_WORDS, bulk=st.booleans())
    def replaces(self, choices: list[int], words: list[str], bulk: bool) -> None:
        texts = {id: self._text(words, choice) for id, choice in zip(self._known(choices), choices, strict=False)}
        add(self.index, texts, bulk=bulk, contents=self.contents)

    @rule(words=SOME_WORDS, like=st.integers(0, 99), known=st.booleans())
    def adds_if_new(self, words: list[str], like: int, known: bool) -> None:
        text = self._text(words, like)
        ids = self._known([like]) if known else []
        id = ids[0] if ids else self._new_id()
        found = self.index.query([text]).right.to_pylist()
        duplicate = self.index.add_if_new(text, id=id)
        if duplicate is None:
            same("add_if_new: nothing similar", 0, len(found))
            self.contents.put({id: text})
        else:
            ids = list(self.contents.texts)
            same("add_if_new: the first", min(found, key=ids.index), duplicate.id)

    @precondition(lambda self: len(self.contents) > 0)
    @rule(choices=CHOICES)
    def deletes(self, choices: list[int]) -> None:
        ids = self._known(choices)
        same("delete", self.contents.remove(ids), self.index.delete(ids))

    @precondition(lambda self: self._can("fold"))
    @rule()
    def folds(self) -> None:
        with self.index.store.writing():
            store: Any = self.index.store
            store.fold()

    @precondition(lambda self: hasattr(self.index, "compact"))
    @rule()
    def compacts(self) -> None:
        index: Any = self.index
        index.compact()

    @rule()
    def settles(self) -> None:
        self.index.clusters()

    @rule()
    def opens_again(self) -> None:
        self.index.close()
        self.index = self._opened()

    @invariant()
    def holds_its_documents(self) -> None:
        same("len", len(self.contents), len(self.index))

    @rule(words=SOME_WORDS)
    def answers(self, words: list[str]) -> None:
        self.contents.compare(self.index, [self._document(words)])

    @rule()
    def another_process_reads(self) -> None:
        """A reader that has been open all the time sees the same."""
        self.contents.compare(self.reader)

    def _can(self, method: str) -> bool:
        return hasattr(self.index.store, method)

    def teardown(self) -> None:
        try:
            if hasattr(self, "index"):
                self.contents.compare(self.index)
                self.index.verify()
        finally:
            for index in (getattr(self, "reader", None), getattr(self, "index", None)):
                if index is not None:
                    index.close()
            self.folder.cleanup()
