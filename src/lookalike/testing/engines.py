"""Checks the contract of engines: they give the same answers as the reference engine, bit for bit.

Shingles, signatures, candidates, pairs and clusters must be equal, from the arrows and from `run`, for any batch size
of the source.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.base import Answer, Engine
from lookalike.engines.reference.engine import Reference
from lookalike.flow import Candidates, Chars, Documents, Shingles, Signatures, Stopwords, Symbols, Tokens, Words
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Batch, Lanes, Piece
from lookalike.notices import Notice
from lookalike.planning.plan import Method, Plan
from lookalike.planning.resolve import Statistics
from lookalike.planning.survey import resolve_on_source
from lookalike.results.clusters import Clusters
from lookalike.results.pairs import Pairs
from lookalike.storage.parts import MemoryParts
from lookalike.testing.comparing import same, same_array


class Rows:
    """An in-memory source of texts or lists of tokens, which is read in batches of `batch_rows` rows."""

    column = "text"
    in_memory = cheap_to_reread = True
    reader_bytes = 0
    malformed = 0
    warnings: tuple[Notice, ...] = ()

    def __init__(self, texts: Sequence[Any], ids: Sequence[Any] | None = None, batch_rows: int = 1000) -> None:
        self.name = f"{len(texts):,} rows in memory"
        self.id = None if ids is None else "id"
        data = {"text": Documents.from_texts(texts).texts} | ({} if ids is None else {"id": pa.array(ids)})
        self.table = pa.RecordBatch.from_pydict(data)
        self.batch_rows = batch_rows

    @property
    def columns(self) -> list[str]:
        return list(self.table.schema.names)

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        end = self.table.num_rows if stop is None else min(stop, self.table.num_rows)
        chosen = self.table.select(list(columns or self.columns))
        for at in range(start, end, self.batch_rows):
            yield Batch(at, chosen.slice(at, min(self.batch_rows, end - at)))

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read(["text"], start, stop):
            yield Documents(batch.data.column("text"), batch.start)

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        return [[Piece.of(batch)] for batch in self.read(columns, start, stop)]

    def total_rows(self) -> int:
        return int(self.table.num_rows)

    def expected_rows(self, rows: int, bytes: int) -> int:
        return self.total_rows()

    def check_unchanged(self) -> None:
        """Does nothing: rows in memory do not change."""

    def identity(self) -> str:
        return repr(self.table.to_pydict())


@dataclass(frozen=True)
class Case:
    """A test case: a corpus and a plan for it."""

    name: str
    rows: list[Any] = field(repr=False)
    plan: Plan
    ids: list[Any] | None = field(default=None, repr=False)


SENTENCES = """
The quick brown fox jumps over the lazy dog near the river bank while the sun sets slowly behind the hills
Straße und Fluß: Übung macht den Meister, sagte der Bäcker, und das Brot wurde trotzdem nicht größer
Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί κοντά στον ποταμό και φεύγει προς το δάσος
Быстрая коричневая лиса прыгает через ленивую собаку у реки, пока солнце медленно садится за холмы
東京は日本の首都であり、世界で最も人口の多い都市圏のひとつです。春には桜が咲きます。
北京是中华人民共和国的首都，也是全国的政治和文化中心，历史悠久，人口众多。
서울은 대한민국의 수도이며 한강을 끼고 있는 오래된 도시로 많은 사람이 살고 있다
กรุงเทพมหานครเป็นเมืองหลวงและเมืองที่ใหญ่ที่สุดของประเทศไทยและมีผู้คนมากมาย
القاهرة هي عاصمة جمهورية مصر العربية وأكبر مدنها من حيث عدد السكان والمساحة وتقع على النيل
We the people ﬁnd that naïve café façades — “quoted”, l'été & co. — cost 5 €, ½ price, ①②③ 👩‍👩‍👧 e\u0301
""".strip().splitlines()

ODD = [
    "", "", None, " \t\n\u3000", "\u00ad\u200b", "!!!", "!!!", "! ! !", "…", "\u0301", "a", "A", "字", "é", "e\u0301",
    "one two", "one\u00a0two", "ONE  TWO", "the", "of the", "it is to be that",
]  # fmt: skip


def corpus(seed: int = 0, size: int = 40) -> list[str | None]:
    """Generates texts in several languages, with edited copies, identical copies and unusual texts.

    The texts depend only on the arguments.
    """
    rng = random.Random(seed)
    texts: list[str | None] = list(ODD)
    while len(texts) < size:
        sentence = rng.choice(SENTENCES)
        cut = sentence.split() if " " in sentence else list(sentence)
        for _ in range(rng.choice([0, 0, 1, 2, 5])):
            at = rng.randrange(len(cut))
            cut[at : at + rng.choice([0, 1])] = [rng.choice(cut).upper()]
        texts.append((" " if " " in sentence else "").join(cut))
    rng.shuffle(texts)
    return texts


def _lists(seed: int, size: int = 30) -> list[list[str | None]]:
    rng = random.Random(seed)
    lists: list[list[str | None]] = [[], [None], [""], ["", ""], ["A", "a"], ["a", "A"], ["two words", "b"]]
    while len(lists) < size:
        start = rng.choice([0, 0, 10])
        lists.append([str(start + i) for i in range(12) if rng.random() < 0.9])
    return lists


def _plan(threshold: str = "0.8", method: Method = "lsh", **options: Any) -> Plan:
    """Returns a plan that uses bands by default, because `auto` would join such a small corpus exactly."""
    return Plan(threshold=Threshold(threshold), method=method, **options)


def _cases() -> Iterator[Case]:
    texts = corpus()
    yield Case("the defaults", texts, Plan())
    yield Case("clusters", texts, Plan(goal="clusters"))
    yield Case("bands", texts, _plan())
    yield Case("clusters by bands", texts, _plan(goal="clusters"))
    yield Case("words", texts, _plan(shingles=Words(2), threshold="0.5"), ids=[f"#{i}" for i in range(len(texts))])
    yield Case(
        "words, nothing normalised", texts, _plan(shingles=Words(3, case="keep", normalize="none"), threshold="0.5")
    )
    yield Case("words, folded alone", texts, _plan(shingles=Words(1, normalize="none"), threshold="0.6", hashes=64))
    yield Case("words, NFKC alone", texts, _plan(shingles=Words(2, case="keep"), threshold="0.4", seed=2**64 - 1))
    yield Case("words and symbols", texts, _plan(shingles=Symbols(3), threshold="0.5"))
    yield Case("characters, white space dropped", texts, _plan(shingles=Chars(4, whitespace="drop"), threshold="0.7"))
    yield Case(
        "characters, white space kept", texts, _plan(shingles=Chars(3, whitespace="keep"), threshold="0.7", seed=1)
    )
    yield Case("long windows", texts, _plan(shingles=Chars(30), threshold="0.3"))
    yield Case("stop words", texts, _plan(shingles=Stopwords(), threshold="0.5"))
    yield Case("a key", texts, _plan(shingles=Words(2, key=2**64 - 2), threshold="0.5"))
    yield Case("own stop words", texts, _plan(shingles=Stopwords(("FOX", "und", "Straße")), threshold="0.5"))
    yield Case("bags", [*texts, "a b a b a b", "a b a b"], _plan(shingles=Words(1, bag=True), threshold="0.5"))
    yield Case("four bytes", texts, _plan(shingles=Words(2, bits=32), threshold="0.5"))
    yield Case("classic sketch", texts, _plan(shingles=Words(2), threshold="0.5", sketch="classic", hashes=60))
    yield Case("few and odd hashes", texts, _plan(shingles=Words(2), threshold="0.5", hashes=7, bands=2, rows=3))
    yield Case("one hash", texts, _plan(shingles=Words(1), threshold="0.9", hashes=1, bands=1))
    yield Case("checked by signature", texts, _plan(shingles=Words(2), threshold="0.5", verify="signature"))
    yield Case("not checked", texts, _plan(shingles=Words(2), threshold="0.5", verify="none"))
    yield Case(
        "clusters by signature", texts, _plan(goal="clusters", shingles=Words(2), threshold="0.5", verify="signature")
    )
    yield Case("clusters not checked", texts, _plan(goal="clusters", shingles=Words(2), threshold="0.5", verify="none"))
    yield Case("clusters at a low threshold", texts, _plan(goal="clusters", shingles=Chars(3), threshold="0.25"))
    yield Case("common words left out", texts, _plan(shingles=Words(1), threshold="0.3", ignore_common="0.04"))
    yield Case(
        "common words left out of bags, joined exactly",
        [*texts, "a b a b a b", "a b a b", "a c a"],
        _plan(shingles=Words(1, bag=True), threshold="0.3", method="exact", goal="clusters", ignore_common="0.02"),
    )
    stars = partial(_plan, goal="clusters", linkage="star")
    yield Case("stars", texts, stars(shingles=Words(2), threshold="0.5"))
    yield Case("stars at a low threshold", texts, stars(shingles=Chars(3), threshold="0.25"))
    yield Case("stars by signature", texts, stars(shingles=Words(2), threshold="0.5", verify="signature"))
    yield Case("stars not checked", texts, stars(shingles=Words(2), threshold="0.5", verify="none"))
    yield Case("contained", texts, stars(shingles=Words(2), threshold="0.3", contained="1"))
    yield Case("mostly contained", texts, stars(shingles=Chars(3), threshold="0.25", contained="0.7"))
    yield Case(
        "contained, by exact join", texts, _plan("0.3", "exact", goal="clusters", linkage="star", contained="0.8")
    )
    copies = partial(_plan, "1", "exact", goal="clusters", linkage="star", shingles=Words(2))
    yield Case("identical texts", [*texts, *texts[:9]], copies(copies="identical"))
    yield Case(
        "texts with the same words", [*texts, *((text or "").upper() for text in texts)], copies(copies="same-words")
    )
    yield Case("exact join", texts, _plan(shingles=Words(2), threshold="0.5", recall=1.0, method="auto"))
    yield Case("clusters by exact join", texts, _plan("0.25", "exact", goal="clusters", shingles=Chars(3)))
    yield Case("lists of tokens by exact join", _lists(2), _plan("0.6", "exact"))
    yield Case("lists of tokens by what costs less", _lists(3), _plan("0.6", "auto"))
    yield Case("lists of tokens", _lists(0), _plan(threshold="0.6"))
    yield Case("lists of tokens in twos", _lists(1), _plan(shingles=Tokens(2), threshold="0.4", goal="clusters"))
    yield Case("texts as tokens", texts, _plan(shingles=Tokens(1, bag=True), threshold="0.5"))
    yield Case("ids that repeat", texts, _plan(shingles=Words(2)), ids=[i // 2 for i in range(len(texts))])
    yield Case("one text many times", ["to be or not to be"] * 20 + texts, _plan(shingles=Words(3)))
    yield Case("nothing", [], _plan())
    yield Case("nothing but empty texts", ["", " ", None], _plan(goal="clusters"))
    yield Case("nothing, the defaults", [], Plan())
    yield Case("nothing but empty texts, the defaults", ["", " ", None], Plan(goal="clusters"))


CASES: list[Case] = list(_cases())
"""The cases that `check_engine` runs by default."""


def check_engine(engine: Engine, *, cases: Sequence[Case] = CASES, batch_rows: Sequence[int] = (1, 7, 1000)) -> None:
    """Compares the results of an engine with those of the reference engine, for each stage and for `run`.

    `run` is checked with every batch size in `batch_rows`. Raises AssertionError at the first difference.
    """
    for case in cases:
        _check_arrows(engine, case)
        expected = Reference().run(case.plan, Rows(case.rows, case.ids), MemoryParts())
        for batch in batch_rows:
            _check_run(engine, case, expected, batch)


def _check_arrows(engine: Engine, case: Case, start: int = 3) -> None:
    """Compares each arrow.

    Its input comes from the reference engine, so a wrong arrow does not make later ones fail.
    """
    reference = Reference()
    about = f"{engine.name}, {case.name}"
    documents = Documents.from_texts(case.rows, start)
    common = resolve_on_source(case.plan, Rows(case.rows), reference).shingles.ignored
    plan = case.plan.resolve(replace(Statistics.of(documents), common=common))
    shingles = reference.shingle(documents, plan)
    _same_shingles(f"{about}: shingle", shingles, engine.shingle(documents, plan))
    signatures = reference.sign(shingles, plan)
    _same_signatures(f"{about}: sign", signatures, engine.sign(shingles, plan))
    candidates = reference.propose(signatures, plan)
    _same_candidates(f"{about}: propose", candidates, engine.propose(signatures, plan))
    pairs = reference.verify(candidates, shingles, signatures, plan)
    _same_pairs(f"{about}: verify", pairs, engine.verify(candidates, shingles, signatures, plan))
    for linkage in ("connected", "star"):
        _same_clusters(f"{about}: {linkage}", reference.connect(pairs, linkage), engine.connect(pairs, linkage))


def _check_run(engine: Engine, case: Case, expected: Answer, batch_rows: int) -> None:
    about = f"{engine.name}, {case.name}, batches of {batch_rows}"
    source, parts = Rows(case.rows, case.ids, batch_rows), MemoryParts()
    for again in ("run", "a second run with the parts of the first"):
        got = engine.run(case.plan, source, parts, _progress)
        _same_result(f"{about}: {again}", expected, got)
    every = np.array(list(combinations(range(len(case.rows)), 2))[:500], dtype=np.int64).reshape(-1, 2)
    left, right = np.ascontiguousarray(every[:, 0]), np.ascontiguousarray(every[:, 1])
    whole = Rows(case.rows)
    same_array(
        f"{about}: measure",
        Reference().measure(expected.plan, whole, left, right),
        engine.measure(expected.plan, source, left, right),
    )


def _progress(stage: str, done: int, total: int | None) -> None:
    assert isinstance(stage, str), f"progress was called with stage {stage!r}"
    assert 0 <= done <= (done if total is None else total), f"progress was called with {done} of {total}"


def _same_result(about: str, expected: Answer, got: Answer) -> None:
    same(f"{about}: the resolved plan", expected.plan, got.plan)
    same(f"{about}: ids", expected.ids, got.ids)
    for name in ("pairs", "clusters"):
        a, b = getattr(expected, name), getattr(got, name)
        assert (a is None) == (b is None), f"{about}: expected {name} {'not ' if a is None else ''}to be there"
    if expected.pairs is not None and got.pairs is not None:
        _same_pairs(about, expected.pairs, got.pairs)
    if expected.clusters is not None and got.clusters is not None:
        _same_clusters(about, expected.clusters, got.clusters)
    for name in ("survivors", "similarity"):
        one, other = getattr(expected, name), getattr(got, name)
        assert (one is None) == (other is None), f"{about}: {name} must be there exactly if clusters are stars"
        if one is not None:
            same_array(f"{about}: {name}", one, other)
    if got.copy_of is not None:
        same_array(f"{about}: copy_of", expected.copy_of, got.copy_of)
    same_array(f"{about}: lengths", expected.lengths, got.lengths)
    # Engines may skip comparisons that cannot change the answer. Times may differ.
    free = {"checked", "seconds", "engine", "memory", "spilled"} | (
        {"candidates"} if got.summary.candidates is None else set()
    )
    for entry in fields(expected.summary):
        if entry.name not in free:
            name = f"{about}: summary.{entry.name}"
            same(name, getattr(expected.summary, entry.name), getattr(got.summary, entry.name))
    assert got.summary.engine == about.split(",")[0], f"{about}: summary.engine is {got.summary.engine!r}"
    assert got.summary.seconds, f"{about}: summary.seconds names no stage"


def _same_shingles(about: str, expected: Shingles, got: Shingles) -> None:
    same(f"{about}: start", expected.start, got.start)
    same(f"{about}: number of sets", len(expected), len(got))
    for i in range(len(expected)):
        same_array(f"{about}: the set of document {i}", expected[i], got[i])


def _same_signatures(about: str, expected: Signatures, got: Signatures) -> None:
    same(f"{about}: made_by", expected.made_by, got.made_by)
    same(f"{about}: start", expected.start, got.start)
    same_array(about, expected.values, got.values)


def _same_candidates(about: str, expected: Candidates, got: Candidates) -> None:
    lost, new = expected.to_set() - got.to_set(), got.to_set() - expected.to_set()
    assert not lost, f"{about}: {len(lost)} candidates are missing, the first is {min(lost)}"
    assert not new, f"{about}: {len(new)} pairs are no candidates, the first is {min(new)}"
    same_array(f"{about}: order of left", expected.left, got.left)
    same_array(f"{about}: order of right", expected.right, got.right)


def _same_pairs(about: str, expected: Pairs, got: Pairs) -> None:
    _same_candidates(
        f"{about}: pairs",
        Candidates(expected.left_rows, expected.right_rows),
        Candidates(got.left_rows, got.right_rows),
    )
    if expected.similarity is None or got.similarity is None:
        assert got.similarity is expected.similarity, f"{about}: similarity is there exactly if pairs were verified"
    else:
        same_array(f"{about}: similarity", expected.similarity, got.similarity)
    for name in ("threshold", "rows", "ids"):
        same(f"{about}: pairs.{name}", getattr(expected, name), getattr(got, name))


def _same_clusters(about: str, expected: Clusters, got: Clusters) -> None:
    same_array(f"{about}: labels", expected.labels, got.labels)
    same(f"{about}: clusters.ids", expected.ids, got.ids)
