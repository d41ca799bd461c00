"""The same answer from a real master with two workers and over Spark Connect, and after a worker is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines import spark_answers
from tests.engines.standalone import Standalone, environment

pytestmark = pytest.mark.spark

STAGES = ("sign", "propose", "verify", "connect")


@pytest.fixture(scope="session")
def cluster(java: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    found = Standalone(tmp_path_factory.mktemp("cluster"))
    yield found
    found.stop()


@pytest.fixture(scope="session")
def expected() -> dict[str, str]:
    return spark_answers.answers(spark_answers.corpus())


def asked(*arguments: str) -> dict[str, str]:
    """Returns the answers of a process with its own session."""
    script = Path(spark_answers.__file__)
    done = subprocess.run(
        [sys.executable, str(script), *arguments], env=environment(), capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def agrees(found: dict[str, str], expected: dict[str, str]) -> bool:
    return bool(found) and all(found[name] == expected[name] for name in found)


ALSO = pytest.mark.slow


@pytest.mark.slow  # otherwise the cluster that loses a worker has to
@pytest.mark.parametrize("by", ["verbs", "frames"])
def test_a_cluster_gives_the_answer_of_one_machine(
    cluster: Standalone, expected: dict[str, str], tmp_path: Path, by: str
) -> None:
    assert agrees(asked(cluster.master, str(tmp_path), "--by", by), expected)


@pytest.mark.parametrize("by", ["frames", pytest.param("verbs", marks=ALSO)])
def test_spark_connect_gives_the_answer_of_one_machine(
    java: str, expected: dict[str, str], tmp_path: Path, by: str
) -> None:
    pytest.importorskip("grpc", reason="missing: grpcio (pip install 'pyspark[connect]')")
    assert agrees(asked("local[2]", str(tmp_path), "--connect", "--by", by), expected)


@pytest.mark.parametrize("stage", [stage if stage == "verify" else pytest.param(stage, marks=ALSO) for stage in STAGES])
def test_a_worker_that_is_killed_costs_time_and_not_the_answer(
    cluster: Standalone, expected: dict[str, str], tmp_path: Path, stage: str
) -> None:
    victim = cluster.workers[1]
    try:
        assert asked(cluster.master, str(tmp_path), "--kill", stage, str(victim.pid)) == expected
        assert victim.wait(10) < 0, "the worker was to be killed"
    finally:
        cluster.mend()
