"""The review page: its files, and the address that opens it in a browser.

The files contain nothing of a corpus, so they need no key. The page asks for everything else with its cookie.
"""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from lookalike import drawing
from lookalike.errors import ServiceError
from lookalike.service.access import caller_of, cookie_name
from lookalike.service.state import service_of

router = APIRouter()

STATIC = Path(__file__).parents[1] / "page" / "static"

_DRAWING = Path(drawing.__file__).parent

SHARED = {"charts.css": _DRAWING / "style.css"} | {
    f"shared/{path.name}": path for path in sorted((_DRAWING / "scripts").glob("*.js"))
}
"""Files that the page shares with reports: the colours, the styles of charts, and the components that draw them."""

HOME = "/"

START_PAGE = "index.html"

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
}
"""The media type of each suffix. Files with other suffixes are not served."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The Content-Security-Policy of the page: no script, style or connection but those of the service, and none inline."""


def static_files(folder: Path = STATIC) -> dict[str, Path]:
    """Returns the files that are served, by their path below /page/.

    A request is looked up among these names and never joined to a folder, so no path can lead elsewhere. Hidden files
    and links are left out.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        is_plain = path.is_file() and not any((folder / part).is_symlink() for part in (*name.parents, name))
        if is_plain and path.suffix in TYPES and not any(part.startswith(".") for part in name.parts):
            found[name.as_posix()] = path
    return found


@router.api_route("/", methods=["GET", "HEAD"], include_in_schema=False)
async def home(request: Request) -> Response:
    """Exchanges the start token in the address for a cookie and forwards to an address without it; then, the page."""
    service = service_of(request)
    token = request.query_params.get("token")
    if token is None:
        caller_of(service, request)
        return await _file(request, START_PAGE)
    if not service.keys.is_start_token(token):
        raise ServiceError("unknown-key")
    service.reviewing.warm_up()
    forward = RedirectResponse(HOME, 303)
    forward.set_cookie(cookie_name(request), service.session, httponly=True, samesite="strict", path="/")
    return forward


@router.api_route("/page/{name:path}", methods=["GET", "HEAD"], include_in_schema=False)
async def page(name: str, request: Request) -> Response:
    """Returns a file of the page."""
    return await _file(request, name)


async def _file(request: Request, name: str) -> Response:
    path = SHARED.get(name) or (await asyncio.to_thread(static_files)).get(name)
    if path is None:
        raise ServiceError("no-such-path")
    content = await asyncio.to_thread(path.read_bytes)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers | {"Content-Type": TYPES[path.suffix]})
