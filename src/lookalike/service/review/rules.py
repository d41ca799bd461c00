"""Tries survivor rules: how many documents each rule would decide, and which clusters would have another survivor."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.results.ranking import Ranking
from lookalike.results.rule_keys import Keys, check_rules, keys_of
from lookalike.results.rule_parsing import ALLOWED, parse_protected
from lookalike.results.survivors import Keep, Rule
from lookalike.service.review.corpus import readable
from lookalike.service.review.deciding import choose
from lookalike.service.review.marks import DECIDED, STATES
from lookalike.service.review.result_corpus import ResultCorpus
from lookalike.service.review.review import Review

WITHOUT_COLUMNS = ("first", "last", "longest", "shortest")
"""The rules that can be tried on an index, which has no other columns and no files."""

PROTECTED = "protected"


def try_rules(review: Review, asked: Mapping[str, Any], by: str | None, progress: Progress) -> dict[str, Any]:
    """Ranks the members of all clusters by rules. Unless it is a dry run, the survivors are written as decisions."""
    readable(review.corpus)
    given = "first" if asked["keep"] is None else asked["keep"]
    rules = [rule for rule in Keep.parse(given).rules if rule.name != "first"]
    protect = parse_protected(asked["protect"]) if asked["protect"] else ()
    _check(review, rules, protect)
    groups = review.groups
    lengths = lengths_of(review, progress)
    keys = dict(zip(map(str, rules), _keys(review, rules, lengths, "keep"), strict=True))
    shielded = _shielded(review, protect, lengths)
    is_protected = np.logical_or.reduce([*shielded.values(), np.zeros(len(groups.rows), bool)])
    ranking = Ranking(({PROTECTED: ~is_protected} if protect else {}) | keys, len(groups.rows))
    order = ranking.order()
    place = np.repeat(np.arange(len(groups)), groups.sizes)
    ordered = order[np.argsort(place[order], kind="stable")]  # by cluster, the most preferred member first
    chosen = ordered[groups.starts[:-1]]
    removed = np.ones(len(groups.rows), bool)
    removed[chosen] = False
    removed &= ~is_protected
    at = np.flatnonzero(removed)
    decided = ranking.decided(at, chosen[place[at]])
    survivors = groups.rows[chosen]
    others = survivors != review.marks.survivors
    step = None
    if not asked["dry_run"]:
        with review.guard:
            review.journal_for_writing  # noqa: B018 - refuses before texts are read
            is_open = ~np.isin(review.marks.state, [STATES.index(state) for state in DECIDED])
            new = {int(i): int(survivors[i]) for i in np.flatnonzero(others & is_open)}
            step = choose(review, new, by, _command(asked), progress)
    documents = review.corpus.documents
    return {
        "rules": [{"rule": rule, "decides": count} for rule, count in decided.items()],
        "protected": [{"rule": rule, "documents": int(mask.sum())} for rule, mask in shielded.items()],
        "removed": len(at),
        "kept": documents - len(at),
        "changed": int(np.count_nonzero(others)),
        "command": _command(asked),
        "known": [*ALLOWED],
        "columns": [*review.corpus.source.columns] if isinstance(review.corpus, ResultCorpus) else ["id", "text"],
        "current": review.corpus.rules if isinstance(review.corpus, ResultCorpus) else [],
        "step": step,
    }


def _check(review: Review, rules: Sequence[Rule], protect: Sequence[Rule]) -> None:
    """Raises an error if a rule does not suit the corpus."""
    if isinstance(review.corpus, ResultCorpus):
        check_rules(rules, review.corpus.source)
        check_rules(protect, review.corpus.source, "protect")
        return
    for rule in (*rules, *protect):
        if rule.name not in WITHOUT_COLUMNS:
            raise InvalidOption("rule-without-columns", rule=str(rule), known=WITHOUT_COLUMNS)


def _keys(review: Review, rules: Sequence[Rule], lengths: Rows, option: str) -> list[Keys]:
    """Returns the keys of each rule for the members of all clusters."""
    rows, corpus = review.groups.rows, review.corpus
    if isinstance(corpus, ResultCorpus):
        of_all = np.zeros(corpus.documents, np.int64)
        of_all[rows] = lengths
        return [key[rows] for key in keys_of(rules, corpus.source, of_all, option=option)]
    return keys_of(rules, cast(Any, None), lengths, option=option)  # these rules read no columns


def _shielded(review: Review, protect: Sequence[Rule], lengths: Rows) -> dict[str, Mask]:
    """Returns the members that each rule protects, by rule."""
    found = {}
    for rule, key in zip(protect, _keys(review, protect, lengths, "protect"), strict=True):
        found[rule.subject if rule.name == "source" else str(rule)] = ~np.asarray(key, np.bool_)
    return found


def lengths_of(review: Review, progress: Progress) -> Rows:
    """Returns the length of each member in characters, or in tokens."""
    rows = review.groups.rows
    if len(review.lengths) != len(rows):
        lengths, order = np.zeros(len(rows), np.int64), np.argsort(rows, kind="stable")
        done = 0
        for here, texts in review.corpus.blocks(rows[order]):
            places = order[np.searchsorted(rows, here, sorter=order)]
            is_text = pa.types.is_large_string(texts.type) or pa.types.is_string(texts.type)
            found = pc.utf8_length(texts) if is_text else pc.list_value_length(texts)
            lengths[places] = pc.fill_null(found, 0).to_numpy(zero_copy_only=False)
            done += len(here)
            progress("measure texts", done, len(rows))
        review.lengths = lengths
    return review.lengths


def _command(asked: Mapping[str, Any]) -> str:
    """Returns the options of `dedupe` that apply the rules."""
    keep = asked["keep"]
    parts = []
    if keep is not None:
        rules = [keep] if isinstance(keep, str) else [_quoted(rule) for rule in keep]
        parts.append(f"--keep {_for_shell(','.join(rules))}")
    parts += [f"--protect {_for_shell(glob)}" for glob in asked["protect"] or ()]
    return " ".join(parts)


def _quoted(rule: str) -> str:
    """Puts a rule with commas or quotation marks in quotation marks."""
    return '"' + rule.replace('"', '""') + '"' if "," in rule or '"' in rule else rule


def _for_shell(value: str) -> str:

    return shlex.quote(value)
