"""Creates the application: routes, and how errors become answers. `gate.py` is around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp

from lookalike import __version__
from lookalike.errors import LookalikeError, ServiceError
from lookalike.service import log
from lookalike.service.gate import Gate
from lookalike.service.problems import problem, to_show
from lookalike.service.routes import (
    clusters,
    comparisons,
    documents,
    page,
    queries,
    review,
    review_decisions,
    review_tools,
    status,
)
from lookalike.service.schemas import describe
from lookalike.service.state import Service

ROUTES = (
    documents.router,
    queries.router,
    clusters.router,
    comparisons.router,
    status.router,
    review.router,
    review_decisions.router,
    review_tools.router,
    page.router,
)


def create_app(service: Service) -> ASGIApp:
    """Returns the application of a service. It closes the service when the server stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        service.calls.closing = True
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="lookalike",
        version=__version__,
        summary="Finds documents of an index that are similar to others.",
        docs_url=None,  # these pages load scripts from other sites
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.service = service
    for router in ROUTES:
        app.include_router(router)
    app.add_exception_handler(LookalikeError, _answer_error)
    app.add_exception_handler(Exception, _answer_error)
    app.add_exception_handler(HTTPException, _answer_http_error)
    describe(app, service.limits)
    return Gate(app, service)


async def _answer_error(request: Request, error: Exception) -> Response:
    shown = to_show(error, request.state.request)
    if shown.code != getattr(error, "code", None):
        log.log_failure(error, request.state.request)
    request.state.code = shown.code
    return problem(shown)


async def _answer_http_error(request: Request, error: Any) -> Response:
    """Answers a request for a path or method that does not exist."""
    known = error.status_code == 405
    shown = ServiceError("no-such-method", method=request.method) if known else ServiceError("no-such-path")
    request.state.code = shown.code
    answer = problem(shown)
    answer.headers.update(error.headers or {})
    if known:
        answer.headers["Allow"] = ", ".join(_methods(request))
    return answer


def _methods(request: Request) -> list[str]:
    """Returns the methods of a path, which may belong to several routes."""
    routes = [*request.app.routes, *(route for router in ROUTES for route in router.routes)]
    fitting = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for route in fitting for method in getattr(route, "methods", None) or ()})
