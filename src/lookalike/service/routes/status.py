"""The state of the service: health, metrics, and facts about the index."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from lookalike import __version__
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.planning.resolve import ResolvedPlan
from lookalike.service import answers
from lookalike.service.access import Needs
from lookalike.service.metrics import MEDIA_TYPE
from lookalike.service.routes.common import answer
from lookalike.service.schemas import KEYED, PROBLEMS
from lookalike.service.state import Service, gone, service_of
from lookalike.storage.budget import resident

router = APIRouter(responses=PROBLEMS, tags=["status"])

OF_INDEX = ("documents", "deleted", "bytes", "ids", "contain")
"""The facts of `Index.info` that clients may see. The plan is left out, because it may contain the key of the index."""


@router.get("/healthz", response_model=answers.Health)
async def healthz() -> Response:
    """Answers as long as the process is alive. Needs no key."""
    return answer({"status": "ok"})


@router.get("/readyz", response_model=answers.Health)
async def readyz(request: Request) -> Response:
    """Answers if the index can be queried. Needs no key."""
    service = service_of(request)
    if service.handles.has_index:
        await service.calls.read(lambda index, progress: len(index), gone(request))
    return answer({"status": "ready"})


@router.get("/info", response_model=answers.IndexInfo, openapi_extra=KEYED, dependencies=[Depends(Needs("read"))])
async def info(request: Request) -> Response:
    """Returns counts and sizes of the index, its plan, and the limits of the service."""
    service = service_of(request)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        found = index.info()
        return {name: found[name] for name in OF_INDEX} | {"plan": _plan(index)}

    found: dict[str, Any] = dict.fromkeys((*OF_INDEX, "plan"))
    if service.handles.has_index:
        found = await service.calls.read(read, gone(request))
    about = {"name": service.handles.name, "version": __version__, "read_only": service.handles.is_read_only}
    return answer(about | found | {"limits": asdict(service.limits)})


def _plan(index: Index) -> dict[str, Any] | None:
    plan = index.plan
    if not isinstance(plan, ResolvedPlan):
        return None
    values = {"threshold": float(plan.threshold), "shingles": str(plan.shingles), "recall": plan.recall}
    return values | {"bands": plan.bands, "rows": plan.rows}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
    openapi_extra=KEYED,
    dependencies=[Depends(Needs("read"))],
)
async def metrics(request: Request) -> Response:
    """Returns counts for Prometheus."""
    service = service_of(request)
    found: dict[str, Any] = {}
    if service.handles.has_index:
        found = await service.calls.read(lambda index, progress: index.info(), gone(request))
    return Response(service.metrics.text(_gauges(service, found)), headers={"Content-Type": MEDIA_TYPE})


def _gauges(service: Service, found: dict[str, Any]) -> dict[str, tuple[str, float]]:
    of_index = {
        "documents": ("Documents of the index.", found["documents"]),
        "deleted_documents": ("Deleted documents whose space is not returned yet.", found["deleted"]),
        "index_bytes": ("Size of the index.", found["bytes"]),
    } if found else {}  # fmt: skip
    return of_index | {
        "calls_in_progress": ("Calls that wait for the index or use it.", service.calls.in_progress),
        "resident_memory_bytes": ("Resident memory of the process.", resident()),
    }
