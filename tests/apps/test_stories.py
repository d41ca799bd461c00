"""`stories` compares articles, not the page around them: hosts, dates, boilerplate, mirrors; both methods agree."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.stories import languages, stop_list, stoplists
from lookalike.apps.stories.boilerplate import find_mirrors
from lookalike.apps.stories.lengths import similar_lengths
from lookalike.apps.stories.page_facts import host_of, hosts_of, parse_date
from lookalike.apps.stories.pages import to_text
from lookalike.apps.stories.stoplists import combined, detect_languages
from lookalike.flow import Documents
from lookalike.flow.stopwords import ENGLISH
from lookalike.flow.threshold import Threshold
from lookalike.joins.brute import all_pairs
from lookalike.joins.measures import Jaccard
from tests.display.pages import Page
from tests.joins.strategies import collections, shingles, thresholds
from tests.refusals import refused


def article(rng: np.random.Generator, words: int = 120) -> str:
    """Prose: every other word is a stop word."""
    return " ".join(str(rng.choice(ENGLISH)) if i % 2 else f"word{rng.integers(5000)}" for i in range(words))


def site(hosts: int, articles: int, seed: int = 1) -> list[dict[str, Any]]:
    """Every article on every host, in boilerplate that is four times as long as the article."""
    rng = np.random.default_rng(seed)
    boilerplate = [" ".join([f"the menu{host}x0", *(f"menu{host}x{rng.integers(999)}" for _ in range(480))])
                 for host in range(hosts)]  # fmt: skip
    rows = []
    for number in range(articles):
        text = article(rng)
        for host in range(hosts):
            rows.append(
                {
                    "url": f"https://www.h{host}.org/{number}",
                    "text": f"{boilerplate[host][:2000]} {text} {boilerplate[host][2000:]}",
                    "date": f"2026-11-{1 + (host + number) % 9:02}T12:00:00",
                }
            )
    return rows


def test_stories_are_shown_without_boilerplate() -> None:
    rows = site(hosts=3, articles=6)
    found = la.stories(rows, id="url", url="url", date="date")
    shown = found.show(2)
    assert "2 of 6 stories" in str(shown) and str(shown).count("h2.org/") == 2
    assert "word" in str(shown) and "menu" not in str(shown), "the boilerplate comes first on every page"
    assert Page.of(shown._repr_html_()).harmless
    page = "<p>Menu <i>of</i> the site</p><p>The storm that came in the night has torn the roof off the school.</p>"
    html = la.stories([page, page.replace("storm", "<b>storm</b>")], html=True, language="en").show()
    assert "The storm that came" in str(html) and "<" not in str(html)
    with refused("result-without-texts", verb="stories"):
        copy.copy(found).show()


def test_pages_with_the_same_article_are_one_story_despite_boilerplate() -> None:
    rows = site(hosts=4, articles=8)
    found = la.stories(rows, id="url", url="url", date="date")
    wanted = [int(row["url"].rpartition("/")[2]) for row in rows]
    assert found.labels.tolist() == wanted  # stories of one size are numbered by their first page
    assert found.usual == 4  # "the menu …" of each host
    assert found.languages == ("en",) and len(found) == 8 and repr(found) == "Stories(8 on two or more of 32 pages)"
    plain = la.find_clusters(rows, threshold=0.25, shingles="words:3", id="url")
    assert len(set(plain.labels.tolist())) == 4  # plain shingles see the hosts


def test_a_story_has_its_first_page_as_representative_and_its_dates() -> None:
    found = la.stories(site(hosts=4, articles=8), id="url", url="url", date="date")
    by_story = {row["story"]: row for row in found.stories.to_pylist()}
    assert by_story[0]["first"] == datetime(2026, 11, 1, 12) and by_story[0]["last"] == datetime(2026, 11, 4, 12)
    assert (by_story[0]["days"], by_story[0]["pages"], by_story[0]["hosts"]) == (3.0, 4, 4)
    assert by_story[7]["representative"] == "https://www.h2.org/7"  # its date is the first of the month again
    assert found.pages.to_pylist()[30]["representative"] == "https://www.h2.org/7"


def test_boilerplate_and_mirrors_are_found() -> None:
    rows = site(hosts=3, articles=8)[:-1]
    rows += [{"url": "alone.org/1", "text": article(np.random.default_rng(9)), "date": None}]
    found = la.stories(rows, url="url")
    boilerplate = found.boilerplate.to_pylist()
    assert {row["host"] for row in boilerplate} == {"h0.org", "h1.org", "h2.org"}
    for row in boilerplate:
        number = row["host"][1]
        assert set(row["text"].split()[2:-1]) <= {
            w for r in rows for w in r["text"].split() if w.startswith(f"menu{number}x")
        }
        assert row["pages"] == row["sampled"] >= 7
    mirrors = {(row["left"], row["right"]): row["common"] for row in found.mirrors.to_pylist()}
    assert mirrors == {("h0.org", "h1.org"): 8, ("h0.org", "h2.org"): 7, ("h1.org", "h2.org"): 7}


@pytest.mark.parametrize("addresses", [["http://a.org/i"] * 6 + [f"http://b{i}.org" for i in range(4)], [None] * 10])
def test_copies_of_an_article_on_one_host_are_not_boilerplate(addresses: list[str | None]) -> None:
    rng = np.random.default_rng(3)
    text = article(rng).split()
    rows = [
        {"url": url, "text": " ".join("new" if rng.random() < 0.02 else word for word in text)} for url in addresses
    ]
    found = la.stories(rows, url="url")
    assert found.labels.tolist() == [0] * 10 and found.usual == 0
    assert found.boilerplate.num_rows == found.mirrors.num_rows == 0


def test_boilerplate_is_ignored_even_if_an_article_has_copies() -> None:
    """Prose on all pages of a host, as long as its articles, would make them similar, so it is ignored."""
    rng = np.random.default_rng(4)
    prose = article(rng)
    texts = [article(rng) for _ in range(9)]
    rows = [{"url": "a.org", "text": f"{prose} {text}"} for text in [*texts, texts[0], texts[0]]]
    assert la.stories(rows, url="url").labels.tolist() == [0, *range(1, 9), 0, 0]
    assert len({*la.stories([row["text"] for row in rows]).labels.tolist()}) == 1


def test_a_story_on_very_many_small_hosts_does_not_make_them_mirrors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from lookalike.apps.stories import boilerplate as boilerplate

    seen: list[list[str]] = []

    def pairs(hosts: list[str], size: int) -> Iterator[tuple[str, ...]]:
        seen.append(hosts)
        return combinations(hosts, size)

    monkeypatch.setattr(boilerplate, "combinations", pairs)
    find_mirrors([*(f"h{i}" for i in range(50)), *["a"] * 6, *["b"] * 6], [0] * 50 + 2 * [*range(6)])
    assert all(some == ["a", "b"] for some in seen) and len(seen) == 6


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 12)), max_size=40))
def test_mirrors_equal_those_found_by_counting(pages: list[tuple[str, int]]) -> None:
    found = find_mirrors([host for host, _ in pages], [story for _, story in pages])
    of = {host: {story for other, story in pages if other == host} for host in "abc"}
    wanted = set()
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        common = len(of[a] & of[b])
        if common >= 5 and common / min(len(of[a]), len(of[b])) >= 0.8:
            wanted.add((a, b, common))
    assert {(one.left, one.right, one.common) for one in found} == wanted


@given(collections(), thresholds)
def test_comparing_similar_lengths_finds_every_pair(sets: list[list[int]], threshold: str) -> None:
    least = Threshold(threshold)
    left, right, compared = similar_lengths(shingles(sets), least)
    wanted = all_pairs([sorted({*one}) for one in sets], measure=Jaccard(least.numerator, least.denominator))
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == sorted((a, b) for a, b, *_ in wanted)
    assert compared <= len(sets) * (len(sets) - 1) // 2


def test_both_methods_find_the_same_stories() -> None:
    rows = site(hosts=3, articles=6)
    one, two = (la.stories(rows, url="url", method=method) for method in ("bands", "length"))
    assert one.pages == two.pages


def test_too_many_pages_of_similar_length_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.apps.stories import lengths

    monkeypatch.setattr(lengths, "MOST", 3)
    with refused("too-many-similar-lengths", most=3):
        la.stories(site(hosts=3, articles=3), method="length")


# Languages


parts = st.sampled_from(
    [
        "http",
        "ftp",
        ":",
        "/",
        "//",
        "www.",
        "a.org",
        "B.org",
        "?",
        "#",
        "@",
        "[",
        "]",
        " ",
        "\n",
        "80",
        "é",
        "%",
        "_",
        ".",
    ]
)


@given(st.lists(st.one_of(st.none(), st.lists(parts, max_size=9).map("".join))))
@example(["ftp:///a", "http://u:p@a.org:80/x", "a.org://b/c", "//a.org?x", "a.org:80#x", "https://www.a.org/b"])
def test_hosts_of_many_urls_are_those_of_each(urls: list[str | None]) -> None:
    assert hosts_of(urls) == [host_of(url) for url in urls]


def test_stop_lists_and_detection_of_languages() -> None:
    assert {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "zh", "ja", "ar"} <= {*languages()}
    for language in languages():
        words = stop_list(language)
        assert len(words) == len({*words}) >= 20 and all(word == word.strip().lower() for word in words)
    texts = {
        "de": "Der Sturm hat in der Nacht das Dach von der Schule gerissen, und es ist nicht klar, wann sie öffnet.",
        "fr": "La tempête a arraché le toit de l'école dans la nuit, et on ne sait pas quand elle sera ouverte.",
        "ru": "Буря сорвала крышу школы, и никто не знает, когда она снова будет открыта, но это не всё, что было.",
        "zh": "暴风在夜里把学校的屋顶掀了，不知道什么时候能再开，这是他们的学校。",
    }
    for language, text in texts.items():
        assert detect_languages([Documents.from_texts([text])]) == (language,)
    assert {*detect_languages([Documents.from_texts(texts.values())])} == {*texts} and detect_languages(
        [Documents.from_texts(["", "xyz 123"])]
    ) == ("en",)
    assert {*combined(["de", "fr"])} == {*stop_list("de"), *stop_list("fr")}


def test_stop_words_are_counted_in_batches_as_in_single_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shares of stop words decide, and of two languages with equally many, the last one is taken."""
    lists = [{word.lower() for word in stop_list(name)} for name in ("de", "en", "fr")]
    monkeypatch.setattr(stoplists, "languages", lambda: ("de", "en", "fr"))
    rng = np.random.default_rng(4)
    words = [*sorted(lists[0])[:20], *sorted(lists[1])[:20], *sorted(lists[2])[:5], *(f"x{i}" for i in range(40))]
    texts = [" ".join(rng.choice(words, rng.integers(0, 30))) for _ in range(300)]
    found = []
    for text in texts:
        counts = [sum(word in some for word in text.split()) for some in lists]
        if text and max(counts) / len(text.split()) >= stoplists.PROSE:
            found.append(("de", "en", "fr")[max(range(3), key=lambda i: (counts[i], i))])
    expected = sorted({*found}, key=lambda name: (-found.count(name), found.index(name)))
    for rows in (1, 30, 300):
        batches = [Documents.from_texts(texts[at : at + rows]) for at in range(0, len(texts), rows)]
        assert detect_languages(batches) == detect_languages(batches, threads=2) == tuple(expected)


