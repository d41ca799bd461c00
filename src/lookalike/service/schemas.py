"""The OpenAPI document: request bodies and query strings come from the declarations, answers from `answers.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from lookalike.requests.option import Declared
from lookalike.service.bodies import ARROW, JSON, JSON_LINES
from lookalike.service.fields import LARGEST, object_schema, parameters
from lookalike.service.limits import Limits
from lookalike.service.problems import MEDIA_TYPE

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "Problem details (RFC 9457). The code and its values are those of an error in Python.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "values": {"type": "object"},
    },
    "required": ["type", "title", "status", "detail", "code", "values"],
}

_PROBLEM = {"description": "A problem", "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}

PROBLEMS: dict[int | str, dict[str, Any]] = {"4XX": _PROBLEM, "5XX": _PROBLEM}
"""The answers of every route to a request that is refused or fails."""

ID: dict[str, Any] = {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}]}


LIMIT = "x-limit"
"""In a schema: the limit of the service that is the maximum. `describe` replaces it by its value."""

PAGE: dict[str, Any] = {"minimum": 1, LIMIT: "max_rows"}
"""The number of results of a page."""

SHARE: dict[str, Any] = {"exclusiveMinimum": 0, "maximum": 1}
"""A threshold."""

ROW: dict[str, Any] = {"minimum": 0, "maximum": LARGEST}
"""The row of a document, or a number of documents."""

ROWS: dict[str, Any] = {"items": {"type": "integer", **ROW}}

OF_FILTER: dict[str, Any] = {
    "min_size": ROW, "max_size": ROW,
    "min_least": {"minimum": 0, "maximum": 1}, "max_least": {"minimum": 0, "maximum": 1},
}  # fmt: skip
"""The limits of sizes and similarities of a filter of clusters."""


def body(fields: Mapping[str, Declared], *others: str, **refined: Mapping[str, Any]) -> dict[str, Any]:
    """Describes a body in JSON with these members or, instead, of one of the other types."""
    content: dict[str, Any] = {JSON: {"schema": object_schema(fields, **refined)}}
    content |= {kind: {"schema": {"type": "string", "format": "binary"}} for kind in others}
    return {"requestBody": {"required": True, "content": content}}


def query_string(fields: Mapping[str, Declared], **refined: Mapping[str, Any]) -> dict[str, Any]:
    return {"parameters": parameters(fields, **refined)}


def links(**to: Mapping[str, Any]) -> dict[str, Any]:
    """Describes the requests that can follow an answer: the id of the operation, and what it takes from the answer."""
    return {"responses": {"200": {"links": {name: dict(link) for name, link in to.items()}}}}


KEYED: dict[str, Any] = {"security": [{"key": []}]}
"""For routes that need a key."""

DOCUMENT_BODIES = (JSON_LINES, ARROW)


def describe(app: FastAPI, limits: Limits) -> None:
    """Adds to the document what FastAPI does not know."""
    original = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = original()
            components = made.setdefault("components", {})
            components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            components.setdefault("schemas", {})["Problem"] = PROBLEM
            for path in made["paths"].values():
                for operation in path.values():
                    operation["responses"].pop("422", None)  # that of FastAPI; ours is among 4XX
            for name in ("HTTPValidationError", "ValidationError"):
                components["schemas"].pop(name, None)
            app.openapi_schema = with_limits(made, limits)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def with_limits(described: Any, limits: Limits) -> Any:
    """Replaces names of limits by their values, in a schema or in a part of the document that contains schemas.

    >>> with_limits({"type": "integer", "x-limit": "max_rows"}, Limits.of({"max_rows": 5}))
    {'type': 'integer', 'maximum': 5}
    """
    if isinstance(described, list):
        return [with_limits(one, limits) for one in described]
    if not isinstance(described, dict):
        return described
    return {
        "maximum" if name == LIMIT else name: getattr(limits, value) if name == LIMIT else with_limits(value, limits)
        for name, value in described.items()
    }
