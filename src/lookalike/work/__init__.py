"""What a run leaves on the way: durable parts in a folder of its own, texts needed again, and what is read ahead."""

from lookalike.work.ahead import ahead, mapped, side_by_side
from lookalike.work.batches import batches
from lookalike.work.budget import Budget
from lookalike.work.parts import DirectoryParts, MemoryParts, NoParts, Parts
from lookalike.work.spill import Spill
from lookalike.work.texts import TextStore

__all__ = [
    "Budget",
    "DirectoryParts",
    "MemoryParts",
    "NoParts",
    "Parts",
    "Spill",
    "TextStore",
    "ahead",
    "batches",
    "mapped",
    "side_by_side",
]