def test_a_custom_stop_list(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("ut et\nin ad ut", encoding="utf-8")
    assert stop_list(str(own)) == ("ut", "et", "in", "ad")
    assert la.stories(["et in arcadia ego sum", "et in arcadia ego sum x"], language=str(own)).labels.tolist() == [0, 0]
    (tmp_path / "empty.txt").write_text(" ", encoding="utf-8")
    (tmp_path / "broken.txt").write_bytes(b"\xff\xfe")
    refusals = {"empty.txt": "stop-list-empty", "broken.txt": "stop-list-not-utf8", "none.txt": "stop-list-missing"}
    for name, code in refusals.items():
        with refused(code, path=str(tmp_path / name)):
            stop_list(str(tmp_path / name))


# Pages


def test_html_is_reduced_to_its_visible_text() -> None:
    page = """<html><head><title>T</title><style>p {}</style></head><body><ul><li>Home</li><li>Sport</li></ul>
        <p>A <i>storm</i>&nbsp;came<br>at night.</p><script>var x = "<p>no</p>"</script></body></html>"""
    assert to_text(page).split("\n") == ["Home", "Sport", "A storm came", "at night."]
    assert to_text("no markup & all") == "no markup & all" and to_text("") == ""
    text = article(np.random.default_rng(2))
    rows = [{"id": i, "text": f"<nav>{i}</nav><p>{text}</p>"} for i in range(2)]
    found = la.stories(rows, id="id", html=True)
    assert found.pages["representative"].to_pylist() == [0, 0]


@pytest.mark.parametrize("method", ["bands", "length"])
def test_malformed_rows_are_counted_when_html_is_reduced(tmp_path: Path, method: Any) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text('{"text": "<p>the end of the day</p>"}\nno JSON\n{"text": "<p>on</p>"}\n', encoding="utf-8")
    plain, reduced = (la.stories(path, on_error="skip", html=html, method=method).summary for html in (False, True))
    assert plain.malformed == reduced.malformed == 1
    assert plain.warnings == reduced.warnings and len(plain.warnings) == 1


@given(st.text(alphabet='<>/pscriptbr &;"=a\n', max_size=60))
def test_any_text_can_be_reduced(page: str) -> None:
    text = to_text(page)
    assert "\n\n" not in text and text == text.strip()


@pytest.mark.parametrize(
    ("value", "when"),
    [
        ("2026-11-15", datetime(2026, 11, 15)),
        ("2026-11-15T10:00:00+02:00", datetime(2026, 11, 15, 8)),
        ("Sun, 15 Nov 2026 10:00:00 +0000", datetime(2026, 11, 15, 10)),
        (datetime(2026, 1, 2), datetime(2026, 1, 2)),
        ("0001-01-01T00:00:00+01:00", None),  # before the first year, in universal time
        ("9999-12-31T23:59:59-05:00", None),
        ("Fri, 31 Dec 9999 23:59:59 -0500", None),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-5))), None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_dates_in_the_formats_of_pages(value: Any, when: datetime | None) -> None:
    assert parse_date(value) == when


