"""Creates tables of options from the declarations in requests/."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import lookalike as la
from lookalike.apps.fingerprints import match_prints
from lookalike.requests import applications, clustering, records, verbs
from lookalike.requests.option import GROUPS, Declared, declared
from lookalike.requests.reading import Reading
from lookalike.requests.shared import Corpus
from tools.python_reference.docstrings import cell

REQUESTS: dict[Any, type[Any]] = {
    la.find_pairs: verbs.FindPairs,
    la.find_clusters: clustering.FindClusters,
    la.dedupe: clustering.Dedupe,
    la.forecast: verbs.Forecast,
    la.join: verbs.Join,
    la.nearest: verbs.Nearest,
    la.audit: verbs.Audit,
    la.contamination: verbs.Contamination,
    la.compare: verbs.Compare,
    la.frequent_pairs: verbs.FrequentPairs,
    la.signature: verbs.Signing,
    la.signatures: verbs.SignData,
    la.simhash: verbs.SimHash,
    la.resolve_plan: Reading,
    la.resolve: records.Resolve,
    la.link: records.Link,
    la.stories: applications.Stories,
    la.plagiarism: applications.Plagiarism,
    match_prints: applications.MatchPrints,
    la.images.find_pairs: applications.FindPictures,
    la.images.nearest: applications.NearestPictures,
}

CORPUS = """## Options for a corpus

`find_pairs`, `find_clusters`, `dedupe` and `forecast` take all of these options; other functions take some of them.
"""


def corpus() -> str:
    return "\n".join([CORPUS, _tables(declared(Corpus))])


def options(verb: Any) -> str:
    """Returns the options that only this verb has, as tables, and the names of the options that it shares."""
    fields, shared = declared(REQUESTS[verb]), declared(Corpus)
    same = [name for name, field in fields.items() if shared.get(name) == field]
    own = _tables({name: field for name, field in fields.items() if name not in same})
    link = "[options for a corpus](python.md#options-for-a-corpus)"
    listed = ", ".join(f"`{name}`" for name in same)
    also = f"all {link}." if len(same) == len(shared) else f"these {link}: {listed}."
    return "\n".join(part for part in (own, f"`{verb.__name__}` takes {also}\n" if same else "") if part)


def _tables(fields: Mapping[str, Declared]) -> str:
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, field in fields.items():
        groups[field.option.group].append(_row(name, field))
    tables = [
        "\n".join([f"| {group.lower()} | default | meaning |", "|---|---|---|", *rows, ""])
        for group, rows in groups.items()
        if rows
    ]
    return "\n".join(tables)


def _row(name: str, field: Declared) -> str:
    option = field.option
    shown = f"*`{name}`*" if option.python_only else f"`{name}`"
    default = "required" if field.required else option.shown or _quoted(option.default)
    meaning = option.help
    if field.choices:
        meaning += f" One of {', '.join(map(_quoted, field.choices))}."
    return f"| {shown} | {_named(default)} | {_named(meaning)} |"


def _named(text: str) -> str:
    for name in {name for request in REQUESTS.values() for name in declared(request)}:
        text = text.replace(f"{{@{name}}}", f"`{name}`")
    return cell(text)


def _quoted(value: Any) -> str:
    return "none" if value is None else f'`"{value}"`' if isinstance(value, str) else f"`{value!r}`"
