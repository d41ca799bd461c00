"""The memory that the bodies of all requests in progress may use together."""

from __future__ import annotations

from lookalike.errors import ServiceError
from lookalike.storage.budget import PER_BYTE, Budget

SHARE = 2
"""The bodies get the free part of the budget divided by this. The rest is for what the index computes."""

LEAST = 1 << 20
"""The minimum size in bytes, which a service has even if its budget is used up when it starts."""


class Room:
    """Bytes that can be reserved. Only the thread of the event loop may use it."""

    def __init__(self, size: int) -> None:
        self.size = size
        """The number of bytes of bodies."""
        self.reserved = 0

    @classmethod
    def of(cls, memory: int | str | None) -> Room:
        """Returns the room within the memory budget of the process.

        A text needs `PER_BYTE` bytes per byte until it is compared, as in the budget of a run.
        """
        return cls(max(LEAST, Budget.of(memory).free() // SHARE // PER_BYTE))

    def reserve(self, size: int) -> None:
        """Reserves bytes. Raises ServiceError if other requests use them."""
        if self.reserved + size > self.size:
            raise ServiceError("service-busy", seconds=1)
        self.reserved += size

    def release(self, size: int) -> None:
        self.reserved -= size
