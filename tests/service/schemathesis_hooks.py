"""What schemathesis does not know: how bodies of JSON lines are made, and why requests that fit are refused."""

from __future__ import annotations

from typing import Any

import schemathesis

WHAT_NO_SCHEMA_EXPRESSES = {
    "a value that this service has not returned": ("not-a-cursor", "cursor-expired"),
    "what this index has": (
        *("index-ids-of-another-type", "index-needs-ids", "some-ids-missing", "no-plan-yet"),
        *("below-threshold-of-index", "index-without-passages"),
    ),
    "options that exclude each other": (
        *("one-or-several", "not-in-query-string", "option-of-another-action", "rows-needed", "not-a-member"),
        *("survivor-is-excluded", "bands-without-rows", "whitespace-without-characters", "ids-of-two-types"),
    ),
    "plans that contradict themselves": (
        *("exact-join-with-bands", "lsh-without-rows", "lsh-at-full-recall", "bands-below-full-recall"),
        *("too-few-hashes", "recall-out-of-reach", "unused-shingle-option"),
    ),
    "the syntax of rules and shingles": (
        *("empty-option", "no-such-shingles", "shingles-without-length", "shingle-length-not-a-number"),
        *("shingle-length-out-of-range", "not-one-of", "rule-without-columns", "rule-with-open-quotation"),
        *("glob-without-files", "rule-never-used", "no-such-column", "where-without-condition"),
    ),
    "a threshold as a string, or with many digits": ("not-a-share", "too-many-decimal-places"),
    "numbers that schemathesis compares as floats": ("not-an-id", "not-in-whole-range", "number-too-large"),
    "bytes of a body that is not JSON": ("body-not-arrow", "line-not-json", "no-decisions-to-import"),
    "the size of a body": ("too-many-documents", "body-too-large"),
}
"""The codes with which a request that fits its schema may be refused, by what is wrong."""

REFUSED = {code for codes in WHAT_NO_SCHEMA_EXPRESSES.values() for code in codes}


@schemathesis.serializer("application/x-ndjson")
def json_lines(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.serializer("application/vnd.apache.arrow.stream")
def arrow(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def valid_requests_are_refused_for_known_reasons(context: Any, response: Any, case: Any) -> None:
    """Looks at the code of the problem, where the check `positive_data_acceptance` looks at the status.

    Requests that fit their schema, and those that do not, are refused with the same statuses.
    """
    is_refused = response.status_code in (400, 410, 413, 422)
    if is_refused and case.meta is not None and case.meta.generation.mode.is_positive:
        code = response.json()["code"]
        assert code in REFUSED, f"a request that fits its schema was refused with the code {code}"
