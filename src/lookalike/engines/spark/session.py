"""Finds or creates a Spark session, and checks Java and the workers before the session is used."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lookalike.engines.spark.errors import reason, translated
from lookalike.engines.spark.staging import Staging
from lookalike.errors import InvalidOption, LookalikeError, MissingExtra
from lookalike.notices import Notice

OLDEST_JAVA = 17
PROBES = 16
"""The number of tasks that check the workers. It is large enough to reach every executor of a small cluster."""


def session_at(master: str | None = None) -> Any:
    """Returns the active session, or a new session at this master (`spark://…`, `local[4]`) or server (`sc://…`).

    Raises an error if `master` is given and the active session is at another master.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra.needed("the Spark engine", "PySpark", "spark") from None
    if find_spec("pandas") is None:  # without pandas, PySpark refuses functions over Arrow data
        raise MissingExtra.needed("the Spark engine", "pandas", "spark")
    active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and (there := _elsewhere(active, master)):
            raise InvalidOption("spark-session-elsewhere", there=there, master=master)
        return active
    builder = SparkSession.builder.appName("lookalike")
    server = master or os.environ.get("SPARK_REMOTE", "")
    if server.startswith("sc://"):
        builder = builder.remote(server)
    else:
        check_java()
        os.environ.setdefault(
            "PYSPARK_PYTHON", sys.executable
        )  # workers on this machine must use the Python that has lookalike
        if master is None or master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no other machine connects to this one
        builder = builder.config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false")
        if master is not None:
            builder = builder.master(master)
    try:
        return builder.getOrCreate()
    except Exception as error:  # whatever pyspark, py4j or gRPC raise
        raise LookalikeError("spark-not-started", master=master, reason=reason(error)) from None


def _elsewhere(session: Any, master: str) -> str:
    """Returns the location of the session if it is not at this master; otherwise an empty string.

    For a session at a Connect server, the address of the server is compared, not the master behind it.
    """
    if ".connect." in type(session).__module__ and master.startswith("sc://"):
        host = str(session.client.host)
        return "" if urlsplit(master).hostname == host else f"sc://{host}"
    there = master_of(session)
    return "" if there == master else there


def master_of(session: Any) -> str:
    """Returns the master of a session, or an empty string if it is unknown."""
    try:
        return str(session.conf.get("spark.master", ""))
    except Exception:
        return ""


def check_java() -> None:
    """Raises an error if Java is missing or too old. Spark's own errors in these cases are hard to understand."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    problem = _problem_of(java, home)
    if problem is not None:
        raise MissingExtra("java-needed", least=OLDEST_JAVA, problem=problem)


def _problem_of(java: str, home: str | None) -> Notice | None:
    if shutil.which(java) is None:
        return Notice("java-not-in-home", home=home) if home else Notice("java-not-found")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True)
    except OSError as error:  # a program for another kind of machine, or no program at all
        return Notice("java-cannot-run", java=java, reason=error.strerror)
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if found is None:
        return Notice("java-version-unknown", java=java)
    return Notice("java-too-old", java=java, version=found[1]) if int(found[1]) < OLDEST_JAVA else None


PROBE = """
def probe(batches):
    import os, socket
    import pyarrow as pa
    version, problem, sees = None, None, True
    try:
        from lookalike import __version__ as version
    except ImportError as error:
        problem = None if error.name == "lookalike" else str(error)
    if version == wanted:
        from lookalike.engines.spark.staging import Staging
        sees = Staging(url).has("finished/begun")
    for batch in batches:
        text = lambda value: pa.array([value], pa.string())
        host = socket.gethostname()
        columns = {"version": text(version), "problem": text(problem), "sees": [sees], "host": text(host)}
        yield pa.RecordBatch.from_pydict(columns)
"""
"""The probe is sent as source code, since a worker without lookalike could not import it."""


def check_workers(session: Any, staging: Staging) -> None:
    """Raises an error if a worker does not have this version of lookalike, or cannot access staging."""
    from lookalike import __version__

    staging.mark("begun", {})
    probes = 1 if master_of(session).startswith("local") else PROBES
    scope: dict[str, Any] = {"url": staging.url, "wanted": __version__, "__name__": "probe"}
    exec(PROBE, scope)
    with translated():
        found = session.range(0, probes, 1, probes).mapInArrow(
            scope["probe"], "version string, problem string, sees boolean, host string"
        )
        workers = found.distinct().limit(100).collect()
    for version, problem, _, host in workers:
        if problem:
            raise LookalikeError("spark-worker-cannot-import", host=host, reason=problem)
        if version is None:
            raise MissingExtra("spark-worker-without-lookalike", host=host, version=__version__)
        if version != __version__:
            raise LookalikeError("spark-worker-of-another-version", host=host, there=version, version=__version__)
    unseeing = [host for _, _, sees, host in workers if not sees]
    if unseeing:
        raise InvalidOption("staging-not-shared", url=staging.url, host=unseeing[0])
