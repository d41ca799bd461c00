"""lookalike serve: starts a service over an index or a saved result."""

from __future__ import annotations

import sys

from lookalike.cli.command_options import Quiet
from lookalike.cli.index.opening import IndexPath
from lookalike.cli.options import Options, takes
from lookalike.errors import MissingExtra
from lookalike.requests.service import Listening, RequestLimits, Serve
from lookalike.requests.shared import OnThisMachine

EXAMPLE = """\b
Examples:
  lookalike serve corpus.index
  lookalike serve corpus.result
  lookalike serve corpus.index --port 0 --read-only
  lookalike serve corpus.index --host 0.0.0.0 --keys keys.toml --allow-host search.example.org"""


@takes(Serve, OnThisMachine, Quiet, loads="lookalike.index.index", example=EXAMPLE)
def serve(index: IndexPath, *, options: Options) -> None:
    """Starts a service over an index or a saved result.

    Programs can then ask over HTTP which documents are similar to a text, and add and delete documents. People can
    review clusters, and decide what is a duplicate. The address that is printed contains a token that allows everything
    until the service stops. The service logs one JSON object per request on standard error, without texts and ids.
    Ctrl-C and SIGTERM end it after the requests in progress.
    """
    from lookalike.cli.process import return_memory_early

    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtra.needed("the service", str(error.name), "service") from None
    from lookalike.service import log
    from lookalike.service.server import prepare, serve

    where = {name: options[name] for name in (*Listening.__annotations__, *RequestLimits.__annotations__)}
    if options["memory"] is not None:
        return_memory_early()
    prepared = prepare(index, where, threads=options["threads"], memory=options["memory"])
    log.set_up(quiet=options["quiet"])

    def announce() -> None:
        if options["json"]:
            from lookalike.cli.json_output import print_json

            print_json(options, {"url": prepared.url, "token": prepared.token})
        else:
            print(prepared.address, flush=True)
        log.log("ready", url=prepared.url, documents=prepared.documents)

    sys.stdout.flush()
    serve(prepared, announce)


command = serve
