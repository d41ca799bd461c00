"""Decisions about documents: their file, which rows they apply to, and what `dedupe` makes of them."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.choosing.decision_lines import MOST_DIFFERENT, Document, Lines, read_decisions
from lookalike.choosing.decisions import document_hash
from lookalike.engines.local.engine import Local
from lookalike.engines.reference.definitions import hash_raw
from lookalike.engines.stages.memory import Allowance
from tests.corpora import corpus
from tests.properties.test_protected import GRAPHS, greedy
from tests.refusals import refused

FOX = "the quick brown fox jumps over the lazy dog near the river bank on a sunny day"
ROWS = [
    {"id": f"d{i}", "text": f"{FOX}{more}"} for i, more in enumerate(["", " again", "", " and on", " again and on"])
]
OPTIONS: dict[str, Any] = {"id": "id", "threshold": 0.5, "shingles": "words:2"}


@pytest.fixture
def decisions(tmp_path: Path) -> la.Decisions:
    return la.Decisions(tmp_path / "decisions.jsonl", ROWS, id="id")


def kept(decisions: Any, data: Any = None, **options: Any) -> list[str]:
    found = la.dedupe(data or ROWS, decisions=decisions, **(OPTIONS | options))
    return [*found.kept["id"].to_pylist()]


def test_without_decisions_all_are_similar() -> None:
    assert kept(None) == ["d0"]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_each_decision_has_its_effect(decisions: la.Decisions, engine: str) -> None:
    decisions.different("d0", "d2", note="exact copies, in different places")
    assert kept(decisions, engine=engine) == ["d0", "d2"]
    decisions.exclude("d1", by="Ann")
    assert kept(decisions, engine=engine) == ["d0", "d1", "d2"]
    decisions.keep("d4")
    result = la.dedupe(ROWS, decisions=decisions.path, engine=engine, **OPTIONS)
    assert result.kept["id"].to_pylist() == ["d1", "d4"] and set(result.removed["kept"].to_pylist()) == {"d4"}
    assert result.summary.kept_by == {"decisions": 3, "input order": 0}
    assert result.summary.decisions == {"applied": 3, "stale": 0, "not found": 0} and not result.warnings
    decisions.keep("d3")
    assert kept(decisions, engine=engine) == ["d1", "d3"], "the later choice wins"
    decisions.undo("d3", "d4")
    assert kept(decisions, engine=engine) == ["d0", "d1", "d2"]
    decisions.undo("d0", "d2")
    assert kept(decisions, engine=engine) == ["d0", "d1"]
    decisions.keep("d1")
    assert kept(decisions, engine=engine) == ["d1"], "a choice replaces an exclusion"
    lines = [json.loads(line) for line in decisions.path.read_text().splitlines()]
    assert [line["decision"] for line in lines] == "different exclude keep keep undo undo keep".split()
    assert lines[0]["note"].startswith("exact") and lines[1]["by"] == "Ann" and all(line["at"] for line in lines)


def test_protected_rows_come_before_chosen_ones(decisions: la.Decisions) -> None:
    decisions.keep("d4")
    assert kept(decisions, protect="where:id=d3") == ["d3"]
    decisions.different("d3", "d4")
    assert kept(decisions, protect="where:id=d3") == ["d3", "d4"]


def test_stale_and_unknown_documents_are_counted_and_reported(decisions: la.Decisions) -> None:
    decisions.exclude("d1")
    decisions.exclude("d3")
    decisions.different("d2", "d4")
    changed = [
        {**row, "text": row["text"] + "!"} if row["id"] in ("d1", "d2") else row for row in ROWS if row["id"] != "d3"
    ]
    result = la.dedupe(changed, decisions=decisions, **OPTIONS)
    assert result.summary.decisions == {"applied": 0, "stale": 2, "not found": 1}
    warnings = {warning.code: dict(warning.values) for warning in result.warnings}
    assert warnings["stale-decisions"].items() >= {"count": 2, "decisions": 3, "id": "d1"}.items()
    assert warnings["decisions-not-found"].items() >= {"count": 1, "decisions": 3, "id": "d3"}.items()
    assert result.kept["id"].to_pylist() == ["d0"]


def test_rows_without_ids_and_rows_of_a_reference(tmp_path: Path) -> None:
    texts = [row["text"] for row in ROWS]
    numbered = la.Decisions(tmp_path / "numbers.jsonl", texts)
    numbered.different(0, 3)
    options = {name: value for name, value in OPTIONS.items() if name != "id"}
    assert la.dedupe(texts, decisions=numbered, **options).kept_rows.tolist() == [0, 3]
    old = la.Decisions(tmp_path / "numbers.jsonl", texts[:1])
    with refused("no-such-id", value=3):
        old.exclude(3)
    (tmp_path / "one.jsonl").write_text("")
    both = [{"id": 0, "bytes": document_hash(texts[0])}, {"id": 2, "bytes": document_hash(texts[3])}]
    (tmp_path / "one.jsonl").write_text(json.dumps({"decision": "different", "documents": both}))
    found = la.dedupe(texts[1:], against=texts[:1], decisions=tmp_path / "one.jsonl", **options)
    assert found.kept_rows.tolist() == [2], "row 2 of the input is different from row 0 of the reference"
    named = la.Decisions(tmp_path / "named.jsonl", ROWS, id="id")
    named.different("d0", "d3")
    assert kept(named, ROWS[1:], against=ROWS[:1]) == ["d3"]


def test_a_chain_could_lead_around_a_decision(decisions: la.Decisions) -> None:
    decisions.exclude("d1")
    with refused("decisions-need-stars"):
        kept(decisions, linkage="connected")


def revisions(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A corpus of two files, with chains and copies, and options with rules, protected rows and decisions about it."""
    words = [f"w{i}" for i in range(400)]
    texts = corpus(80) + [" ".join(words[i : i + 40]) for i in range(0, 240, 4)] + [" ".join(words[8:48])] * 3
    rows = [{"id": i, "text": text, "score": i * 7 % 11} for i, text in enumerate(texts)]
    for name, some in {"old": rows[::2], "new": rows[1::2]}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    data = folder / "*.jsonl"
    decisions = la.Decisions(folder / "decisions", data, id="id")
    decisions.different(81, 82, 83)
    decisions.different(140, 141)
    decisions.exclude(90, 101)
    decisions.keep(100)
    decisions.keep(110, 85)
    protect = ["where:id=7", "where:id=95"]
    chosen = {"keep": "source:old.jsonl,best:score", "protect": protect, "decisions": decisions.path}
    return data, {"threshold": 0.5, "shingles": "words:2", "id": "id", **chosen}


