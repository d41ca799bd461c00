"""Corpora of texts with a truth: texts with the same label are the same thing, texts with different labels are not."""

from __future__ import annotations

import csv
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq

Labelled = tuple[list[str], list[str]]
"""Texts, and the label of each."""

LONG = 500  # characters: licence texts are divided here
PER_FILE = 6  # revisions of each file

NAMES = "Smith Garcia Chen Okafor Novak Haddad Larsen Rossi Dubois Tanaka Singh Kowalski Moreau Silva".split()
PLACES = "France Spain Peru Chile Kenya Ghana Nepal Laos Iran Iraq Oman Fiji Cuba Togo Chad Mali".split()
IDENTIFIERS = "count total size width height offset index value limit left right first last".split()


def corpora(data: Path, repositories: list[str]) -> Iterator[tuple[str, Callable[[], Labelled]]]:
    """The name of each corpus, and a function that reads or generates it. `repositories` are FOLDER:SUFFIX."""
    text, records = data / "text", data / "records"
    licences = text / "scancode_licenses.parquet"
    if text.exists():
        yield "Debian descriptions", lambda: _columns(text / "debian_descriptions.parquet", "package")
        yield "licence notices", lambda: _of_length(_columns(licences, "license_expression"), LONG, 10**9)
        yield "licence tags", lambda: _of_length(_columns(licences, "license_expression"), 0, LONG)
        yield "licence revisions", lambda: _columns(text / "spdx_revisions.parquet", "license")
        yield "Java submissions", lambda: _java(text / "java_plagiarism/IR-Plag-Dataset")
    if records.exists():
        yield "product names", lambda: _linked(records / "abt_buy", "abt.csv", "buy.csv", "|", ["name"])
        columns = ["title", "authors", "venue", "year"]
        yield "publications", lambda: _linked(records / "dblp_acm", "dblp.csv", "acm.csv", "%", columns)
        yield "citations", lambda: _cora(records / "cora")
        yield "people", lambda: _people(records / "febrl/dataset2.csv")
    yield "templates", _templates
    yield "one field differs", _one_field
    yield "products", _products
    yield "functions", _functions
    for repository in repositories:
        folder, _, suffix = repository.rpartition(":")
        name = Path(folder).parent.name if Path(folder).name in ("repo", ".git") else Path(folder).name
        yield f"revisions of {name}", lambda folder=folder, suffix=suffix: _revisions(folder, suffix)  # type: ignore[misc]


def _columns(path: Path, label: str) -> Labelled:
    table = pq.read_table(path, columns=["text", label]).to_pydict()
    return table["text"], table[label]


def _of_length(corpus: Labelled, least: int, most: int) -> Labelled:
    rows = [(text, label) for text, label in zip(*corpus, strict=True) if least <= len(text) < most]
    return [text for text, _ in rows], [label for _, label in rows]


def _java(folder: Path) -> Labelled:
    """Originals and copies of levels 1 to 3 have the same label; each independent solution has its own."""
    texts, labels = [], []
    for path in sorted(folder.rglob("*.java")):
        place = path.relative_to(folder)
        if place.parts[1] == "plagiarized" and place.parts[2] > "L3":
            continue
        texts.append(path.read_text(errors="replace"))
        labels.append(str(place) if place.parts[1].startswith("non") else place.parts[0])
    return texts, labels


def _linked(folder: Path, left: str, right: str, separator: str, columns: list[str]) -> Labelled:
    def rows(name: str) -> list[dict[str, str]]:
        with (folder / name).open(encoding="utf-8", errors="replace") as lines:
            return list(csv.DictReader(lines, delimiter=separator))

    match = {row["D2"]: row["D1"] for row in rows("gt.csv")}
    sides = [(row, "left " + row["id"]) for row in rows(left)]
    sides += [(row, "left " + match[row["id"]] if row["id"] in match else row["id"]) for row in rows(right)]
    return [" ".join(row[name] or "" for name in columns) for row, _ in sides], [label for _, label in sides]


def _cora(folder: Path) -> Labelled:
    with (folder / "cora.csv").open(encoding="utf-8", errors="replace") as lines:
        rows = [(row.pop("Entity Id"), row) for row in csv.DictReader(lines, delimiter="|")]
    label = {entity: entity for entity, _ in rows}
    for line in (folder / "cora_gt.csv").read_text().splitlines():
        one, other = line.strip().split("|")[:2]
        if one in label and other in label and label[one] != label[other]:
            old, new = label[other], label[one]
            label = {entity: new if given == old else given for entity, given in label.items()}
    return [" ".join(value for value in row.values() if value) for _, row in rows], [label[e] for e, _ in rows]


def _people(path: Path) -> Labelled:
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, skipinitialspace=True))
    labels = [row.pop("rec_id").split("-")[1] for row in rows]
    return [" ".join(value.strip() for value in row.values() if value) for row in rows], labels


