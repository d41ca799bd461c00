"""Shared by all tests: Hypothesis profiles, the choice of the kernel path, and no silent skips in CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from tests.postgres_server import Server

os.environ["LOOKALIKE_CONFIG"] = os.devnull  # the configuration of whoever runs the tests must not matter

# "ci" uses the same examples in every run, so that failures are reproducible. "thorough" searches for new ones: as many
# as `make test-all` can try within an hour on two cores. EXAMPLES=1000 searches longer.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=50)
settings.register_profile(
    "thorough", deadline=None, max_examples=int(os.environ.get("EXAMPLES", "200")), print_blob=True
)
settings.load_profile("ci")

MISSING = "missing: "
"""Prefix of skip reasons that CI does not accept: something that should be installed is missing."""


def require_program(*names: str, package: str) -> str:
    """The path of the first of these programs that is installed. If there is none, the test is skipped."""
    for name in names:
        if path := shutil.which(name):
            return path
    pytest.skip(f"{MISSING}{' or '.join(names)} (Debian: apt-get install {package})")


@pytest.fixture(scope="session")
def java() -> str:
    """Java, which Spark runs on."""
    return require_program("java", package="default-jre-headless")


@pytest.fixture(scope="session")
def chromium() -> str:
    """A browser that opens the report."""
    return require_program("chromium", "chromium-browser", "google-chrome", package="chromium")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server, which all tests of a process share. They use different indexes."""
    from tests.postgres_server import Server, program  # this file is also copied to places without the others

    if program("initdb") is None:
        pytest.skip(f"{MISSING}initdb (Debian: apt-get install postgresql)")
    with Server() as server:
        yield server


def pytest_configure() -> None:
    """Rejects a kernel path that this machine does not support, before tests are collected."""
    try:
        import lookalike.kernel  # noqa: F401 - reads LOOKALIKE_KERNEL
    except InvalidOption as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header() -> str:
    from lookalike import kernel
    from lookalike.kernel.dispatch import VARIABLE

    why = f"forced by {VARIABLE}" if os.environ.get(VARIABLE) else "the fastest available"
    return f"kernel: {kernel.path()}, {why} (of {', '.join(kernel.paths())})"


def _skipped_because_missing(config: pytest.Config) -> list[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    reasons = ((report.nodeid, str(report.longrepr[2])) for report in skipped if isinstance(report.longrepr, tuple))
    return [f"{nodeid}: {reason}" for nodeid, reason in reasons if reason.removeprefix("Skipped: ").startswith(MISSING)]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """If CI is set, a test that was skipped because something is missing fails the run."""
    if os.environ.get("CI") and exitstatus == pytest.ExitCode.OK and _skipped_because_missing(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if lines := _skipped_because_missing(config):
        refused = ", which CI does not accept" if os.environ.get("CI") else ""
        terminalreporter.section(f"skipped because something is missing{refused}")
        for line in lines:
            terminalreporter.line(line)
