"""The local engine: the native kernel on the cores of one machine, within a memory budget."""

from lookalike.engines.registry import Declaration, EngineOption

DECLARATION = Declaration(
    "local",
    "lookalike.engines.local.engine:Local",
    "The native kernel on the cores of this machine.",
    (
        EngineOption("threads", int | None, None, "Threads to use (default: one per core that the process may use)."),
        EngineOption(
            "memory",
            int | str | None,
            None,
            "The most memory to use, such as 2GiB; the rest goes to files (default: half of what is free).",
        ),
    ),
)
