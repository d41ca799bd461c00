"""What a new index is created with: its path and its plan."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

from lookalike.corpus.segment import MOST_SLOTS
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.first_pass import RowSigner
from lookalike.engines.stages.memory import Allowance
from lookalike.errors import InvalidOption
from lookalike.flow import parse_shingling
from lookalike.flow.checks import check_true_or_false, check_whole
from lookalike.flow.progress import Progress
from lookalike.io.source import Source
from lookalike.kernel.protocol import Kernel
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, resolve
from lookalike.requests.words import meant
from lookalike.storage.budget import Budget
from lookalike.storage.foreign_errors import why


def plan_of(
    plan: Plan | ResolvedPlan | str | Path | None, options: dict[str, Any], *, texts: bool = True, contain: bool = False
) -> Plan:
    """Returns the plan of a new index. The seed is random, and tokens have a random key, unless a seed is given.

    The plan of an index without texts verifies by signatures. Whether the index finds passages (`contain`) is checked
    here, and is not part of the plan.
    """
    check_true_or_false("texts", texts)
    check_true_or_false("contain", contain)
    if contain and not texts:
        raise InvalidOption("passages-need-texts")
    if not texts:
        options = {"verify": "signature", **options}
    known = set(Plan.__dataclass_fields__) | {"case", "normalize", "whitespace", "bag"}
    known -= {"goal", "linkage", "contained", "copies", "method"}
    if unknown := options.keys() - known:
        wrong = min(unknown)
        raise InvalidOption("not-an-option-of-an-index", option=wrong, meant=meant(wrong, known))
    wanted = "exact" if texts else "signature"
    if options.get("verify", wanted) != wanted:
        raise InvalidOption("index-verifies", verify=options["verify"])
    made = Plan.from_options(plan, "pairs", {"method": "lsh", **options})
    if plan is None and options.get("seed") is None:
        keyed = replace(parse_shingling(made.shingles), key=secrets.randbits(64))
        made = replace(made, seed=secrets.randbits(64), shingles=keyed)
    if not texts:
        check_whole("hashes", made.hashes, 1, MOST_SLOTS)
    if made.verify != wanted or made.copies is not None:
        raise InvalidOption("index-verifies", verify=made.copies or made.verify)
    return replace(made, linkage=None, contained=None)


def path_of(path: str | os.PathLike[str]) -> Path:
    """Returns a path that a caller gave. Raises InvalidOption if it is none."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidOption("not-a-path", option="path", type=type(path).__name__)
    if not os.fspath(path):
        raise InvalidOption("empty-option", option="path")
    try:
        folder = Path(path).expanduser()
        folder.lstat()
    except (FileNotFoundError, NotADirectoryError):  # what that means depends on what the path is for
        pass
    except RuntimeError:
        raise InvalidOption("not-a-path-of-an-index", path=path, reason=Notice("unknown-user")) from None
    except (OSError, ValueError) as error:
        raise InvalidOption("not-a-path-of-an-index", path=path, reason=why(error)) from None
    return folder


def resolved_like(
    plan: Plan, source: Source, kernel: Kernel, memory: int | str | None, progress: Progress
) -> ResolvedPlan:
    """Decides what the plan leaves open, from a source."""
    allowance = Allowance.of(Budget.of(memory), kernel.threads)
    signer = RowSigner(KernelArrows(kernel), plan, source, progress, allowance)
    with signer.readers:
        return resolve(signer.plan, signer.survey()).frozen()
