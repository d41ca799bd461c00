"""Workers sign pieces of the input while the first pass uses their results."""

from __future__ import annotations

from itertools import count

import pytest

from lookalike.engines.local.engine import Local
from lookalike.engines.stages.first_pass import RowSigner, sign_source
from lookalike.engines.stages.memory import Allowance
from lookalike.flow import Documents
from lookalike.flow.progress import silent
from lookalike.kernel import Kernel
from lookalike.kernel.pruning import Census
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.planning.survey import resolve_on_source
from lookalike.storage.budget import Budget
from lookalike.testing import Rows
from lookalike.work.text_store import TextStore


def test_a_worker_may_drop_the_census_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a census, an exact join only leaves out fewer documents."""
    monkeypatch.setattr("lookalike.engines.stages.pruning.FEW", 0)  # also count the shingles of few documents
    monkeypatch.setattr("lookalike.engines.stages.first_pass.FEW", 0)
    reads = 0

    class Dropping(RowSigner):
        """Drops the census as soon as it was read, at every other read."""

        kept: Census | None = None

        @property
        def census(self) -> Census | None:
            nonlocal reads
            reads += self.kept is not None
            return self.kept if reads % 2 else None

        @census.setter
        def census(self, census: Census | None) -> None:
            self.kept = census

    source = Rows([f"text {i} has the words {i % 7} and {i % 11}" for i in range(200)], batch_rows=3)
    engine, plan = Local(threads=2), Plan(method="exact")
    found = {}
    for kind in (RowSigner, Dropping):
        signer = kind(engine, plan, source, silent, Allowance.of(Budget.of(None), 2))
        rows = sign_source(signer, TextStore(source, 1 << 20)).rows
        assert rows is not None
        found[kind] = rows.sketches.words.tolist()
    assert reads > 100
    assert found[Dropping] == found[RowSigner]


def test_ids_count_while_signed_rows_wait() -> None:
    source = Rows(["some words"] * 5, ids=[f"{i} " + "x" * 1000 for i in range(5)])
    engine, plan = Local(), Plan(method="lsh")
    signer = RowSigner(engine, plan, source, silent, Allowance.of(Budget.of(None)))
    resolved = resolve_on_source(plan, source, engine)
    (lane,) = source.lanes(["text", "id"])
    signed = [signer._sign(engine.kernel, resolved, TextStore(source, 0), count(), piece) for piece in lane]
    assert sum(some.nbytes for some in signed) > 5000


def test_the_share_to_count_follows_from_more_than_the_first_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a million pages, the first batch has 1,400. Among these, far fewer shingles seem to be unique."""
    looked_at: list[list[str]] = []

    def start(kernel: Kernel, resolved: ResolvedPlan, documents: Documents, rows: int) -> None:
        looked_at.append(documents.texts.to_pylist())

    monkeypatch.setattr("lookalike.engines.stages.first_pass.start_census", start)
    texts = [f"text {i} has {i % 7} and {i % 11}" for i in range(6000)]
    source = Rows(texts, batch_rows=1000)
    for ahead, rows in ((1 << 30, 5000), (100_000, 2000)):
        allowance = Allowance.of(Budget.of(None), 2)
        object.__setattr__(allowance, "ahead", ahead)
        signer = RowSigner(Local(threads=2), Plan(method="exact"), source, silent, allowance)
        signed = sign_source(signer, TextStore(source, 1 << 20)).rows
        assert signed is not None and len(signed.sketches.words) == 6000
        assert looked_at.pop() == texts[:rows]
