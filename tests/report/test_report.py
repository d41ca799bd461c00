"""The report is one safe, self-contained file whose numbers are those of the run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.errors import OutputError
from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import open_source
from lookalike.io.source import Source
from lookalike.report import write_report
from lookalike.report.figures import compared_members, gather
from lookalike.report.interactive import ENTRY, OF_RECORDS, script
from tests.refusals import refused

BASE = "the committee met on monday to discuss the new budget for the schools of the region and the roads in the north"
NASTY = "<script>alert('x')</script><img src=x onerror=alert(1)> & \"quoted\" </mark></html>"
TEXTS = [
    BASE,
    BASE.upper(),
    BASE + " at length",
    BASE.replace("monday", "tuesday"),
    "",
    "something else entirely, about cats and the weather of last autumn in the hills",
    f"{BASE} {NASTY}",
    f"{BASE} {NASTY}!",
    "هذا نص عن الطقس في المدينة وهو طويل بما يكفي للمقارنة بين النصوص",
    "هذا نص عن الطقس في المدينة وهو طويل بما يكفي للمقارنة بين النص",
]


class Page(HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def report_of(tmp_path: Path, result: Any, source: Source) -> str:
    return write_report(tmp_path / "report.html", result, source).read_text(encoding="utf-8")


def tile(html: str, name: str) -> int:
    found = re.search(rf"<b>([\d,]+)</b><span>{re.escape(name)}", html)
    assert found, name
    return int(found[1].replace(",", ""))


def only_the_own_script(html: str) -> None:
    """Asserts that the page has no script, or its data and the one script whose hash its policy allows."""
    tags = re.findall(r"<script([^>]*)>", html)
    assert tags in ([], [' type="application/json" id="data"', ""])
    assert bool(tags) == ("script-src" in html)
    if tags:
        text = html.rpartition("<script>")[2].partition("</script>")[0]
        allowed = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'" in html
        assert text in {f"\n{script(entry)}\n" for entry in (ENTRY, OF_RECORDS)}


@pytest.fixture(params=["pairs", "clusters", "dedupe"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, str]:
    source = open_source([{"id": f"doc <{i}>", "text": text} for i, text in enumerate(TEXTS)], id="id")
    verbs: dict[str, Any] = {"pairs": la.find_pairs, "clusters": la.find_clusters, "dedupe": la.dedupe}
    result = verbs[request.param](source, threshold=0.7, shingles="chars:5")
    return result, report_of(tmp_path, result, source)


def test_the_page_is_well_formed_and_every_element_is_closed(made: tuple[Any, str]) -> None:
    assert Page(made[1]).open == []


def test_nothing_in_the_data_becomes_markup(made: tuple[Any, str]) -> None:
    html = made[1]
    page = Page(html)
    assert not {"img", "iframe", "object", "link"} & set(page.tags)
    only_the_own_script(html)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "alert('x')" in unescape(html)  # it is shown, as text
    assert "doc &lt;7&gt;" in html


def test_the_page_needs_no_network_and_forbids_its_use(made: tuple[Any, str]) -> None:
    html = made[1].replace("http://www.w3.org/2000/svg", "")  # the name of a namespace, which is not an address
    html = re.sub(r"script-src 'sha256-[^']+'", "", html)
    assert not re.search(r"(?i)https?:|//[a-z]|@import|url\(", html)
    assert {name for name, _ in Page(made[1]).attributes}.isdisjoint({"src", "srcset", "data", "action"})
    assert "default-src 'none'" in made[1]


@pytest.mark.browser
def test_a_browser_shows_the_page_and_runs_nothing_of_the_data(tmp_path: Path, chromium: str) -> None:
    texts = [f"{BASE} <script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"] * 2
    source = open_source(texts)
    path = write_report(tmp_path / "report.html", la.find_pairs(source), source)
    quiet = "--headless --no-sandbox --disable-gpu --no-first-run --disable-sync".split()
    quiet += "--disable-background-networking --disable-component-update".split()
    shown = subprocess.run(
        [chromium, *quiet, f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    assert "<title>Similar documents in the list given" in shown
    assert "owned" in shown
    assert Page(shown).tags.count("article") == 1 and 'class="clusters"' in shown


def test_the_page_shows_the_numbers_of_the_run(made: tuple[Any, str]) -> None:
    result, html = made
    assert tile(html, "documents") == 10
    assert tile(html, "same words") == result.summary.same_words == 1
    assert tile(html, "near-duplicates") == result._overview().near == 4
    assert tile(html, "clusters") == 3
    assert "1 empty text" in html
    if isinstance(result, la.Pairs):
        assert tile(html, "similar pairs") == len(result)
    if isinstance(result, la.Deduped):
        assert (tile(html, "documents kept"), tile(html, "documents removed")) == (5, 5)
        assert "5 of 10 documents were removed, and 5 remain, 50.0% of the input." in html
        assert "Every removed document has a similarity of 0.7 or more to the one kept in its place." in html
        assert tile(html, "same words: the same characters as the document kept") == 1
    else:
        assert "8 of 10 documents have a look-alike with a similarity of 0.7 or more" in html


def test_stars_are_not_shown_as_connected_clusters_and_chains_are_named(tmp_path: Path) -> None:
    """Of a chain, a star removes only what is similar to the kept document; a connected cluster removes the others."""
    chain = [" ".join(f"word{i}" for i in range(start, start + 10)) for start in range(9)]
    options: Any = {"threshold": 0.6, "shingles": "words:1"}
    star, connected = la.dedupe(chain, **options), la.dedupe(chain, linkage="connected", **options)
    page = report_of(tmp_path, star, open_source(chain)).partition("<script")[0]
    assert (len(star), len(connected)) == (3, 1)
    assert "documents that were removed in favour of it" in page and "connected by similar pairs" not in page
    assert "least similar to the representative: " in page and "least similar pair" not in page
    assert "below the threshold" not in page
    figures = gather(star, open_source(chain))
    assert [group.least.similarity for group in figures.groups if group.least] == [pytest.approx(8 / 12)] * 3
    page = write_report(tmp_path / "c.html", connected, open_source(chain)).read_text(encoding="utf-8")
    assert "connected by similar pairs" in page and "least similar pair" in page
    assert "Of those removed, 6 have a similarity below 0.6 to the document kept in their place." in page
    assert tile(page, "near-duplicates below the threshold") == 6


def test_counts_of_new_documents_leave_the_reference_out(tmp_path: Path) -> None:
    old, new = TEXTS[:4], TEXTS[2:6]
    result = la.dedupe(new, against=old, threshold=0.7, shingles="chars:5")
    page = report_of(tmp_path, result, open_source([*old, *new]))
    assert (tile(page, "documents"), tile(page, "reference documents")) == (4, 4)
    assert f"{result.removed.num_rows} of 4 documents were removed" in page


def test_every_kind_of_result_counts_the_same_documents(tmp_path: Path) -> None:
    options: Any = {"threshold": 0.7, "shingles": "chars:5"}
    counts = [verb(TEXTS, **options)._overview() for verb in (la.find_pairs, la.find_clusters, la.dedupe)]
    assert len({(c.documents, c.copies, c.near, c.clusters, c.clustered, c.sizes, c.distinct) for c in counts}) == 1


def test_similarities_shown_are_those_of_the_result(tmp_path: Path) -> None:
    source = open_source(TEXTS)
    pairs = la.find_pairs(source, threshold=0.7, shingles="chars:5")
    figures = gather(pairs, source)
    assert pairs.similarity is not None
    known = {(str(a), str(b)): s for a, b, s in pairs}
    assert figures.samples
    for sample in figures.samples:
        assert sample.measured == known[sample.left, sample.right] == sample.comparison.similarity


def test_similarities_of_clusters_are_measured_to_the_representative() -> None:
    source = open_source(TEXTS)
    clusters = la.find_clusters(source, threshold=0.7, shingles="chars:5")
    deduped = la.dedupe(source, threshold=0.7, shingles="chars:5")
    np.testing.assert_array_equal(gather(clusters, source).similarities, deduped.removed["similarity"].to_numpy())


def chained(links: int) -> list[str]:
    """Texts of which each is similar to the next, and the last ones share nothing with the first."""
    return [" ".join(f"w{i}" for i in range(start, start + 40)) for start in range(0, 4 * links, 4)]


@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters, la.dedupe])
def test_the_least_similar_pair_of_a_cluster_is_shown(tmp_path: Path, verb: Any) -> None:
    texts = chained(15)
    chains = {"linkage": "connected"} if verb is la.dedupe else {}
    found = verb(texts, threshold=0.7, shingles="words:1", recall=1, **chains)
    least = gather(found, open_source(texts)).groups[0].least
    assert least is not None and (least.left, least.right, least.similarity, least.compared) == ("0", "10", 0.0, 15)
    assert "least similar pair: 0.000" in report_of(tmp_path, found, open_source(texts))


def test_members_of_a_large_cluster_are_sampled_and_the_report_says_so(tmp_path: Path) -> None:
    texts = chained(150)
    found = la.find_clusters(texts, threshold=0.7, shingles="words:1", recall=1, keep="last")
    group = gather(found, open_source(texts)).groups[0]
    assert group.size == 150 and group.least is not None and group.least.compared == 100
    assert "(among 100 members, evenly spread)" in report_of(tmp_path, found, open_source(texts))
    rows = np.arange(150, dtype=np.int64)
    for representative in (0, 77, 149):
        some = compared_members(rows, representative)
        assert len(np.unique(some)) == 100 and representative in some and (some[0], some[-1]) == (0, 149)


def test_the_report_of_star_clusters_says_what_they_are(tmp_path: Path) -> None:
    texts = chained(30)
    found = la.find_clusters(texts, threshold=0.7, shingles="words:1", recall=1, linkage="star")
    page = report_of(tmp_path, found, open_source(texts))
    assert "A cluster consists of a representative and the documents that are similar to it." in page
    figures = gather(found, open_source(texts))
    assert figures.similarities.min() >= 0.7


@pytest.mark.parametrize("texts", [[], [""], ["one"], ["one", "two"]], ids=["none", "empty", "one", "two"])
@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters, la.dedupe])
def test_a_corpus_without_similar_documents_has_a_report_too(tmp_path: Path, verb: Any, texts: list[str]) -> None:
    source = open_source(texts)
    html = report_of(tmp_path, verb(source), source)
    assert Page(html).open == []
    assert tile(html, "documents") == len(texts)
    assert "There are no clusters of two or more documents." in html


def test_unchecked_pairs_have_a_report_that_says_so(tmp_path: Path) -> None:
    source = open_source(TEXTS)
    html = report_of(tmp_path, la.find_pairs(source, verify="none"), source)
    assert "unchecked candidates" in html
    assert "Pairs side by side" in html


def test_lists_of_tokens_are_shown_with_their_tokens_marked(tmp_path: Path) -> None:
    source = open_source([["bread", "milk", "eggs", "beer"], ["bread", "milk", "eggs", "wine"]])
    html = report_of(tmp_path, la.find_pairs(source, threshold=0.5), source)
    assert "bread milk eggs" in html and "<mark>beer</mark>" in html and "<mark>wine</mark>" in html


def test_long_texts_are_shown_in_excerpts(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    long = " ".join(rng.choice(["alpha", "beta", "gamma", "delta", "omega"], 60_000))
    source = open_source([long, long[:100_000] + " DIFFERENT " + long[100_000:], "x"])
    html = report_of(tmp_path, la.find_pairs(source, threshold=0.5), source)
    assert len(html) < 100_000
    assert "characters …" in html


def test_a_large_corpus_has_a_small_report_with_all_of_it_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    words = [f"w{i}" for i in range(3000)]
    base = [" ".join(rng.choice(words, 30)) for _ in range(2000)]
    texts = base + [text.replace(" ", " , ", 1) for text in base[:900]] + [text + " more" for text in base[:500]]
    source = open_source(texts)
    clusters = la.find_clusters(source, threshold=0.7, shingles="words:2")
    html = report_of(tmp_path, clusters, source)
    assert len(html) < 300_000
    assert tile(html, "documents") == 3400
    assert tile(html, "same words") == 900
    assert html.count('<article class="pair">') == 12


def test_samples_do_not_depend_on_batches(tmp_path: Path) -> None:
    shown = []
    for batch_rows in (1, 3, 8192):
        source = open_source(TEXTS, batch_rows=batch_rows)
        figures = gather(la.find_pairs(source, threshold=0.7, shingles="chars:5"), source)
        shown.append([(s.left, s.right, s.comparison.a, s.comparison.b) for s in figures.samples])
    assert shown[0] == shown[1] == shown[2]


def test_an_existing_report_is_overwritten_only_by_force(tmp_path: Path) -> None:
    source = open_source(TEXTS)
    pairs = la.find_pairs(source)
    path = write_report(tmp_path / "r.html", pairs, source)
    with refused("output-exists", path=str(path)):
        write_report(path, pairs, source)
    path.write_text("old")
    write_report(path, pairs, source, force=True)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]  # nothing temporary is left


def test_a_report_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    source = open_source(["a"])
    (tmp_path / "file").touch()
    with pytest.raises(OutputError):
        write_report(tmp_path / "file" / "r.html", la.find_pairs(source), source)
    with refused("report-is-a-folder", path=str(tmp_path)):
        write_report(tmp_path, la.find_pairs(source), source)


def test_an_unknown_precision_is_not_shown_as_a_number(tmp_path: Path) -> None:
    """A result without pairs has no precision."""
    found = la.find_pairs(TEXTS[:4], threshold=0.5, hashes=128, bands=1, rows=128, shingles="chars:5")
    audit = la.audit(found, TEXTS[:4])
    assert len(found) == 1 and audit.recall.of > 2
    none = la.Pairs(found.left_rows[:0], found.right_rows[:0], np.zeros(0), found.threshold, 4, None, found.summary)
    audit = la.audit(none, TEXTS[:4])
    assert audit.recall.value == 0 and not audit.precision.of
    page = write_report(tmp_path / "r.html", none, open_source(TEXTS[:4]), audit=audit).read_text(encoding="utf-8")
    assert "precision, unknown" in page and ">nan<" not in page


def test_copies_within_a_reference_are_not_shown_as_removed() -> None:
    old, new = [BASE, BASE.upper()], [BASE + " at length", TEXTS[5]]
    result = la.dedupe(new, against=old, threshold=0.6, shingles="words:2")
    assert result.removed.num_rows == 1
    figures = gather(result, ChainedSource(open_source(old), open_source(new)))
    assert len(figures.similarities) == len(figures.samples) == 1
    assert figures.samples[0].measured == figures.samples[0].comparison.similarity < 1


def test_measuring_for_a_report_stays_within_the_memory_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members of clusters were measured with all free memory, regardless of the budget of the run."""
    budgets = []
    measure = Local.measure

    def seen(self: Local, *arguments: Any) -> Any:
        budgets.append((self.kernel.threads, self.memory))
        return measure(self, *arguments)

    monkeypatch.setattr(Local, "measure", seen)
    source = open_source(TEXTS)
    write_report(tmp_path / "r.html", la.find_clusters(source), source, threads=1, memory="1GiB")
    assert set(budgets) == {(1, 1 << 30)}


