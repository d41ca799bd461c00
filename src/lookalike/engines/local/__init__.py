"""The local engine: the native kernel on the cores of one machine, within a memory budget."""

from lookalike.engines.registry import Declaration, EngineOption

DECLARATION = Declaration(
    "local",
    "lookalike.engines.local.engine:Local",
    "The native kernel on the cores of this machine.",
    (
        EngineOption(
            "threads", int | None, None, "N", "Number of threads; does not change the result (default: one per core)."
        ),
        EngineOption(
            "memory",
            int | str | None,
            None,
            "SIZE",
            "Maximum memory, such as 2GiB; data that does not fit goes to files (default: half of the free memory).",
        ),
    ),
)
