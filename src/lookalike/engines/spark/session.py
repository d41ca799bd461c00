"""The Spark session: found or, where it was asked for, made; checked before it is used; its errors in our words."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lookalike import errors
from lookalike.engines.spark.staging import Staging
from lookalike.errors import InvalidOption, LookalikeError, MissingExtra
from lookalike.storage.foreign_errors import brief

OLDEST_JAVA = 17
PROBES = 16
"""Tasks that look whether workers are as they should be: enough that every executor of a small cluster gets one. A
master of this machine alone has one kind of worker."""

ON_WORKERS = "install the same one there (or point spark.pyspark.python to a Python that has it)"


def session_at(master: str | None = None) -> Any:
    """The active session, or a new one: at this master (`spark://…`, `local[4]`), or a Connect server (`sc://…`)."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra.needed("The Spark engine", "PySpark", "spark") from None
    if find_spec("pandas") is None:  # without which PySpark takes no function over Arrow data
        raise MissingExtra.needed("The Spark engine", "pandas", "spark")
    active = SparkSession.getActiveSession()
    if active is not None:
        if master is not None and (there := _elsewhere(active, master)):
            raise InvalidOption(f"a Spark session at {there} is active in this process; end it to go to {master}")
        return active
    builder = SparkSession.builder.appName("lookalike")
    server = master or os.environ.get("SPARK_REMOTE", "")
    if server.startswith("sc://"):
        builder = builder.remote(server)
    else:
        check_java()
        os.environ.setdefault(
            "PYSPARK_PYTHON", sys.executable
        )  # workers of this machine need the Python with lookalike
        if master is None or master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # nobody else has to find this machine
        builder = builder.config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false")
        if master is not None:
            builder = builder.master(master)
    try:
        return builder.getOrCreate()
    except Exception as error:  # py4j's and gRPC's, which nobody here knows
        where = f" at {master}" if master else ""
        raise LookalikeError(f"Spark could not be started{where}: {_reason(error)}") from None


def _elsewhere(session: Any, master: str) -> str:
    """Where a session is, if not at this master. A Connect server has a master of its own, which nobody asked for."""
    if ".connect." in type(session).__module__ and master.startswith("sc://"):
        host = str(session.client.host)
        return "" if urlsplit(master).hostname == host else f"sc://{host}"
    there = master_of(session)
    return "" if there == master else there


def master_of(session: Any) -> str:
    """Where a session runs; empty if it does not say so."""
    try:
        return str(session.conf.get("spark.master", ""))
    except Exception:
        return ""


def check_java() -> None:
    """Spark says of an old Java that a class file has the wrong version, and of none at all that a gateway exited."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    said = f"The Spark engine needs Java {OLDEST_JAVA} or newer"
    mend = "install it (Debian: apt-get install default-jre-headless), or set JAVA_HOME"
    if shutil.which(java) is None:
        where = f"JAVA_HOME is {home}, where there is none" if home else "there is none on this machine"
        raise MissingExtra(f"{said}, and {where}: {mend}")
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True)
    except OSError as error:  # of another machine's kind, or no program at all
        raise MissingExtra(f"{said}, and {java} cannot be run ({error.strerror}): {mend}") from None
    found = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if found is None:
        raise MissingExtra(f"{said}, and {java} does not say which it is: {mend}")
    if int(found[1]) < OLDEST_JAVA:
        raise MissingExtra(f"{said}, and {java} is Java {found[1]}: {mend}")


PROBE = """
def probe(batches):
    import os, socket
    import pyarrow as pa
    try:
        from lookalike import __version__ as version
    except ImportError as error:
        version = "none" if error.name == "lookalike" else "broken: " + str(error)
    sees = True
    if version == wanted:
        from lookalike.engines.spark.staging import Staging
        sees = Staging(url).has("finished/begun")
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"version": [version], "sees": [sees], "host": [socket.gethostname()]})
"""
"""Travels as it stands: a worker that does not have lookalike cannot look anything up in it."""


def check_workers(session: Any, staging: Staging) -> None:
    """That workers have this version of lookalike and see what is in staging; one sentence if not."""
    from lookalike import __version__

    staging.mark("begun", {})
    probes = 1 if master_of(session).startswith("local") else PROBES
    scope: dict[str, Any] = {"url": staging.url, "wanted": __version__, "__name__": "probe"}
    exec(PROBE, scope)
    with translated():
        found = session.range(0, probes, 1, probes).mapInArrow(
            scope["probe"], "version string, sees boolean, host string"
        )
        workers = found.distinct().limit(100).collect()
    for version, _, host in workers:
        if version == "none":
            raise MissingExtra(f"the Spark worker on {host} has no lookalike: {ON_WORKERS}")
        if version != __version__:
            raise LookalikeError(
                f"the Spark worker on {host} has lookalike {version}, here it is {__version__}: {ON_WORKERS}"
            )
    blind = [host for _, sees, host in workers if not sees]
    if blind:
        raise InvalidOption(
            f"staging {staging.url} is not shared: the Spark worker on {blind[0]} does not see what was written there. "
            "Name a folder or URL that all machines see with --staging / staging=."
        )


@contextmanager
def translated() -> Iterator[None]:
    """Around what runs on the cluster: our own errors come back as such, those of Spark as one line."""
    try:
        yield
    except LookalikeError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j", "grpc")):
            raise
        ours = re.findall(r"lookalike\.errors\.(\w+): (.+)", str(error))
        kind = getattr(errors, ours[-1][0], None) if ours else None
        if kind is not None:
            raise kind(ours[-1][1].strip()) from None
        raise LookalikeError(f"Spark could not finish: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """The line of a long message that says something."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"(Error|Exception|Caused by)\b.*: \S", line)]
    return brief(Exception(telling[-1] if telling else lines[0] if lines else type(error).__name__))
