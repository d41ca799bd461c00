"""Plans describe what to compute, are resolved by fixed rules, and can be saved and loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow import Documents
from lookalike.planning.costs import SetFacts
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import CODE, SHORT, ResolvedPlan, Statistics
from tests.parity import strategies as our
from tests.refusals import refused

shinglings = st.one_of(
    our.shinglings,
    st.builds(la.Stopwords, st.lists(st.text(min_size=1), min_size=1).map(tuple)),
    our.of_kind(la.Auto),
)
plans = st.builds(
    Plan,
    threshold=st.integers(30, 100).map(lambda percent: f"{percent / 100:.2f}"),
    recall=st.sampled_from([0.5, 0.9, 0.99]),
    hashes=st.integers(64, 512),
    shingles=shinglings,
    seed=st.integers(0, 2**64 - 1),
    goal=st.sampled_from(["pairs", "clusters"]),
    verify=st.sampled_from(["exact", "signature", "none"]),
    sketch=st.sampled_from(["fast", "classic"]),
    method=st.sampled_from(["auto", "lsh"]),
)
facts = st.builds(SetFacts, st.floats(0, 1000), st.floats(0, 300), st.floats(0, 1), st.floats(0, 1))


@given(plans)
def test_a_plan_survives_toml(plan: Plan) -> None:
    assert Plan.from_toml(plan.to_toml()) == plan


@given(plans, st.integers(0, 10**7), st.none() | facts)
def test_a_resolved_plan_loads_as_a_plan_that_resolves_to_itself(plan: Plan, rows: int, sets: SetFacts | None) -> None:
    resolved = plan.resolve(Statistics(rows=rows, sets=sets))
    again = Plan.from_toml(resolved.to_toml()).resolve()
    assert (again.shingles, again.banding, again.signed_by) == (resolved.shingles, resolved.banding, resolved.signed_by)


@given(plans, st.integers(0, 10**7), st.none() | facts)
def test_a_resolved_plan_survives_toml_with_its_reasons(plan: Plan, rows: int, sets: SetFacts | None) -> None:
    resolved = plan.resolve(Statistics(documents=3, median_characters=100.5, rows=rows, sets=sets))
    again = ResolvedPlan.from_toml(resolved.to_toml())
    assert again.shingles_reason == resolved.shingles_reason and again.method_reason == resolved.method_reason
    assert (again.shingles, again.banding) == (resolved.shingles, resolved.banding)


def test_plans_of_the_first_format_still_load() -> None:
    """Before reasons were values, `reason` and `why` were sentences in the file."""
    text = Plan(threshold=0.9).resolve().to_toml()
    old = text.split("[resolved.shingles_reason]")[0] + 'reason = "auto: without any text to go by"\nwhy = ""\n'
    assert ResolvedPlan.from_toml(old).banding == ResolvedPlan.from_toml(text).banding
    assert Plan.from_toml(old) == Plan.from_toml(text)


@pytest.mark.parametrize(
    ("statistics", "expected"),
    [
        (Statistics(10, 5), la.Words(5)),
        (Statistics(10, SHORT - 1), la.Words(5)),
        (Statistics(10, SHORT), la.Words(5)),
        (Statistics(10, SHORT, CODE), la.Symbols(5)),
        (Statistics(10, SHORT - 1, CODE), la.Symbols(5)),
        (Statistics(10, SHORT, CODE - 0.001), la.Words(5)),
        (Statistics(10, tokens=True), la.Tokens(1)),
        (Statistics(), la.Words(5)),
    ],
)
def test_auto_takes_symbols_for_code_and_words_for_texts_of_any_length(
    statistics: Statistics, expected: la.Shingling
) -> None:
    assert Plan().resolve(statistics).shingles == expected


def test_empty_texts_do_not_change_the_median() -> None:
    assert Statistics.of(Documents.from_texts(["", "", "abc", None])).median_characters == 3


def test_auto_keeps_the_rules_that_were_given_with_it() -> None:
    resolved = Plan(shingles=la.Auto(case="keep", bag=True)).resolve(Statistics(1, 10))
    assert resolved.shingles == la.Words(5, case="keep", bag=True)
    with refused("whitespace-without-characters", shingles="auto"):  # auto never chooses chars
        la.find_pairs(["a b"], whitespace="drop")


def test_token_lists_cannot_be_cut_into_words() -> None:
    with refused("tokens-not-cut", shingles="words:5"):
        la.find_pairs([["a", "b"]], shingles="words:5")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"threshold": 80}, "not-a-share"),
        ({"recall": 1.5}, "not-a-share"),
        ({"recall": 1.0, "verify": "none"}, "exact-join-unverified"),
        ({"recall": 1.0, "bands": 3}, "bands-below-full-recall"),
        ({"rows": 0, "bands": 2}, "bands-without-rows"),
        ({"method": "lhs"}, "not-one-of"),
        ({"method": "exact", "bands": 3}, "exact-join-with-bands"),
        ({"method": "exact", "verify": "none"}, "exact-join-unverified"),
        ({"method": "lsh", "recall": 1}, "lsh-at-full-recall"),
        ({"method": "lsh", "rows": 0}, "lsh-without-rows"),
        ({"hashes": 0}, "not-in-whole-range"),
        ({"bands": 20, "rows": 7}, "too-few-hashes"),
        ({"bands": 0}, "not-a-whole-number"),
        ({"verify": "maybe"}, "not-one-of"),
        ({"shingles": "words:-1"}, "shingle-length-out-of-range"),
        ({"threshold": 0.05, "recall": 0.999999}, "recall-out-of-reach"),
        ({"seed": -1}, "not-in-whole-range"),
    ],
)
def test_invalid_plans_are_refused_before_any_data_is_read(options: dict[str, object], code: str) -> None:
    with refused(code):
        la.find_pairs("no-such-file.jsonl", **options)  # type: ignore[arg-type]


def test_bands_and_rows_may_be_given_together_or_alone() -> None:
    assert Plan(bands=20, rows=5).resolve().banding == la.Banded(20, 5)
    assert Plan(rows=8).resolve().banding == la.Banded(16, 8)
    assert Plan(bands=10).resolve().banding == la.Banded(10, 12)


def test_a_recall_of_one_is_an_exact_join() -> None:
    plan = Plan(recall=1.0, threshold="0.3").resolve()
    assert plan.exact and plan.recall == 1.0 and not Plan().resolve().exact
    assert Plan(recall=1.0000000000000002).recall == 1.0  # as numpy.arange gives it
    assert Plan.from_toml(plan.to_toml()).resolve().exact, "a resolved plan stays resolved"
    assert Plan(rows=0).resolve().exact
    texts = [f"the cat number {i} sat on the mat number {j}" for i in range(30) for j in range(3)]
    found = la.find_pairs(texts, shingles="words:1", threshold=0.5, recall=1.0)
    sets = [set(text.split()) for text in texts]
    true = [(i, j) for j in range(len(sets)) for i in range(j) if 2 * len(sets[i] & sets[j]) >= len(sets[i] | sets[j])]
    assert sorted(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)) == sorted(true)
    assert "exact join" in plan.plan.explain()


def code(resolved: ResolvedPlan) -> str | None:
    return None if resolved.method_reason is None else resolved.method_reason.code


SMALL = Statistics(rows=1000, sets=SetFacts(elements=5, lookups=2, meetings=0, false_candidates=0))


def test_small_sets_are_joined_exactly_unless_the_plan_says_otherwise() -> None:
    resolved = Plan().resolve(SMALL)
    assert resolved.exact and resolved.recall == 1 and resolved.method == "exact"
    assert code(resolved) == "exact-join-cheaper" and 'method = "exact"' in resolved.to_toml()
    for options in (
        {"method": "lsh"},
        {"bands": 20, "rows": 5},
        {"rows": 4},
        {"verify": "signature"},
        {"verify": "none"},
    ):
        plan = Plan(**options)
        assert not plan.is_open and not plan.resolve(SMALL).exact and code(plan.resolve(SMALL)) is None
    assert Plan(method="exact").resolve().exact and not Plan(method="exact").is_open
    assert not Plan().resolve().exact, "without data, bands are used, so that explain can draw them"


def test_another_kind_of_verification_reverts_the_choice_of_an_exact_join() -> None:
    chosen = Plan.from_toml(Plan().resolve(SMALL).to_toml())
    assert chosen.resolve(Statistics()).exact
    assert Plan.from_options(chosen, "pairs", {"verify": "none"}).resolve(SMALL).banding == la.Banded(16, 6)
    assert Plan.from_options(chosen, "pairs", {"method": "lsh"}).resolve(SMALL).banding == la.Banded(16, 6)
    assert Plan.from_options(chosen, "pairs", {"rows": 4}).resolve(SMALL).banding == la.Banded(32, 4)
    assert Plan.from_options(chosen, "pairs", {"bands": 4}).resolve(SMALL).banding == la.Banded(4, 32)


def test_a_saved_plan_can_be_run_again_with_single_settings_changed(tmp_path: Path) -> None:
    texts = ["the cat sat on the mat"] * 2
    first = la.find_pairs(texts, threshold=0.9, shingles="words:2", seed=5)
    (tmp_path / "plan.toml").write_text(first.summary.plan, "utf-8")
    again = la.find_pairs(texts, plan=tmp_path / "plan.toml")
    assert again.summary.plan.split("[resolved]")[0] == first.summary.plan.split("[resolved]")[0]
    changed = Plan.from_options(tmp_path / "plan.toml", "pairs", {"threshold": 0.5})
    assert str(changed.threshold) == "0.5" and changed.seed == 5
    assert changed.resolve().recall >= 0.99, "the bands were chosen for 0.9; another threshold needs other bands"


def test_the_plan_of_a_result_is_accepted_as_text_and_as_a_value(tmp_path: Path) -> None:
    """The text was taken for a path, and refused because the file name was too long."""
    first = la.find_pairs(["storm in the night", "a storm in the night", "quiet"], threshold="0.3", shingles="words:2")
    settings = first.summary.plan.split("[resolved]")[0]
    for plan in (first.summary.plan, ResolvedPlan.from_toml(first.summary.plan)):
        again = la.find_pairs(["storm in the night", "a storm in the night", "quiet"], plan=plan)
        assert again.summary.plan.split("[resolved]")[0] == settings and list(again) == list(first)
    la.find_pairs(["a"], plan=first.summary.plan, report=tmp_path / "r.html")
    with refused("plan-not-toml"):
        la.find_pairs(["a"], plan="not\ntoml")
    with refused("plan-not-readable"):
        la.find_pairs(["a"], plan="no such file")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("not toml [", "plan-not-toml"),
        ("colour = 'red'", "unknown-plan-entry"),
        ("[resolved]\nformat = 99", "plan-of-another-format"),
        ("resolved = 3", "plan-entry-not-a-table"),
        ("shingles = 'words:5'", "plan-entry-not-a-table"),
        ("[[shingles]]\nkind = 'words'", "plan-entry-not-a-table"),
        ("[shingles]\nkind = 'x'", "no-such-shingles"),
        ("[shingles]\nkind = 'stopwords'\nwords = 3", "no-stop-words"),
        ("[shingles]\nkind = 'stopwords'\nwords = [1, 2]", "no-stop-words"),
        ("#" * 1_000_001, "plan-too-large"),
    ],
)
def test_a_file_that_is_not_a_plan_is_refused(tmp_path: Path, text: str, code: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with refused(code):
        Plan.load(tmp_path / "plan.toml")
    with refused("plan-not-readable"):
        Plan.load(tmp_path / "none.toml")


def test_another_kind_of_shingle_keeps_the_other_rules_of_a_saved_plan() -> None:
    saved = Plan(shingles=la.Words(5, case="keep", normalize="none", bag=True))
    assert Plan.from_options(saved, "pairs", {"shingles": "chars:4"}).shingles == la.Chars(
        4, case="keep", normalize="none", bag=True
    )
