"""The programs in examples/ run and find what they should."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NEWS = EXAMPLES / "news.jsonl"


def environment(**more: str) -> dict[str, str]:
    """The environment of a program. `lookalike` and `python` are those that run the tests."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **more}


def run(*command: str | Path, **more: str) -> str:
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_variants_of_a_picture_are_its_nearest_pictures() -> None:
    """Each picture has five variants. Nearly all of the nearest pictures are among them."""
    lines = [line.split() for line in run(sys.executable, EXAMPLES / "pictures.py", "--top", "3").splitlines()]
    assert len(lines) == 360
    numbers = [[word for word in line if word.isdigit()] for line in lines]
    assert sum(one == other for one, other in numbers) >= 350


# A nightly job


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two nights of news: the first six articles and the other seven."""
    lines = NEWS.read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "incoming").mkdir()
    (tmp_path / "incoming/monday.jsonl").write_text("".join(lines[:6]), encoding="utf-8")
    (tmp_path / "incoming/tuesday.jsonl").write_text("".join(lines[6:]), encoding="utf-8")
    return tmp_path


def nightly(folder: Path, night: str) -> subprocess.CompletedProcess[str]:
    command = [str(EXAMPLES / "nightly/nightly.sh"), str(folder), night]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)


def ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_nightly_job_keeps_what_earlier_nights_did_not_have(corpus: Path) -> None:
    first, second = nightly(corpus, "monday"), nightly(corpus, "tuesday")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    kept = ids(corpus / "clean/monday.jsonl") + ids(corpus / "clean/tuesday.jsonl")
    everything = ids(NEWS)
    assert len(kept) == 8 and kept == [id for id in everything if id in kept]
    summary = json.loads((corpus / "log/tuesday.json").read_text(encoding="utf-8"))["summary"]
    assert summary["kept"] == 4 and (corpus / "removed/tuesday.parquet").exists()
    assert not [*corpus.glob("work-*")]

    before = (corpus / "clean/tuesday.jsonl").read_bytes()
    again = nightly(corpus, "tuesday")
    assert again.returncode == 0 and "tuesday is done" in again.stdout
    assert (corpus / "clean/tuesday.jsonl").read_bytes() == before


def test_a_nightly_job_reports_why_it_failed(corpus: Path) -> None:
    missing = nightly(corpus, "friday")
    assert missing.returncode == 3 and "incoming/friday.jsonl" in missing.stderr
    assert json.loads((corpus / "log/friday.json").read_text(encoding="utf-8"))["exit_code"] == 3
    assert not (corpus / "clean/friday.jsonl").exists()


def test_only_one_nightly_job_runs_at_a_time(corpus: Path) -> None:
    import fcntl

    (corpus / "log").mkdir()
    with (corpus / "log/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert nightly(corpus, "monday").returncode == 75
    assert nightly(corpus, "monday").returncode == 0


# A check on upload


def post(application: Any, id: str, text: bytes, method: str = "POST") -> tuple[str, Any]:
    status: list[str] = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": f"/{id}", "CONTENT_LENGTH": f"{len(text)}"}
    body = application({**environ, "wsgi.input": io.BytesIO(text)}, lambda line, headers: status.append(line))
    return status[0][:3], json.loads(b"".join(body))


def test_an_upload_that_is_similar_to_a_stored_text_is_refused() -> None:
    upload = module("upload")
    rows = [json.loads(line) for line in NEWS.read_text(encoding="utf-8").splitlines()]
    news = {row["id"]: row["text"] for row in rows}
    texts = upload.Texts()
    texts.add({id: text for id, text in news.items() if id != "echo-1"})
    application = upload.application(texts)

    status, answer = post(application, "echo-1", news["echo-1"].encode())
    assert status == "409" and answer["similar"][0] == {"id": "courier-1", "similarity": 0.8387}
    assert post(application, "new", b"A text about something else that nobody has written before.")[0] == "201"
    assert post(application, "again", b"A text about something else that nobody has written BEFORE")[0] == "409"
    assert post(application, "new", b"another text under the same id")[0] == "409"
    assert post(application, "bytes", b"\xff\xfe")[0] == "400"
    assert post(application, "new", b"", "GET")[0] == "405"
    assert post(application, "empty", b"")[0] == post(application, "empty too", b"")[0] == "201"


def test_uploads_are_compared_as_find_pairs_does() -> None:
    """The index of the example finds the pairs of the library, because its bands are those of the plan."""
    import lookalike as la
    from tests.corpora import corpus as generated

    upload, collection = module("upload"), generated(200)
    texts = upload.Texts()
    texts.add({f"{number}": text for number, text in enumerate(collection)})
    pairs = la.find_pairs(collection, threshold=0.8, shingles="words:5", method="lsh")
    assert len(pairs)
    for number, text in enumerate(collection):
        assert sorted((int(id), s) for id, s in texts.similar(text) if int(id) != number) == sorted(pairs.of(number))


# Tables in, tables out


def test_a_duckdb_session_deletes_what_is_removed() -> None:
    shown = run(sys.executable, EXAMPLES / "duckdb_session.py", NEWS)
    assert "reprinted_by" in shown and "removed 4 articles, 9 are left" in shown


def test_a_dataset_comes_back_without_copies_and_test_data(tmp_path: Path) -> None:
    from datasets import load_from_disk

    out = tmp_path / "clean"
    run(sys.executable, EXAMPLES / "hf_dataset.py", NEWS, out, HF_HOME=str(tmp_path / "cache"), HF_HUB_OFFLINE="1")
    splits = load_from_disk(str(out))
    assert splits["test"].num_rows == 3 and splits["train"].num_rows < 10
    assert splits["train"].column_names == ["id", "paper", "date", "text"]