@pytest.mark.parametrize(
    "address",
    [
        "example.org/a//b",
        "example.org/r?u=http://other.org/x",
        "HTTPS://WWW.example.org:80",
        "//example.org",
        "example.org",
    ],
)
def test_two_slashes_inside_an_address_are_part_of_it(address: str) -> None:
    assert host_of(address) == "example.org"


@given(st.text(max_size=30))
def test_any_text_has_a_host_and_perhaps_a_date(text: str) -> None:
    assert isinstance(host_of(text), str)
    assert parse_date(text) is None or isinstance(parse_date(text), datetime)


def test_pages_without_a_date_are_counted() -> None:
    found = la.stories([{"text": "a", "d": "2026-01-01"}, {"text": "b", "d": "soon"}], date="d")
    assert found.undated == 1 and found.pages["date"].null_count == 1


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        ({"method": "magic"}, "not-one-of", {"option": "method", "allowed": ("bands", "length")}),
        ({"language": "klingon"}, "no-stop-list", {"language": "klingon", "languages": languages()}),
        ({"language": "~nobodyiscalledthis/x.txt"}, "stop-list-missing", {"path": "~nobodyiscalledthis/x.txt"}),
        ({"url": "nope"}, "no-such-column", {"column": "nope", "options": ("url",)}),
        ({"date": "nope"}, "no-such-column", {"column": "nope", "options": ("date",)}),
    ],
)
def test_invalid_options_are_refused(call: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        la.stories(["a b"], **call)


def test_a_threshold_above_one_is_refused() -> None:
    with refused("not-a-share", meant="0.8"):
        la.stories(["a b"], threshold=80)


def test_empty_input_has_no_stories() -> None:
    for data in ([], [""], ["a"]):
        found = la.stories(data)
        assert len(found) == 0 and found.stories.num_rows == found.boilerplate.num_rows == found.mirrors.num_rows == 0
    for call in ({}, {"html": True}, {"language": "en"}):
        with refused("stories-need-texts"):
            la.stories([["a", "b"]], **call)
