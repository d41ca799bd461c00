"""Runs of the applications: records, stories, plagiarism and fingerprints."""

from __future__ import annotations

from tests.answers.adapters import match_prints
from tests.answers.asking import Made, Run, ask

PEOPLE, SHOP, SUPPLIER, PAGES = Made("people"), Made("shop"), Made("supplier"), Made("web_pages")
ESSAYS, LIBRARY = Made("essays"), Made("library")

RECORDS: dict[str, Run] = {
    "resolve, people": ask("resolve", PEOPLE),
    "resolve, one thread": ask("resolve", PEOPLE, threads=1),
    "resolve, csv": ask("resolve", "people.csv"),
    "resolve, points": ask("resolve", PEOPLE, method="points"),
    "resolve, points with a check": ask("resolve", PEOPLE, method="points", check="born", threshold=250),
    "resolve, corrected": ask("resolve", PEOPLE, fields=["phone:code", "born:date"], ignore=["street"], top=5),
    "resolve, high threshold": ask("resolve", PEOPLE, threshold=0.9999),
    "link, tables": ask("link", SHOP, SUPPLIER, id="number"),
    "link, one to one": ask("link", SHOP, SUPPLIER, id="number", one_to_one=True),
    "link, many to many": ask("link", SHOP, SUPPLIER, id="number", one_to_one=False, threshold=0.3),
    "link, csv": ask("link", "shop.csv", "supplier.csv", id="number"),
    "link, points": ask("link", SHOP, SUPPLIER, id="number", method="points", threshold=200),
}

STORIES: dict[str, Run] = {
    "stories, hosts and dates": ask("stories", PAGES, id="url", url="url", date="date"),
    "stories, by length": ask("stories", PAGES, id="url", method="length"),
    "stories, threshold": ask("stories", PAGES, threshold="0.6", language="en"),
    "stories, file": ask("stories", "pages.jsonl", url="url", threads=1),
}

PLAGIARISM: dict[str, Run] = {
    "plagiarism, essays": ask("plagiarism", ESSAYS),
    "plagiarism, library": ask("plagiarism", ESSAYS, LIBRARY, threads=2),
    "plagiarism, template": ask("plagiarism", ESSAYS, LIBRARY, template=Made("template"), k=4, passage=10, top=3),
    "plagiarism, folders": ask("plagiarism", "essays", "library", threshold="0.05"),
    "plagiarism, programs": ask("plagiarism", "programs"),
    "plagiarism, programs, names kept": ask("plagiarism", "programs", names="keep", passage=8),
    "plagiarism, programs, by folder": ask("plagiarism", "programs", by_folder=True, common=1),
}

PRINTS: dict[str, Run] = {
    "fingerprints, all": match_prints("prints.csv", method="grid"),
    "fingerprints, gallery": match_prints("prints.csv", "gallery.csv", margin=0.2),
    "fingerprints, fine grid": match_prints("prints.csv", side=0.7, sectors=2, count=4096, size=2, seed=3),
    "fingerprints, unaligned": match_prints("prints.csv", threshold=0),
    "fingerprints, unaligned gallery": match_prints("prints.csv", "gallery.csv", threshold=0, threads=2),
    "fingerprints, groups": match_prints("prints.csv", groups=2, size=2, threshold="0.5", threads=2),
}

RUNS: dict[str, Run] = RECORDS | STORIES | PLAGIARISM | PRINTS
