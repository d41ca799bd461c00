"""Problems around Spark are reported in one clear sentence: Java, workers, staging, columns, plans."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.cli import run
from lookalike.engines.spark import Spark
from lookalike.engines.spark import session as sessions
from lookalike.engines.spark.errors import error_of_task, map_batches, translated
from lookalike.errors import MalformedInput, MissingExtra
from lookalike.notices import Notice
from lookalike.results.survivors import RULES
from tests.engines.serial import Frame
from tests.refusals import refused

TEXTS = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]


def fake_java(folder: Path, says: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("says", "version"),
    [('openjdk version "11.0.22" 2024-01-16', "11"), ('java version "1.8.0_402"', "8"), ("hello", None)],
)
def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, version: str | None) -> None:
    home = fake_java(tmp_path / "jdk", says)
    monkeypatch.setenv("JAVA_HOME", str(home))
    java = str(home / "bin" / "java")
    unknown = Notice("java-version-unknown", java=java)
    problem = unknown if version is None else Notice("java-too-old", java=java, version=version)
    with refused("java-needed", least=17, problem=problem):
        sessions.check_java()


def test_a_java_of_another_kind_of_machine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "")))
    (tmp_path / "bin" / "java").write_bytes(b"\x7fELF of nowhere")
    java = str(tmp_path / "bin" / "java")
    with refused("java-needed", problem=Notice("java-cannot-run", java=java, reason="Exec format error")):
        sessions.check_java()


def test_java_that_is_missing_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with refused("java-needed", problem=Notice("java-not-in-home", home=str(tmp_path))):
        sessions.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with refused("java-needed", problem=Notice("java-not-found")):
        sessions.check_java()


def test_the_command_line_asks_for_java_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="missing: PySpark (pip install '.[spark]')")
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", 'openjdk version "11.0.22" 2024-01-16')))
    assert run(["pairs", str(tmp_path / "a.jsonl"), "--engine", "spark"]) == MissingExtra.exit_code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lookalike: error: ") and "Java 17" in line


def test_a_newer_java_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, 'openjdk version "25" 2025-09-16')))
    sessions.check_java()


def test_the_command_line_names_the_option_of_another_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    assert run(["pairs", str(tmp_path / "a.jsonl"), "--master", "spark://x:7077"]) == 2
    assert "--master" in capsys.readouterr().err


class PythonException(Exception):
    """Raised by PySpark when a task fails; it quotes the text of the task's own error."""

    __module__ = "pyspark.errors"


BROKEN = MalformedInput("row-without-id", column="“id”\n")
"""An error with a value that JSON must escape."""


def failing(batches: Any) -> Any:
    yield from ()
    raise BROKEN


def test_errors_of_tasks_come_back_as_ours() -> None:
    with refused("row-without-id", column="“id”\n") as caught, translated():
        map_batches(Frame([[]]), failing, "x int")
    assert isinstance(caught.value, MalformedInput)


def test_errors_of_tasks_are_found_in_what_spark_quotes() -> None:
    try:
        map_batches(Frame([[]]), failing, "x int")
    except Exception as error:
        text = f"Job aborted.\n  An exception was thrown from the Python worker:\nTaskError: {error}\n\n\tat org.apache"
    found = error_of_task(text)
    assert found is not None and (type(found), found.notice) == (MalformedInput, BROKEN.notice)
    with refused("row-without-id"), translated():
        raise PythonException(text)


def test_errors_of_spark_itself_become_one_line() -> None:
    text = "Job aborted.\n\tat org.apache.Whatever\nCaused by: java.io.IOException: No space left on device\n"
    with refused("spark-failed", reason="Caused by: java.io.IOException: No space left on device"), translated():
        raise PythonException(text)


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), translated():
        raise ZeroDivisionError