def test_all_engines_agree(tmp_path: Path) -> None:
    data, options = revisions(tmp_path)
    expected = la.dedupe(data, engine="reference", **options)
    counts = expected.summary.kept_by
    assert all(counts[name] for name in ("protected", "decisions", "source:old.jsonl", "best:score")), counts
    assert expected.summary.decisions == {"applied": 9, "stale": 0, "not found": 0}
    tight = Local(threads=1, allowance=Allowance(60_000, 1 << 20, state=0))
    for engine, threads in (("local", 1), ("local", 2), (tight, None)):
        found = la.dedupe(data, engine=engine, threads=threads, **options)
        assert found.removed.equals(expected.removed) and found.summary.kept_by == counts
        assert (found.summary.spilled > 0) is (engine is tight)
    halves = la.dedupe(
        tmp_path / "new.jsonl", against=tmp_path / "old.jsonl", engine="reference", **options | {"keep": "last"}
    )
    found = la.dedupe(tmp_path / "new.jsonl", against=tmp_path / "old.jsonl", **options | {"keep": "last"})
    assert found.removed.equals(halves.removed)


@pytest.mark.parametrize("memory", [1 << 40, 60_000])
def test_a_resumed_run_may_choose_otherwise(tmp_path: Path, memory: int) -> None:
    data, options = revisions(tmp_path)
    options["engine"] = Local(threads=1, allowance=Allowance(memory, 1 << 20, state=0))
    plain = {name: value for name, value in options.items() if name not in ("keep", "protect", "decisions")}
    with la.Work(tmp_path / "work", keep=True) as work:
        la.dedupe(data, work=work, **plain)
    for name in ("keep", "decisions", "protect"):
        chosen = plain | {name: options[name]}
        with la.Work(tmp_path / "work", resume=True, keep=True) as work:
            again = la.dedupe(data, work=work, **chosen)
        assert again.removed.equals(la.dedupe(data, **chosen).removed) and again.summary.resumed
        assert not again.removed.equals(la.dedupe(data, **plain).removed)