def test_similarities_below_one_are_not_rounded_up_to_one(tmp_path: Path) -> None:
    """Texts that differ in one word of 20,000 were reported as "0 of similarity 1, … with median 1.000"."""
    words = [f"w{i}" for i in range(20_000)]
    other = [*words[:10_000], "changed", *words[10_001:]]
    source = open_source([" ".join(words), " ".join(other)])
    page = write_report(tmp_path / "r.html", la.find_clusters(source), source).read_text(encoding="utf-8")
    assert "(median 0.9995, minimum 0.9995)" in page and "least similar pair: 0.9995" in page
    assert "1.000" not in page


# The pages of other verbs


def nasty_pages(folder: Path) -> dict[str, Any]:
    """Calls that write a page about data whose texts, ids, column and file names try to become markup."""
    name = NASTY.replace("/", "")
    texts = [{"id": f"{NASTY} {i}", "text": f"{BASE} {NASTY} {i}"} for i in range(3)]
    train = folder / f"{name}.jsonl"
    train.write_text("".join(json.dumps(row) + "\n" for row in texts), encoding="utf-8")
    essays = folder / f"{name} essays"
    essays.mkdir()
    for i in range(3):
        (essays / f"{name} {i}.txt").write_text(f"{BASE} {NASTY} {i}", encoding="utf-8")
    people = [{"id": f"{NASTY} {i}", NASTY: f"ann lee {NASTY}", "city": NASTY} for i in range(4)]
    return {
        "contamination": lambda **to: la.contamination(train, train, id="id", **to),
        "plagiarism": lambda **to: la.plagiarism(essays, **to),
        "resolve": lambda **to: la.resolve(people, id="id", **to),
        "dedupe": lambda **to: la.dedupe(train, id="id", **to),
    }


@pytest.mark.parametrize("verb", ["contamination", "plagiarism", "resolve", "dedupe"])
def test_nothing_in_the_data_becomes_markup_on_any_page(verb: str, tmp_path: Path) -> None:
    nasty_pages(tmp_path)[verb](report=tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(html)
    assert page.open == []
    assert not {"img", "iframe", "object", "link"} & set(page.tags)
    only_the_own_script(html)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "alert('x')" in unescape(html)