def test_a_connect_session_is_known_by_its_server_and_not_by_the_master_of_that() -> None:
    class Session:
        __module__ = "pyspark.sql.connect.session"
        client = SimpleNamespace(host="head")
        conf = {"spark.master": "local[2]"}  # noqa: RUF012

    assert sessions._elsewhere(Session(), "sc://head:15002/;token=x") == ""
    assert sessions._elsewhere(Session(), "sc://other") == "sc://head"
    assert sessions._elsewhere(Session(), "spark://head:7077") == "local[2]"


# With a session


@pytest.fixture
def frame(spark_session: Any) -> Any:
    return spark_session.createDataFrame(pa.table({"id": [1, 2, 3], "text": TEXTS, "n": [1.0, 2.0, 3.0]}))


@pytest.mark.spark
def test_columns_that_are_not_there_or_no_texts_are_named(frame: Any) -> None:
    from lookalike.engines import spark as las

    with refused("no-such-column", column="body", columns=("id", "text", "n"), options=("column",)):
        las.pairs(frame, column="body", id="id")
    with refused("no-such-column", column="url", options=("id",)):
        las.signatures(frame, column="text", id="url")
    with refused("texts-of-another-type", column="n", type="double"):
        las.clusters(frame, column="n", id="id")
    with refused("not-one-of", option="keep", allowed=RULES, value="best:n"):
        las.dedupe(frame, column="text", id="id", keep="best:n")
    with refused("copies-of-dataframes"):
        las.dedupe(frame, column="text", id="id", plan=la.Plan(copies="identical"))
    for function in (las.clusters, las.candidates):
        with refused("not-a-plan", type="str"):
            function(frame, column="text", id="id", plan="words:3")  # type: ignore[arg-type]
    with refused("ids-of-another-type", column="m", type="map<bigint,string>"):
        las.pairs(frame.selectExpr("text", "map(id, text) as m"), column="text", id="m")


@pytest.mark.spark
def test_workers_without_the_package_or_with_another_version_are_named(
    spark_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hides = tmp_path / "sitecustomize.py"
    hides.write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'lookalike':\n"
        "            raise ModuleNotFoundError('No module named lookalike', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
    )
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    with monkeypatch.context() as changed:
        changed.setattr(spark_session.sparkContext, "pythonExec", str(other))
        with refused("spark-worker-without-lookalike", version=la.__version__):
            la.find_pairs(TEXTS, engine=Spark(spark_session))
    with monkeypatch.context() as changed:
        changed.setattr(la, "__version__", "9.9")
        with refused("spark-worker-of-another-version", version="9.9"):
            la.find_pairs(TEXTS, engine=Spark(spark_session))


@pytest.mark.spark
def test_staging_that_workers_do_not_see_is_refused(
    spark_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every process has its own working folder; existing workers do not share that of the driver."""
    monkeypatch.chdir(tmp_path)
    with refused("staging-not-shared") as caught:
        la.find_pairs(TEXTS, engine=Spark(spark_session, staging="/proc/self/cwd/staging"))
    assert caught.value.values["url"].startswith("/proc/self/cwd/staging/")
    assert os.listdir("staging")  # noqa: PTH208


@pytest.mark.spark
def test_a_cluster_without_staging_is_told_to_name_some(spark_session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.engines.spark.engine.master_of", lambda session: "spark://far:7077")
    with refused("staging-needed"):
        la.find_pairs(TEXTS, engine=Spark(spark_session))


@pytest.mark.spark
def test_a_session_elsewhere_is_not_taken_for_this_one(spark_session: Any) -> None:
    with refused("spark-session-elsewhere", there="local[2]", master="spark://far:7077"):
        Spark(master="spark://far:7077")


@pytest.mark.spark
def test_rows_without_an_id_are_refused(spark_session: Any) -> None:
    from lookalike.engines import spark as las

    frame = spark_session.createDataFrame(pa.table({"id": [1, None, 3], "text": TEXTS}))
    with refused("row-without-id", column="id"):
        las.pairs(frame, column="text", id="id")