@pytest.mark.parametrize("method", ["exact", "lsh"])
def test_a_resumed_run_compares_copies_that_are_now_different(tmp_path: Path, method: str) -> None:
    """The second copy was set aside before. Stored parts did not contain it, so it was kept without being compared."""
    rng = random.Random(1)
    texts = [" ".join(rng.choices("abcdefghij", k=40)) for _ in range(60)]
    data = [{"id": i, "text": text} for i, text in enumerate([*texts, *texts, *(f"{text} more" for text in texts)])]
    engine = Local(threads=1, allowance=Allowance(60_000, 1 << 20, state=0))
    options: dict[str, Any] = {"id": "id", "threshold": 0.8, "shingles": "words:2", "keep": "longest", "method": method}
    with la.Work(tmp_path / "work", keep=True) as work:
        la.dedupe(data, engine=engine, work=work, **options)
    decisions = la.Decisions(tmp_path / "decisions.jsonl", data, id="id")
    decisions.different(0, 60)
    with la.Work(tmp_path / "work", resume=True) as work:
        again = la.dedupe(data, engine=engine, work=work, decisions=decisions, **options)
    assert again.summary.spilled and again.summary.resumed
    expected = la.dedupe(data, engine="reference", decisions=decisions, **options)
    assert again.removed.equals(expected.removed) and 60 in again.removed["id"].to_pylist()


@pytest.mark.parametrize("document", ["", "a", "Größe \U0001f600" * 9, [], ["a", None, ""], ["ab", "c"]])
def test_the_hash_is_that_of_the_signature_format(document: Any) -> None:
    first, second = hash_raw(document)
    assert document_hash(document) == f"{first:016x}{second:016x}"


