"""Near-duplicates are found, and different texts are not, in scripts with and without spaces; and edge cases."""

from __future__ import annotations

import pytest

import lookalike as la

# For each language: a text, the same text with one edit, and a different text.
TEXTS = {
    "Chinese": (
        "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由。",
        "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。人人都有资格享有本宣言所载的一切权利和自由。",
        "北京今天天气晴朗,气温在二十度左右,适合户外活动。专家建议市民多到公园散步,注意防晒和补水,晚间可能会有小雨。",
    ),
    "Japanese": (
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
        "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに友愛の精神をもって行動しなければならない。",
        "昨日の東京マラソンには三万人を超えるランナーが参加し、沿道には多くの観客が詰めかけた。優勝者は二時間四分台の好記録でゴールした。",
    ),
    "Korean": (
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 이 선언에 규정된 권리를 누린다.",
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다. 모든 사람은 이 선언에 규정된 권리를 가진다.",
        "오늘 서울의 날씨는 대체로 맑겠으나 오후부터 구름이 많아지겠습니다. 낮 최고 기온은 이십오도로 어제보다 조금 높겠고 미세먼지 농도는 보통 수준을 보이겠습니다.",
    ),
    "Thai": (
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม และพึงปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ",
        "กรมอุตุนิยมวิทยาพยากรณ์ว่าวันนี้กรุงเทพมหานครจะมีฝนฟ้าคะนองร้อยละหกสิบของพื้นที่ ส่วนภาคใต้มีคลื่นสูงประมาณสองเมตร ชาวเรือควรเดินเรือด้วยความระมัดระวัง",
    ),
    "Arabic": (
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء ولكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي تمييز من أي نوع كان",
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء ولكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي تفرقة من أي نوع كان",
        "أعلنت وزارة الصحة اليوم عن افتتاح مستشفى جديد في العاصمة يضم مئتي سرير وأحدث الأجهزة الطبية ومن المتوقع أن يبدأ استقبال المرضى خلال الشهر القادم بعد اكتمال تدريب الكوادر الطبية والتمريضية العاملة فيه",
    ),
    "mixed": (
        "The 東京 office ships version 3.2 of the данные pipeline on Friday; подробности are in the ملف attached, see §4 and 第五章 for the rollout plan and its known problems.",
        "The 東京 office ships version 3.3 of the данные pipeline on Friday; подробности are in the ملف attached, see §4 and 第五章 for the rollout plan and its known problems.",
        "Quarterly results: ventas up 4 %, 利益 down, оборот flat; die Prognose für das nächste Jahr bleibt unverändert, said the board after its meeting in Zürich on Monday.",
    ),
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("shingles", ["auto", "words:3", "chars:5"])
def test_an_edited_copy_is_found_and_another_text_is_not(language: str, shingles: str) -> None:
    text, edited, different = TEXTS[language]
    pairs = la.find_pairs([text, different, edited], threshold=0.5, shingles=shingles)
    assert [pair[:2] for pair in pairs] == [(0, 2)]


def test_all_languages_together_make_one_cluster_each() -> None:
    texts = [text for group in TEXTS.values() for text in group]
    assert sorted(la.find_clusters(texts, threshold=0.5).members()) == [[i, i + 1] for i in range(0, len(texts), 3)]


def test_half_width_full_width_composed_and_decomposed_forms_are_equal() -> None:
    texts = ["ＡＢＣ café ﬁne ｶﾞ Straße", "abc cafe\u0301 fine ガ STRASSE"]
    assert la.find_pairs(texts, threshold=1, shingles="words:2").top() == [(0, 1, 1.0)]
    assert len(la.find_pairs(texts, threshold=1, shingles="words:2", normalize="none", case="keep")) == 0


@pytest.mark.parametrize("shingles", ["words:5", "chars:5", "stopwords", "tokens"])
def test_empty_texts_are_similar_to_nothing_and_are_counted(shingles: str) -> None:
    clusters = la.find_clusters(["", "  \n\t", "", "a text"], threshold=0.5, shingles=shingles)
    assert len(clusters) == 0 and clusters.summary.empty == 3 and clusters.summary.documents == 4


def test_short_texts_are_one_shingle_so_that_only_their_copies_are_found() -> None:
    texts = ["one", "two", "One!", "x", "X", "!!!", "??", "!!!", "one two"]
    pairs = la.find_pairs(texts, threshold=0.1, shingles="words:5")
    assert [pair[:2] for pair in pairs] == [(0, 2), (3, 4), (5, 7)]
    assert pairs.summary.short == len(texts)


def test_a_text_without_stop_words_falls_back_to_plain_words_and_is_counted() -> None:
    texts = [
        "buy cheap watches online now cheap",
        "Buy cheap watches online now, cheap!",
        "the cat and the dog sat on the mat",
    ]
    pairs = la.find_pairs(texts, threshold=0.8, shingles="stopwords")
    assert [pair[:2] for pair in pairs] == [(0, 1)]
    # "now" is on the list but only one word follows it, so both advertisements fall back
    assert pairs.summary.fallback == 2