def _revisions(folder: str, suffix: str) -> Labelled:
    """Up to PER_FILE revisions of each file of a git repository; the label is its path."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=True).stdout

    texts, labels = [], []
    for path in git("ls-tree", "-r", "--name-only", "HEAD").decode(errors="replace").splitlines():
        if not path.endswith(suffix) or '"' in path:
            continue
        commits = git("log", "--diff-filter=AM", "--format=%H", "--", path).decode().split()
        found = {
            git("show", f"{c}:{path}").decode(errors="replace") for c in commits[:: max(1, len(commits) // PER_FILE)]
        }
        found = {text for text in found if text.strip() and len(text) < 200_000}
        texts += sorted(found)
        labels += [path] * len(found)
    return texts, labels


def _with_variants(rng: random.Random, texts: list[str], share: float) -> Labelled:
    """Each text and, for a share of them, a variant: other case, layout or punctuation, or a typing error."""
    found, labels = [], []
    for number, text in enumerate(texts):
        found.append(text)
        labels.append(str(number))
        if rng.random() < share:
            swap = rng.randrange(len(text) - 1)
            variants = (
                text.upper(),
                re.sub(r"[,.:;]", "", text),
                text.replace(" ", "  "),
                text + rng.choice([".", "!", " (copy)"]),
                text[:swap] + text[swap + 1] + text[swap] + text[swap + 2 :],
            )
            found.append(rng.choice(variants))
            labels.append(str(number))
    return found, labels


def _templates() -> Labelled:
    """Messages of three templates in which several fields differ."""
    rng = random.Random(1)
    some = rng.randrange

    def one() -> str:
        form = rng.randrange(3)
        if form == 0:
            price, days = f"{some(10, 999)}.{some(10, 99)}", rng.choice([14, 30])
            day = f"{rng.choice(['May', 'June'])} {some(1, 29)}"
            return (
                f"Invoice {some(1000, 9999)} of {day}: {price} EUR for {rng.choice(NAMES)}, payable within {days} days."
            )
        if form == 1:
            parcel, day = some(10**6, 10**7), f"{some(1, 29)}/{some(1, 13)}"
            hours = f"between {some(8, 18)}:00 and {some(8, 18)}:30"
            return f"Dear {rng.choice(NAMES)}, parcel {parcel} comes on {day} {hours}. Please make sure to be at home."
        time = f"2026-{some(1, 13):02}-{some(1, 29):02} {some(24):02}:{some(60):02}"
        host, request = f"10.0.{some(256)}.{some(256)}", f"{some(16**8):08x}"
        return f"ERROR {time} worker-{some(64)} request {request} failed: {host} timed out after {some(60)} s"

    return _with_variants(rng, sorted({one() for _ in range(3000)}), 0.3)


def _one_field() -> Labelled:
    """Sentences of five templates that differ in one field: a number, a name, or only symbols."""
    rng = random.Random(2)
    licences = [v + more for v in "123" for more in ("", "+", " only", " or later", ".0", ".1")]
    types = [name + more for name in "int long float double char bool".split() for more in ("", "[]", "*", "&", "[][]")]
    texts = [f"The sensor in room {n} reported no fault during the last day and needs no service." for n in range(300)]
    texts += [f"This file is licensed under the GNU General Public License version {v}; see COPYING." for v in licences]
    texts += [f"Returns the value of the property as {t} or the default if it has not been set before." for t in types]
    texts += [f"The temperature at {n} degrees is within the limits that the maker allows." for n in range(-40, 40)]
    texts += [f"What is the capital of {place}, and how many people live there now?" for place in PLACES]
    return _with_variants(rng, texts, 0.3)


def _products() -> Labelled:
    rng = random.Random(3)
    brands, kinds = "Sony Bosch Canon Philips Makita Epson".split(), "Headphones Drill Camera Printer Speaker".split()
    titles = {
        f"{rng.choice(brands)} {rng.choice(['DCS', 'XR', 'PL', 'KX'])}-{rng.randrange(100, 9999)} "
        f"{rng.choice(['Wireless', 'Cordless', 'Portable', 'Compact'])} {rng.choice(kinds)} "
        f"{rng.choice([12, 16, 18, 32, 64])} {rng.choice(['V', 'GB', 'W'])} {rng.choice(['Black', 'White', 'Blue'])}"
        for _ in range(3000)
    }
    return _with_variants(rng, sorted(titles), 0.4)


def _functions() -> Labelled:
    """Small functions, reformatted (the same label), and with another operator or type (another label)."""
    rng = random.Random(4)
    texts, labels = [], []
    for number in range(300):
        a, b, c = rng.sample(IDENTIFIERS, 3)
        lines = [
            f"{rng.choice(['int', 'long', 'int[]', 'double'])} compute({rng.choice(['int', 'int*'])} {a}, int {b}) {{",
            f"    int {c} = {a} {rng.choice('+-*/%&|^')} {b};",
            f"    if ({c} {rng.choice(['<', '<=', '>', '==', '!='])} {rng.randrange(10)}) {{",
            f"        {c} {rng.choice(['+=', '-=', '*='])} {rng.randrange(1, 9)};",
            "    }",
            f"    return {rng.choice(['', '!', '-', '~'])}{c} {rng.choice('+-*/')} {rng.randrange(10)};",
            "}",
        ]
        tabs = [line.replace("    ", "\t").replace(") {", ")\n{") for line in lines]
        dense = [re.sub(r"(?<=\W) | (?=\W)", "", line) for line in lines]
        other = list(lines)
        other[1] = other[1].replace(other[1].split()[4], rng.choice(["<<", ">>"]))
        typed = [lines[0].replace("(int", "(long").replace(") {", ", ...) {"), *lines[1:]]
        for text, label in ((lines, ""), (tabs, ""), (dense, ""), (other, " operator"), (typed, " type")):
            texts.append("\n".join(text))
            labels.append(f"{number}{label}")
    return texts, labels
