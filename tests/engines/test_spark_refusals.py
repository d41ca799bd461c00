"""What can be wrong around Spark is said in one clear sentence: Java, workers, staging, columns, plans."""

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
from lookalike.errors import InvalidOption, LookalikeError, MalformedInput, MissingExtra, NoSuchColumn

TEXTS = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]


def fake_java(folder: Path, says: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ('openjdk version "11.0.22" 2024-01-16', "needs Java 17 or newer, and .*java is Java 11: install it"),
        ('java version "1.8.0_402"', "needs Java 17 or newer, and .*java is Java 8: install it"),
        ("hello", "does not say which it is"),
    ],
)
def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, told: str) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", says)))
    with pytest.raises(MissingExtra, match=told):
        sessions.check_java()


def test_a_java_of_another_kind_of_machine_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, "")))
    (tmp_path / "bin" / "java").write_bytes(b"\x7fELF of nowhere")
    with pytest.raises(MissingExtra, match=r"needs Java 17 or newer, and .*java cannot be run \(Exec format error\)"):
        sessions.check_java()


def test_java_that_is_missing_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingExtra, match=r"JAVA_HOME is .*, where there is none: install it \(Debian: apt-get"):
        sessions.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra, match="there is none on this machine"):
        sessions.check_java()


def test_the_command_line_asks_for_java_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="missing: PySpark (pip install 'lookalike[spark]')")
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", 'openjdk version "11.0.22" 2024-01-16')))
    assert run(["pairs", str(tmp_path / "a.jsonl"), "--engine", "spark"]) == MissingExtra.exit_code
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("lookalike: error: The Spark engine needs Java 17 or newer, and ")


def test_a_newer_java_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path, 'openjdk version "25" 2025-09-16')))
    sessions.check_java()


def test_the_command_line_names_the_option_of_another_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    assert run(["pairs", str(tmp_path / "a.jsonl"), "--master", "spark://x:7077"]) == 2
    assert "--master" in capsys.readouterr().err


def test_errors_of_tasks_come_back_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    class PythonException(Exception):
        __module__ = "pyspark.errors"

    said = (
        "An exception was thrown from the Python worker:\nlookalike.errors.MalformedInput: row 7 of a.csv is broken\n"
    )
    with pytest.raises(MalformedInput, match=r"^row 7 of a\.csv is broken$"), sessions.translated():
        raise PythonException(said)
    said = "Job aborted.\n\tat org.apache.Whatever\nCaused by: java.io.IOException: No space left on device\n"
    with (
        pytest.raises(LookalikeError, match=r"^Spark could not finish: .*No space left on device$"),
        sessions.translated(),
    ):
        raise PythonException(said)
    with pytest.raises(ZeroDivisionError), sessions.translated():
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

    with pytest.raises(NoSuchColumn, match=r"the DataFrame has no column 'body'; its columns are 'id', 'text', 'n'"):
        las.pairs(frame, column="body", id="id")
    with pytest.raises(NoSuchColumn, match=r"no column 'url'.*Name one with id="):
        las.signatures(frame, column="text", id="url")
    with pytest.raises(InvalidOption, match="column 'n' of the DataFrame is double; texts"):
        las.clusters(frame, column="n", id="id")
    with pytest.raises(InvalidOption, match="keep must be first, last, longest or shortest for DataFrames"):
        las.dedupe(frame, column="text", id="id", keep="best:n")
    with pytest.raises(InvalidOption, match="star clusters are chosen one after the other"):
        las.clusters(frame, column="text", id="id", plan=la.Plan(linkage="star"))
    for function in (las.clusters, las.candidates):
        with pytest.raises(InvalidOption, match="plan must be a Plan"):
            function(frame, column="text", id="id", plan="words:3")  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match=r"column 'm' of the DataFrame is map<bigint,string>; ids need a type"):
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
        with pytest.raises(MissingExtra, match=r"the Spark worker on .* has no lookalike: install the same one there"):
            la.find_pairs(TEXTS, engine=Spark(spark_session))
    with monkeypatch.context() as changed:
        changed.setattr(la, "__version__", "9.9")
        with pytest.raises(LookalikeError, match=r"has lookalike \S+, here it is 9\.9: install the same one there"):
            la.find_pairs(TEXTS, engine=Spark(spark_session))


@pytest.mark.spark
def test_staging_that_workers_do_not_see_is_refused(
    spark_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every process has a working folder of its own: the driver's is not that of workers that were there before."""
    monkeypatch.chdir(tmp_path)
    told = r"staging /proc/self/cwd/.* is not shared: the Spark worker on .* does not see what was written there"
    with pytest.raises(InvalidOption, match=told):
        la.find_pairs(TEXTS, engine=Spark(spark_session, staging="/proc/self/cwd/staging"))
    assert os.listdir("staging")  # noqa: PTH208


@pytest.mark.spark
def test_a_cluster_without_staging_is_told_to_name_some(spark_session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.engines.spark.engine.master_of", lambda session: "spark://far:7077")
    with pytest.raises(InvalidOption, match="a cluster needs a folder that all its machines see"):
        la.find_pairs(TEXTS, engine=Spark(spark_session))


@pytest.mark.spark
def test_a_session_elsewhere_is_not_taken_for_this_one(spark_session: Any) -> None:
    with pytest.raises(InvalidOption, match=r"a Spark session at local\[2\] is active in this process"):
        Spark(master="spark://far:7077")


@pytest.mark.spark
def test_rows_without_an_id_are_refused(spark_session: Any) -> None:
    from lookalike.engines import spark as las

    frame = spark_session.createDataFrame(pa.table({"id": [1, None, 3], "text": TEXTS}))
    with pytest.raises(MalformedInput, match="column 'id' of the DataFrame has rows without an id"):
        las.pairs(frame, column="text", id="id")
