"""News: how much better are stop-word shingles on pages where articles are surrounded by menus and teasers?

    python benchmarks/news.py [--articles 600] [--data scancode_licenses.parquet] [--speed 1900]

Pages: every article has 80 to 400 words and appears on one to six of 40 hosts, with up to one word in twelve changed.
All pages of a host have the same boilerplate (menu, footer, advertisements: 150 to 500 words) and a box of teasers, the
first words of other articles. 40 % of the words of an article are English stop words, but only 10 % of the boilerplate.
All pairs of pages are compared. "precision" is the share of reported pairs with the same article, at the threshold that
finds 95 % of these pairs.

Licences: dissimilar licence notices, each followed by three different pieces of 3,000 characters from Python's standard
library, with and without comments and strings (which are prose too).

Speed: `stories` with hosts, on the pages of more articles (`--speed`), in memory and in files. The pages are read and
grouped five times, and the fastest run counts.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import measure, text_kinds
from common.truth import pairs_within

import lookalike as la
from lookalike.apps.plagiarism.lexer import tokenize
from lookalike.apps.stories.boilerplate import sample_pages, usual_shingles
from lookalike.flow.stopwords import ENGLISH

HOSTS = 40
SHINGLES = ("words:3", "words:5", "stopwords")
LEAST = 0.005
"""Pairs with a lower similarity are ignored; less than 5 % of the true pairs may be among them."""

PROGRAM = 3000
"""Characters of program text after a notice."""

Words = list[str]


class Writer:
    """Generates texts of words with Zipf frequencies and a given share of stop words."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        kind = text_kinds.KINDS["zipf"]
        content: Words = []
        while len(content) < 300_000:
            content += kind.text(kind.original(self.rng)).split()
        self.content = np.array(content)
        weight = 1 / np.arange(1, len(ENGLISH) + 1)
        self.stop_weight = weight / weight.sum()
        self.stops = self.rng.permutation(np.array(ENGLISH))

    def words(self, count: int, stops: float) -> Words:
        chosen = self.content[self.rng.integers(len(self.content), size=count)]
        stop = self.rng.random(count) < stops
        chosen[stop] = self.rng.choice(self.stops, int(stop.sum()), p=self.stop_weight)
        return [str(word) for word in chosen]

    def edited(self, words: Words) -> Words:
        share = self.rng.uniform(0, 1 / 12)
        other = self.words(len(words), 0.4)
        return [new if self.rng.random() < share else word for word, new in zip(words, other, strict=True)]


def pages(articles: int, seed: int = 1) -> tuple[list[str], list[int], list[str]]:
    """Pages, and the article and host of each page."""
    writer = Writer(seed)
    rng = writer.rng
    boilerplate = [(writer.words(int(rng.integers(100, 300)), 0.1), writer.words(int(rng.integers(50, 200)), 0.1))
                 for _ in range(HOSTS)]  # fmt: skip
    written = [writer.words(int(rng.integers(80, 400)), 0.4) for _ in range(articles)]
    found, truth, hosts = [], [], []
    for article, text in enumerate(written):
        for host in rng.choice(HOSTS, int(rng.integers(1, 7)), replace=False):
            teasers = [word for i in rng.choice(len(written), 8, replace=False) for word in written[i][:12]]
            top, bottom = boilerplate[host]
            found.append(" ".join([*top, *writer.edited(text), *teasers, *bottom]))
            truth.append(article)
            hosts.append(f"host{host}")
    return found, truth, hosts


def notices(data: Path, bare: bool, count: int = 300) -> tuple[list[str], list[int]]:
    """Files, and the number of the notice that each begins with. No two files have the same program text."""
    kept = [row["text"] for row in pq.read_table(data).to_pylist() if row["kind"] == "is_license_notice"]
    kept = [text for text in kept if 200 <= len(text) <= 3000]
    # Many notices differ in only a word or two; the true pairs are unambiguous only among dissimilar notices.
    chosen = la.dedupe(kept, threshold=0.3, shingles="words:3", linkage="star").kept["text"].to_pylist()[:count]
    library = Path(sysconfig.get_paths()["stdlib"])
    programs = [file.read_text(errors="replace") for file in sorted(library.glob("*.py"))]
    if bare:
        programs = [without_prose(code) for code in programs]
    pieces = [code[at : at + PROGRAM] for code in programs for at in range(0, len(code) - PROGRAM, PROGRAM)]
    files = np.random.default_rng(5).permutation(len(pieces))[: 3 * len(chosen)]
    truth = [number for number in range(len(chosen)) for _ in range(3)]
    return [chosen[number] + "\n" + pieces[file] for number, file in zip(truth, files, strict=True)], truth


