"""Generates docs/reference/options.md from the declarations in requests/.

python tools/options_reference.py            write the page
python tools/options_reference.py --check    fail if the page is out of date
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.apps.fingerprints import match_prints
from lookalike.requests import applications, verbs
from lookalike.requests.option import GROUPS, Declared, declared
from lookalike.requests.shared import Corpus

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "options.md"

REQUESTS: dict[Any, type[Any]] = {
    la.find_pairs: verbs.FindPairs,
    la.find_clusters: verbs.FindClusters,
    la.dedupe: verbs.Dedupe,
    la.forecast: verbs.Forecast,
    la.join: verbs.Join,
    la.nearest: verbs.Nearest,
    la.audit: verbs.Audit,
    la.contamination: verbs.Contamination,
    la.compare: verbs.Compare,
    la.frequent_pairs: verbs.FrequentPairs,
    la.resolve: applications.Resolve,
    la.link: applications.Link,
    la.stories: applications.Stories,
    la.plagiarism: applications.Plagiarism,
    match_prints: applications.MatchPrints,
}

HEAD = """# Options

What each function takes by name; `help(lookalike.find_pairs)` prints the same. Commands have the same options, spelled
`--on-error` for `on_error` ([command line](cli.md)); options in *italics* exist in Python only. None stands for the
default of any option. This page is made by `tools/options_reference.py`.

## Options for a corpus

`find_pairs`, `find_clusters`, `dedupe` and `forecast` take all of these.
"""


def page() -> str:
    corpus = declared(Corpus)
    sections = [HEAD, _tables(corpus)]
    for verb, request in REQUESTS.items():
        fields = declared(request)
        same = [name for name, field in fields.items() if corpus.get(name) == field]
        arguments = [name for name in inspect.signature(verb).parameters if name not in fields]
        others = _tables({name: field for name, field in fields.items() if name not in same})
        whole = len(same) == len(corpus)
        shared = "All options for a corpus" if whole else f"As for a corpus: {', '.join(f'`{name}`' for name in same)}"
        sections += [f"## {verb.__name__}\n", f"`{verb.__name__}({', '.join(arguments)}, *, …)`\n", others]
        sections += [f"{shared}.\n"] if same else []
    return "\n".join(section for section in sections if section)


def _tables(fields: Mapping[str, Declared]) -> str:
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, field in fields.items():
        groups[field.option.group].append(_row(name, field))
    tables = [
        "\n".join([f"{group}:", "", "| option | default | meaning |", "|---|---|---|", *rows, ""])
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
    return text.replace("|", "\\|")


def _quoted(value: Any) -> str:
    return "none" if value is None else f'`"{value}"`' if isinstance(value, str) else f"`{value!r}`"


def main() -> None:
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is stale: run python tools/options_reference.py")
        return
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
