"""Passes errors from tasks to the driver: our own errors as code and values, errors from Spark as one line.

A task that raises a LookalikeError fails with a `TaskError`, whose text contains the error's notice as JSON. Spark
includes this text in its own exception, from which `translated` extracts it. This is the only module that recognises
errors from pyspark, py4j and gRPC.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa

from lookalike import errors
from lookalike.errors import LookalikeError
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief

Work = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

MARK = "lookalike-error "
"""The text that precedes the JSON in the message of a TaskError."""


class TaskError(Exception):
    """A LookalikeError raised in a task, as one line of ASCII that Spark passes on unchanged."""

    def __init__(self, error: LookalikeError) -> None:
        super().__init__(MARK + json.dumps({"class": type(error).__name__, **error.notice.to_dict()}))


def map_batches(frame: Any, work: Work, schema: Any) -> Any:
    """Calls `frame.mapInArrow` such that a LookalikeError raised by `work` reaches the driver as code and values."""
    return frame.mapInArrow(partial(_attempted, work), schema)


def _attempted(work: Work, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from work(batches)
    except LookalikeError as error:
        raise TaskError(error) from error


@contextmanager
def translated() -> Iterator[None]:
    """Wraps work on the cluster.

    Raises our errors from tasks again, and turns errors from Spark into one-line errors.
    """
    try:
        yield
    except LookalikeError:
        raise
    except Exception as error:
        if not isinstance(error, TaskError) and not is_of_spark(error):
            raise
        ours = error_of_task(str(error))
        if ours is not None:
            raise ours from None
        raise LookalikeError("spark-failed", reason=reason(error)) from error


def error_of_task(text: str) -> LookalikeError | None:
    """Returns the LookalikeError contained in the text of an exception; None if there is none."""
    _, mark, rest = text.partition(MARK)
    if not mark:
        return None
    data, _ = json.JSONDecoder().raw_decode(rest)
    kind: type[LookalikeError] = getattr(errors, data.pop("class"))
    notice = Notice.from_dict(data)
    return kind(notice.code, **notice.values)


def is_of_spark(error: BaseException) -> bool:
    """True for errors from pyspark, py4j and gRPC."""
    return type(error).__module__.startswith(("pyspark", "py4j", "grpc"))


def reason(error: BaseException) -> str:
    """Returns the most informative line of a long error message from Spark."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    informative = [line for line in lines if re.search(r"(Error|Exception|Caused by)\b.*: \S", line)]
    return brief(Exception(informative[-1] if informative else lines[0] if lines else type(error).__name__))