DOCUMENT = {"id": "a", "bytes": "0" * 32}
OTHER = {"id": 7, "bytes": "F" * 32}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "decision-not-json"),
        ('{"decision": "keep", "docu', "decision-not-json"),
        ("[" * 100_000, "decision-not-json"),
        ("[]", "decision-not-an-object"),
        ("{}", "unknown-decision"),
        ({"decision": "remove", "documents": [DOCUMENT]}, "unknown-decision"),
        ({"decision": ["keep"], "documents": [DOCUMENT]}, "unknown-decision"),
        ({"decision": "keep"}, "decision-without-documents"),
        ({"decision": "keep", "documents": []}, "decision-without-documents"),
        ({"decision": "keep", "documents": DOCUMENT}, "decision-without-documents"),
        ({"decision": "different", "documents": [DOCUMENT]}, "decision-without-documents"),
        ({"decision": "different", "documents": [DOCUMENT, DOCUMENT]}, "decision-repeats-document"),
        ({"decision": "different", "documents": [DOCUMENT] * (MOST_DIFFERENT + 1)}, "too-many-different"),
        ({"decision": "keep", "documents": ["a"]}, "decision-document"),
        ({"decision": "keep", "documents": [{"id": "a"}]}, "decision-document"),
        ({"decision": "keep", "documents": [{"id": True, "bytes": "0" * 32}]}, "decision-document"),
        ({"decision": "keep", "documents": [{"id": "a", "bytes": "0" * 31}]}, "decision-document"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(tmp_path: Path, line: Any, code: str) -> None:
    path = tmp_path / "d.jsonl"
    good = json.dumps({"decision": "exclude", "documents": [DOCUMENT], "cluster": 7})
    path.write_text(f"{good}\n\n{line if isinstance(line, str) else json.dumps(line)}\n{good}\n")
    with refused("malformed-decision", line=3) as caught:
        la.dedupe(ROWS, decisions=path, **OPTIONS)
    assert caught.value.values["reason"].code == code


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with refused("no-such-file"):
        la.dedupe(ROWS, decisions=tmp_path / "none.jsonl", **OPTIONS)
    (tmp_path / "bytes.jsonl").write_bytes(b'{"decision": "\xff"}')
    with refused("malformed-decision", line=1) as caught:
        la.dedupe(ROWS, decisions=tmp_path / "bytes.jsonl", **OPTIONS)
    assert caught.value.values["reason"].code == "decision-not-utf8"
    (tmp_path / "bom.jsonl").write_text("\ufeff" + json.dumps({"decision": "keep", "documents": [OTHER]}))
    assert read_decisions(tmp_path / "bom.jsonl").keep == {Document("7", "f" * 32): 1}


@pytest.mark.parametrize("id", ["\ud800", "9" * 5000, "-1", "", 10**30])
@pytest.mark.parametrize("column", [None, "id"])
def test_ids_that_no_document_can_have_are_not_found(tmp_path: Path, id: Any, column: str | None) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"decision": "keep", "documents": [{"id": id, "bytes": "0" * 32}]}))
    found = la.dedupe(ROWS, decisions=path, **OPTIONS | {"id": column})
    assert found.summary.decisions == {"applied": 0, "stale": 0, "not found": 1}
    with refused("no-such-id"):
        la.Decisions(path, ROWS, id=column).exclude(id)


def test_a_line_is_never_lost(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"decision": "keep", "documents": [DOCUMENT]}))  # without a line end
    la.Decisions(path, ROWS, id="id").exclude("d0")
    assert len(read_decisions(path)) == 2 and len(path.read_text().splitlines()) == 2
    for ids in ((), ("d0",), ("d0", "d0")):
        with refused("decision-about-too-few", decision="different", least=2):
            la.Decisions(path, ROWS, id="id").different(*ids)
    with refused("decision-about-repeated-id", id="x"):
        la.Decisions(path, [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], id="id").keep("x")
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("given", [{"by": object()}, {"note": b"bytes"}, {"by": ["Ann"]}])
def test_a_name_or_note_that_is_no_text_is_refused(decisions: la.Decisions, given: Any) -> None:
    """`json` raised a TypeError that did not name the argument."""
    with refused("decision-not-text", option=next(iter(given))):
        decisions.keep("d0", **given)
    assert not decisions.path.exists()


def test_an_id_that_looks_like_a_truth_value_is_written_as_text(tmp_path: Path) -> None:
    """It was written as `true`, and the next run refused the whole file."""
    rows = [{"id": "True", "text": FOX}, {"id": "False", "text": FOX}]
    decisions = la.Decisions(tmp_path / "d.jsonl", rows, id="id")
    decisions.different(True, "False")
    assert kept(decisions, rows) == ["True", "False"]


