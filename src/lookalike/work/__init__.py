"""What a run leaves on the way: durable parts in a folder of its own, texts needed again, and what is read ahead."""

from lookalike.work.ahead import ahead, mapped, side_by_side
from lookalike.work.batches import batches
from lookalike.work.parts import DirectoryParts, MemoryParts, NoParts, Parts
from lookalike.work.texts import TextStore

__all__ = [
    "DirectoryParts",
    "MemoryParts",
    "NoParts",
    "Parts",
    "TextStore",
    "ahead",
    "batches",
    "mapped",
    "side_by_side",
]