def without_prose(code: str) -> str:
    """A program without comments and strings."""
    tokens = tokenize(code, "python", names="keep")
    return " ".join(word for word in tokens.words if not word.lstrip("rbufRBUF").startswith(("'", '"')))


def compare(name: str, texts: list[str], truth: list[int], hosts: list[str] | None = None) -> None:
    same = np.array(truth)
    total = pairs_within(same)
    cuts: dict[str, str | la.Shingling] = {f"`{shingles}`": shingles for shingles in SHINGLES}
    if hosts is not None:
        samples = sample_pages(hosts, range(len(hosts)))
        usual = usual_shingles(samples, dict(enumerate(texts)), la.Stopwords())
        cuts["`stopwords`, boilerplate of hosts excluded"] = la.Stopwords(ignored=usual)
    for cut, shingles in cuts.items():
        pairs = la.join(texts, threshold=LEAST, shingles=shingles)
        similarity = pairs.similarity
        assert similarity is not None
        right = same[pairs.left_rows] == same[pairs.right_rows]
        order = np.argsort(-similarity, kind="stable")
        hits = np.cumsum(right[order])
        at = int(np.searchsorted(hits, 0.95 * total))
        if at == len(hits):
            print(f"| {name} | {cut} | – | – | {hits[-1] / total:.3f} at most |")
            continue
        threshold = float(similarity[order[at]])
        f1 = 2 * hits / (np.arange(1, len(hits) + 1) + total)
        best = int(f1.argmax())
        print(
            f"| {name} | {cut} | {hits[at] / (at + 1):.4f} | {threshold:.3f} "
            f"| {f1[best]:.4f} at {similarity[order[best]]:.3f} |"
        )


def find_stories(texts: list[str], truth: list[int], hosts: list[str]) -> None:
    """Runs `stories` with its defaults on the same pages; compares pairs within stories with pairs within articles."""
    same = np.array(truth)
    for method in ("bands", "length"):
        call = partial(la.stories, {"text": texts, "host": hosts}, url="host", method=method)
        found, _, cpu = measure.timed(call)
        both = pairs_within(np.unique(np.stack([found.labels, same]), axis=1, return_inverse=True)[1].ravel())
        precision, recall = both / max(1, pairs_within(found.labels)), both / pairs_within(same)
        print(f"\n`stories`, method {method}: precision {precision:.4f}, recall {recall:.4f}, {cpu:.1f} s of CPU time")


def speed(articles: int) -> None:
    """Prints the megabytes of text per second that `stories` reads with two threads."""
    texts, _, hosts = pages(articles)
    table = pa.table({"text": texts, "host": hosts})
    size = sum(len(text.encode()) for text in texts) / 1e6
    print(f"\n{len(texts):,} pages, {size:.1f} MB, two threads\n")
    print("| pages | wall | CPU | MB per second |\n|---|---|---|---|")
    with TemporaryDirectory() as folder:
        parquet, lines = Path(folder) / "pages.parquet", Path(folder) / "pages.jsonl"
        pq.write_table(table, parquet)
        lines.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
        for name, data in (("in memory", table), ("Parquet", parquet), ("JSON Lines", lines)):
            runs = [measure.timed(partial(la.stories, data, url="host", threads=2, progress=False)) for _ in range(5)]
            _, wall, cpu = min(runs, key=lambda run: run[1])
            print(f"| {name} | {wall:.2f} s | {cpu:.2f} s | {size / wall:.0f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=600)
    parser.add_argument("--data", type=Path, help="Parquet file of licence notices")
    parser.add_argument("--speed", type=int, default=1900, help="articles for the measurement of speed; 0: skip it")
    options = parser.parse_args()
    print(f"\n{measure.machine()}\n")
    if options.speed:
        speed(options.speed)
    if not options.articles:
        raise SystemExit
    print("| texts | shingles | precision at recall 0.95 | threshold | best F1 |\n|---|---|---|---|---|")
    made = pages(options.articles)
    compare(f"{len(made[0]):,} pages", *made)
    if options.data:
        for bare, programs in ((False, "programs"), (True, "programs without comments and strings")):
            files = notices(options.data, bare)
            compare(f"{len(files[0]):,} licence notices in {programs}", *files)
    find_stories(*made)
