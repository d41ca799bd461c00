"""Which rows `dedupe` prefers to others, and which it never removes: rules, protected rows and decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Mask, Rows, strings, take, to_arrow
from lookalike.flow.preference import Preference
from lookalike.io.chained_source import ChainedSource
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.results import deduped as kept
from lookalike.results.ranking import Ranking
from lookalike.results.rule_keys import Keys, check_rules, keys_of
from lookalike.results.rule_parsing import parse_protected
from lookalike.results.survivors import Rule

if TYPE_CHECKING:
    from lookalike.choosing.decision_lines import InForce
    from lookalike.choosing.decisions import Decided

REFERENCE, PROTECTED, DECISIONS = "reference", "protected", "decisions"
"""What decides before the rules, in this order."""


@dataclass(eq=False)
class Choice:
    """Ranks the rows of a source when their lengths are known. Everything that can be checked before is checked first.

    Rows of the reference come first, then protected rows; both are always kept. Then follow the rows that decisions
    chose, and all others. The rules decide within each of these groups.
    """

    source: Source
    reference: int
    """The number of reference rows."""
    rules: Sequence[Rule]
    protect: Sequence[Rule] = ()
    decisions: InForce | None = None
    path: str = ""
    """The name of the file of decisions."""
    reached: Callable[[int], None] = lambda rows: None
    """Called with the number of rows that have been read."""
    decided: Decided | None = field(default=None, init=False)
    """The rows that decisions are about."""
    ranking: Ranking | None = field(default=None, init=False)
    _preference: Preference | None = field(default=None, init=False)

    @classmethod
    def of(
        cls,
        source: Source,
        reference: int,
        rules: Sequence[Rule],
        protect: str | Sequence[str] | None = None,
        decisions: str | PathLike[str] | None = None,
        reached: Callable[[int], None] = lambda rows: None,
    ) -> Choice:
        """Checks rules, protected rows and decisions before the run."""
        made = cls(source, reference, [rule for rule in rules if rule.name != "first"], reached=reached)
        check_rules(made.rules, source)
        if protect is not None:
            made.protect = parse_protected(protect)
            check_rules(made.protect, source, "protect")
        if decisions is not None:
            from lookalike.choosing.decision_lines import read_decisions

            if not isinstance(decisions, str | PathLike):
                raise InvalidOption("not-a-path", option="decisions", type=type(decisions).__name__)
            made.path = str(Path(decisions))
            made.decisions = read_decisions(Path(decisions))
        return made

    def preference(self, lengths: Rows) -> Preference:
        """Returns the order of preference, given the length of each row. It is computed once."""
        if self._preference is None:
            self._preference = self._preferred(lengths)
        return self._preference

    def _preferred(self, lengths: Rows) -> Preference:
        rows = np.arange(len(lengths), dtype=np.int64)
        new = rows >= self.reference
        keys: dict[str, Keys] = {REFERENCE: new} if self.reference else {}
        always_kept = self.reference
        if self.protect:
            protected = self._protected(lengths) & new
            always_kept += int(np.count_nonzero(protected))
            keys[PROTECTED] = ~protected
        different = alone = None
        warnings: list[Notice] = []
        if self.decisions is not None:
            from lookalike.choosing.decisions import decided_rows

            self.decided = decided_rows(self.decisions, self.source, len(rows), self.path)
            warnings += self.decided.warnings
            different, alone = self.decided.different, self.decided.alone
            if self.decided.keep.any():
                keys[DECISIONS] = -self.decided.keep  # the latest decision comes first
        ranks = keys_of(self.rules, self.source, lengths, reached=self.reached)
        keys |= {str(rule): key for rule, key in zip(self.rules, ranks, strict=True)}
        # Columns of the reference are not read, so its rows match where:COLUMN= and != whatever they contain.
        conditions = [str(rule) for rule in self.rules if rule.name == "where"] if new.any() else []
        unmatched = [rule for rule in conditions if keys[rule][self.reference :].all()]
        warnings += [Notice("rule-without-rows", option="keep", rule=rule, name=self._name) for rule in unmatched]
        self.ranking = Ranking(keys, len(rows), tuple(warnings))
        return Preference(self.ranking.order(), always_kept, different, alone)

    def exempt(self) -> pa.Table | None:
        """Returns the rows and pairs that had to be left as they are (`Deduped.exempt`); None if there are none.

        The preference must be known.
        """
        assert self._preference is not None
        preference, none = self._preference, np.zeros(0, dtype=np.int64)
        protected = np.sort(preference.order[self.reference : preference.always_kept])
        alone = none if preference.alone is None else preference.alone
        left, right = preference.different or (none, none)
        counts = [len(protected), len(alone), len(left)]
        if not sum(counts):
            return None
        kinds = strings(kept.PROTECTED, kept.EXCLUDED, kept.DIFFERENT)
        kind = take(kinds, np.repeat(np.arange(3), counts))
        ends = [to_arrow(np.concatenate([protected, alone, end]).astype(np.int64)) for end in (left, right)]
        return pa.table({"kind": kind, "left": ends[0], "right": ends[1]})

    @property
    def _name(self) -> str:
        """The name of the input, without that of the reference."""
        return self.source.new.name if isinstance(self.source, ChainedSource) else self.source.name

    def _protected(self, lengths: Rows) -> Mask:
        """Returns a mask of the rows that `protect` names."""
        protected = np.zeros(len(lengths), dtype=np.bool_)
        for rule, key in zip(self.protect, keys_of(self.protect, self.source, lengths, option="protect"), strict=True):
            if rule.name == "where" and len(key) > self.reference and key[self.reference :].all():
                raise InvalidOption("protects-nothing", rule=str(rule), name=self._name)
            protected |= ~key
        return protected
