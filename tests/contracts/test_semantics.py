"""The promises that every engine keeps for any plan: short and empty texts, languages, copies, any source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookalike.engines import engine
from lookalike.engines.base import Engine
from lookalike.flow import Auto, Chars, Shingling, Stopwords, Tokens, Words
from lookalike.flow.shingles import KINDS
from lookalike.flow.threshold import Threshold
from lookalike.io.open import open_source
from lookalike.planning.plan import Plan
from lookalike.storage.parts import MemoryParts
from lookalike.testing import Rows, corpus

SHINGLINGS = [kind() for kind in KINDS.values() if kind not in (Auto, Tokens)]  # given tokens are not normalised
SHINGLINGS += [Chars(5, whitespace="keep"), Chars(5, whitespace="drop")]


@pytest.fixture(params=["reference", "local"])
def any_engine(request: pytest.FixtureRequest) -> Engine:
    return engine(request.param)


def pairs(engine: Engine, rows: list[Any], **options: Any) -> set[tuple[int, int]]:
    found = engine.run(Plan(**options), Rows(rows), MemoryParts()).pairs
    assert found is not None
    return set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))


@pytest.mark.parametrize("shingles", SHINGLINGS, ids=str)
def test_empty_texts_are_similar_to_nothing_and_are_counted(any_engine: Engine, shingles: Shingling) -> None:
    rows = ["", "", " ", "\n\t\u3000", None, "something"]
    result = any_engine.run(Plan(shingles=shingles), Rows(rows), MemoryParts())
    assert result.pairs is not None
    assert len(result.pairs) == 0
    assert result.summary.empty == 5
    assert result.summary.same_words == 0


@pytest.mark.parametrize("shingles", SHINGLINGS, ids=str)
def test_short_texts_are_similar_to_their_copies_and_to_nothing_else(any_engine: Engine, shingles: Shingling) -> None:
    rows = ["cat", "dog", "Cat", "a", "b", "a", "!!!", "???", "!!!", "字", "字"]
    assert pairs(any_engine, rows, shingles=shingles, threshold=Threshold("0.1")) == {(0, 2), (3, 5), (6, 8), (9, 10)}


LANGUAGES = {
    "Chinese": [
        "北京是中华人民共和国的首都也是全国的政治和文化中心历史悠久人口众多风景优美",
        "上海是中国最大的经济中心城市位于长江入海口拥有繁忙的港口",
    ],
    "Japanese": [
        "東京は日本の首都であり世界で最も人口の多い都市圏のひとつで春には桜が咲きます",
        "大阪は西日本の中心で食べ物がおいしいことで知られている町です",
    ],
    "Korean": [
        "서울은 대한민국의 수도이며 한강을 끼고 있는 오래된 도시로 많은 사람이 살고 있고 시장이 많다",
        "부산은 바다와 가까운 항구 도시이며 여름에는 해수욕장이 붐빈다 그리고 영화제가 열린다",
    ],
    "Thai": [
        "กรุงเทพมหานครเป็นเมืองหลวงและเมืองที่ใหญ่ที่สุดของประเทศไทยและมีผู้คนมากมาย",
        "เชียงใหม่อยู่ทางเหนือมีภูเขาสูงและอากาศเย็นสบายในฤดูหนาว",
    ],
    "Arabic": [
        "القاهرة هي عاصمة جمهورية مصر العربية وأكبر مدنها من حيث عدد السكان والمساحة وتقع على نهر النيل",
        "دمشق مدينة قديمة جدا اشتهرت بأسواقها وحدائقها منذ زمن بعيد وفيها جامع كبير",
    ],
    "mixed": [
        "iPhone 15 手机 发布会 took place in 東京 with カメラ and 배터리 upgrades, said Müller, today",
        "Мюллер сказал что новый телефон 발표 was not shown in Paris аt the موعد المحدد hier soir",
    ],
}


@pytest.mark.parametrize("shingles", [Words(5), Chars(5)], ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_near_duplicates_are_found_and_different_texts_are_not(
    any_engine: Engine, language: str, shingles: Shingling
) -> None:
    text, other = LANGUAGES[language]
    edited = text[:-1] + ("x" if language == "mixed" else text[3])
    rows = [text, other, edited, other, text.upper()]
    found = pairs(any_engine, rows, shingles=shingles, threshold=Threshold("0.6"))
    assert found == {(0, 2), (0, 4), (2, 4), (1, 3)}


def test_a_text_without_stop_words_is_cut_as_words_and_counted(any_engine: Engine) -> None:
    rows = ["red green blue yellow pink", "red green blue yellow pink", "the red and the blue of it"]
    result = any_engine.run(Plan(shingles=Stopwords()), Rows(rows), MemoryParts())
    assert result.summary.fallback == 2
    assert result.pairs is not None
    assert list(result.pairs) == [(0, 1, 1.0)]


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
def test_a_list_opened_as_a_source_is_read_like_rows_in_memory(any_engine: Engine, batch_rows: int) -> None:
    texts, plan = corpus(3), Plan(shingles=Words(2))
    expected = any_engine.run(plan, Rows(texts), MemoryParts())
    got = any_engine.run(plan, open_source(texts, batch_rows=batch_rows), MemoryParts())
    assert expected.pairs is not None
    assert got.pairs is not None
    assert list(got.pairs) == list(expected.pairs)
    np.testing.assert_array_equal(got.lengths, expected.lengths)
    assert got.summary.bytes == expected.summary.bytes
