"""The first pass of a run that can be resumed. It stores the survey, signed rows and texts as durable parts.

Parts have a fixed number of rows, regardless of the batch size of the reader. A run that finds finished parts with the
same plan and input starts after them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

import pyarrow as pa

from lookalike.engines.stages.first_pass import FirstPass, RowSigner
from lookalike.engines.stages.memory import Allowance
from lookalike.engines.stages.signed_parts import SignedParts, name_of
from lookalike.notices import Notice
from lookalike.planning.costs import SetFacts
from lookalike.planning.resolve import Statistics, resolve
from lookalike.results.summary import Summary
from lookalike.storage.parts import Parts
from lookalike.storage.spill import Spill
from lookalike.work.text_parts import TextParts
from lookalike.work.text_store import TextStore

LAYOUT = "signing 6"
"""The version of the part layout. Change it whenever the columns change, so that older parts are not reused."""


@dataclass(frozen=True)
class SourceEnd:
    """Facts that are known at the end of the source.

    They are stored, because a resumed run may not read the source again.
    """

    rows: int
    malformed: int
    warnings: tuple[Notice, ...]


def sign_into_parts(signer: RowSigner, parts: Parts, texts: TextStore) -> FirstPass:
    """Works like `sign_source`, but signs only the rows that are not in finished parts.

    The texts are kept in parts, or in `texts` if the source is in memory.
    """
    source = signer.source
    parts.begin(hashlib.sha256(f"{LAYOUT} {signer.plan.to_toml()} {source.identity()}".encode()).hexdigest())
    with signer.readers:
        statistics = _stored_survey(parts)
        if statistics is None:
            statistics = signer.survey()
            parts.put("survey", pa.table({name: [value] for name, value in asdict(statistics).items()}))
        resolved = resolve(signer.plan, statistics)
        bands = resolved.bands
        room = signer.allowance.signed(bands, signer.arrows.kernel.threads, signer.largest)
        room -= signer.allowance.census if resolved.exact else 0
        signed = SignedParts(Spill(parts, room), bands, with_ids=source.id is not None)
        if not source.in_memory:
            signed.texts = TextParts(parts, source, signed.part_rows, signer.allowance.ahead)
        kept_in, ended = signed.texts or texts, _stored_end(parts)
        _add_finished(signed, ended, signer.allowance)
        if ended is None or signed.rows != ended.rows:
            # Of rows that an earlier run signed, nothing was counted.
            counting = resolved.exact and resolved.plan.copies is None and signed.rows == 0
            signed.extend(signer.signed(resolved, kept_in, signed.rows, counting=counting), signer.allowance)
            ended = SourceEnd(signed.rows, source.malformed, source.warnings)
            warnings = json.dumps(Summary(warnings=ended.warnings).to_dict()["warnings"])
            facts = {"rows": [ended.rows], "malformed": [ended.malformed], "warnings": [warnings]}
            parts.put("source", pa.table(facts))
    rows = signed.load() if signed.fits else None
    return FirstPass(resolved, rows, signed, kept_in, ended.malformed, ended.warnings, signer.census)


def _add_finished(signed: SignedParts, ended: SourceEnd | None, allowance: Allowance) -> None:
    """Adds the parts that an earlier run finished, from row 0 to the first missing part.

    A part with fewer rows than the others is used only if the earlier run reached the end of the source; otherwise it
    is computed again, since more rows may follow.
    """
    while signed.rows % signed.part_rows == 0 and (ended is None or signed.rows < ended.rows):
        part = signed.spill.parts.get(name_of(signed.rows))
        if part is None or (part.num_rows < signed.part_rows and ended is None):
            return
        signed.add(signed.rows, part, stored=True)
        if not signed.fits:
            allowance.tidy()


def _stored_survey(parts: Parts) -> Statistics | None:
    surveyed = parts.get("survey")
    if surveyed is None:
        return None
    facts = surveyed.to_pylist()[0]
    return Statistics(**facts | {"sets": SetFacts(**facts["sets"]) if facts["sets"] else None})


def _stored_end(parts: Parts) -> SourceEnd | None:
    end = parts.get("source")
    if end is None:
        return None
    facts = end.to_pylist()[0]
    warnings = Summary.from_dict({"warnings": json.loads(facts["warnings"])}).warnings
    return SourceEnd(facts["rows"], facts["malformed"], warnings)
