"""What a run leaves on the way: named durable parts, texts that will be needed again, and what is read ahead."""

from lookalike.work.ahead import ahead
from lookalike.work.parts import DirectoryParts, MemoryParts, NoParts, Parts
from lookalike.work.texts import TextStore

__all__ = ["DirectoryParts", "MemoryParts", "NoParts", "Parts", "TextStore", "ahead"]
