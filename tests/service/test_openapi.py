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

REPLACED = "positive_data_acceptance"
"""The check that another one in `schemathesis_hooks.py` replaces. It knows the codes with which a request that fits its
schema may be refused."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["index", "Deduped"])
def test_the_service_answers_as_its_document_says(kind: str, tmp_path: Path) -> None:
    with reviewed(kind) as service:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{service.url}/openapi.json"),
            *("--header", f"Authorization: Bearer {service.prepared.token}", "--checks", "all"),
            *("--exclude-checks", REPLACED, "--phases", "examples,coverage,fuzzing,stateful"),
            *("--max-time", str(SECONDS), "--seed", "1", "--warnings", "off"),
        ]
        hooks = {"SCHEMATHESIS_HOOKS": "tests.service.schemathesis_hooks", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=os.environ | hooks, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]
