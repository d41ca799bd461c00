"""Requests that schemathesis derives from the OpenAPI document, including sequences of requests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.reviews import reviewed

pytest.importorskip("schemathesis", reason="pip install schemathesis")

ROOT = Path(__file__).parents[2]

SECONDS = 60

KNOWN_DIFFERENCES = "positive_data_acceptance"
"""The check that does not hold by design: a request may fit its schema and be refused, because two members exclude each
other, because a cursor was not returned before, or because a number exceeds a limit of this service."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["index", "Deduped"])
def test_the_service_answers_as_its_document_says(kind: str, tmp_path: Path) -> None:
    with reviewed(kind) as service:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"),
            *("--header", f"Authorization: Bearer {service.prepared.token}", "--checks", "all"),
            *("--exclude-checks", KNOWN_DIFFERENCES, "--phases", "examples,coverage,fuzzing,stateful"),
            *("--max-time", str(SECONDS), "--seed", "1", "--warnings", "off"),
        ]
        hooks = {"SCHEMATHESIS_HOOKS": "tests.service.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | hooks, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