def test_a_decision_about_thousands_of_documents_takes_little_memory(tmp_path: Path) -> None:
    """Every line listed the pairs of its documents as tuples, even lines about single documents: 13 GB for one."""
    many = [{"id": i, "bytes": "0" * 32} for i in range(20_000)]
    lines = [
        {"decision": "keep", "documents": many},
        {"decision": "different", "documents": many[:2_000]},
        {"decision": "undo", "documents": many[1_000:]},
    ]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    tracemalloc.start()
    found = read_decisions(tmp_path / "d.jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.keep) == 1_000 and len(found.different[0]) == 2_000 * 1_999 // 2 - 1_000 * 999 // 2
    assert peak < 200 << 20
    with refused("too-many-different-ids", most=MOST_DIFFERENT):
        la.Decisions(tmp_path / "d.jsonl", ["a"]).different(*range(MOST_DIFFERENT + 1))


@given(
    st.lists(
        st.tuples(st.sampled_from(["different", "keep", "exclude", "undo"]), st.sets(st.integers(0, 3), min_size=2))
    )
)
def test_the_last_line_about_a_document_is_in_force(lines: list[tuple[str, set[int]]]) -> None:
    read = Lines()
    pairs: dict[tuple[int, int], tuple[str, int]] = {}
    single: dict[int, tuple[str, int]] = {}
    for number, (kind, members) in enumerate(lines, 1):
        documents = [Document(str(i), "") for i in sorted(members)]
        read.add(kind, documents[::-1], number)
        for i in members:
            if kind != "different":
                single[i] = (kind, number)
            pairs |= {(i, j): (kind, number) for j in members if i < j and kind in ("different", "undo")}
    found = read.in_force()
    names = [int(document.id) for document in found.compared]
    different = [{names[i], names[j]} for i, j in zip(*(ends.tolist() for ends in found.different), strict=True)]
    expected = [{*pair} for pair, (kind, _) in pairs.items() if kind == "different"]
    assert sorted(map(sorted, different)) == sorted(map(sorted, expected))
    assert len(found) == len(expected) + len(found.keep) + len(found.exclude)
    for kind in ("keep", "exclude"):
        assert {int(d.id): n for d, n in getattr(found, kind).items()} == {
            i: n for i, (k, n) in single.items() if k == kind
        }


@given(GRAPHS, st.data())
def test_what_is_kept_is_what_a_greedy_choice_keeps(
    tmp_path_factory: Any, sets: list[list[int]], data: st.DataObject
) -> None:
    if not sets:
        return
    rows, some = [{"id": i, "text": text, "gold": i % 4} for i, text in enumerate(sets)], st.integers(0, len(sets) - 1)
    path = tmp_path_factory.mktemp("decisions") / "d.jsonl"
    decisions = la.Decisions(path, rows, id="id")
    different = data.draw(st.sets(st.frozensets(some, min_size=2, max_size=2), max_size=4)) if len(sets) > 1 else set()
    excluded, chosen = data.draw(st.sets(some, max_size=2)), data.draw(st.lists(some, max_size=3, unique=True))
    for pair in different:
        decisions.different(*pair)
    for row in excluded:
        decisions.exclude(row)
    for row in (chosen := [row for row in chosen if row not in excluded]):
        decisions.keep(row)
    protected = {i for i in range(len(sets)) if i % 4 == 3} if data.draw(st.booleans()) else set()
    options: dict[str, Any] = {"threshold": "0.5", "recall": 1, "shingles": "tokens", "id": "id"}
    pairs = la.find_pairs(rows, **options)
    found = {frozenset(pair) for pair in zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True)}
    similar = {pair for pair in found - different if not pair & excluded}
    if protected:
        options["protect"] = "where:gold=3"
    options["decisions"] = decisions if path.exists() else None
    result = la.dedupe(rows, **options)
    slow = la.dedupe(rows, engine="reference", **options)
    assert slow.removed.equals(result.removed) and slow.summary.kept_by == result.summary.kept_by
    latest = {row: -n for n, row in enumerate(chosen, 1)}
    order = sorted(range(len(sets)), key=lambda i: (i not in protected, latest.get(i, 0), i))
    assert result.kept_rows.tolist() == sorted(greedy(order, similar, protected))
    for row in result.removed.to_pylist():
        assert frozenset((row["id"], row["kept"])) in similar and row["similarity"] >= 0.5
    assert len(excluded - set(result.kept_rows.tolist())) == 0


@pytest.mark.parametrize("content", ['{"id": "d0", "text": "a"}\n', "not JSON\n"])
def test_no_decision_is_appended_to_another_file(tmp_path: Path, content: str) -> None:
    """If the path of the data was passed as the path of the decisions, the data was damaged."""
    path = tmp_path / "data.jsonl"
    path.write_text(content)
    with refused("malformed-decision", line=1):
        la.Decisions(path, ROWS, id="id").keep("d0")
    assert path.read_text() == content
