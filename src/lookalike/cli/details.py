"""The lines that --verbose adds: versions, the user's configuration, and the reasons for the plan of a run."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.cli.configuration import read
from lookalike.cli.summary import lines_of, show
from lookalike.notices import Notice
from lookalike.notices.naming import command_line

if TYPE_CHECKING:
    from lookalike.cli.options import Options


def print_details(options: Options, configuration: Path) -> None:
    """Prints the information that a bug report should contain, before the work starts."""
    from lookalike import __version__
    from lookalike.kernel import path, why_not_loaded

    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pyarrow", "click"))
    entries = read(configuration) if os.path.isfile(configuration) else None  # noqa: PTH113  (see options.py)
    lines: list[tuple[str, str | Notice]] = [
        ("lookalike", f"{__version__}, kernel {path() if why_not_loaded is None else 'not loaded'}"),
        ("Python", f"{platform.python_version()} on {sys.platform}, {packages}"),
        ("configuration", str(configuration) if entries is not None else f"none ({configuration} does not exist)"),
    ]
    for name, value in (entries or {}).items():
        note = "" if name in options.configured else ", not used by this command"
        if options.given.get(name) is not None:
            note = f", overridden by {command_line(name)}"
        lines.append(("", f"{name} = {value}{note}"))
    given = {name: value for name, value in options.given.items() if value is not None}
    lines.append(("options", ", ".join(f"{name}={value}" for name, value in given.items()) or "none"))
    show(lines_of(lines))


def print_plan(toml: str) -> None:
    """Prints the resolved plan of a run, with the reason for each choice that depended on the data."""
    from lookalike.planning.resolve import ResolvedPlan

    plan = ResolvedPlan.from_toml(toml)
    join = "an exact join" if plan.plan.copies is None else f"only {plan.plan.copies} documents, without a join"
    bands = join if plan.exact else f"{plan.bands} bands of {plan.rows} rows of {plan.plan.hashes} hashes"
    lines: list[tuple[str, str | Notice]] = [
        ("plan", f"{plan.shingles}, threshold {plan.threshold}"),
        ("", f"{bands}; expected recall at the threshold: {plan.recall:.4f}"),
    ]
    lines += [("", reason) for reason in (plan.shingles_reason, plan.method_reason) if reason is not None]
    show(lines_of(lines))
