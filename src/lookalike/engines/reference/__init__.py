"""The reference engine: carries out plans by the definitions, in plain Python. It has no options."""

from lookalike.engines.registry import Declaration

DECLARATION = Declaration(
    "reference",
    "lookalike.engines.reference.engine:Reference",
    "The definitions in plain Python: slow, to check other engines against.",
)
