"""What a run leaves on the way: named durable parts."""

from lookalike.work.parts import DirectoryParts, MemoryParts, Parts

__all__ = ["DirectoryParts", "MemoryParts", "Parts"]
