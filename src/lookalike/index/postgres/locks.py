"""Which advisory locks a turn for writing takes, so that it sees every row that another client is adding and it needs.

An add of one document shares the index with other such adds, and locks its band keys and its id: of two similar texts,
the second waits for the first. Everything else has the index alone. Locks are taken in ascending order, so no two
clients wait for one another; and before the transaction starts, so that its snapshot contains what they waited for.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lookalike.flow.arrays import Hashes
from lookalike.index.postgres.lookup import digest

CLASS = 0x6C6F6F6B
"""The first of the two numbers of the lock of an index, by which an administrator recognises it ("look")."""

RELEASE = "SELECT pg_advisory_unlock_all()"


def whole_index(number: int, *, wait: bool = True) -> str:
    """Returns a statement that locks an index. `number` is that of its schema."""
    return f"SELECT pg_{'' if wait else 'try_'}advisory_lock({CLASS}, {_half(number)})"


def one_document(number: int, keys: Hashes, ids: pa.Array | None) -> str:
    """Returns a statement that locks what an add of one document depends on."""
    locks = np.unique(np.concatenate([mixed(keys[0], number), _id_locks(number, ids)]).view(np.int64))
    listed = ",".join(map(str, locks.tolist()))
    return (
        f"SELECT pg_advisory_lock_shared({CLASS}, {_half(number)});"
        f"SELECT pg_advisory_lock(lock) FROM unnest(ARRAY[{listed}]::bigint[]) lock"
    )


def mixed(values: Hashes, number: int) -> Hashes:
    """Returns the locks of the keys of bands 0, 1 … in an index. If two are equal by chance, a client waits longer."""
    with np.errstate(over="ignore"):
        salted = values + (np.arange(len(values), dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        salted ^= np.uint64(number) << np.uint64(32)
        salted = (salted ^ (salted >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        salted = (salted ^ (salted >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        found: Hashes = salted ^ (salted >> np.uint64(31))
        return found


def _id_locks(number: int, ids: pa.Array | None) -> Hashes:
    if ids is None:
        return np.zeros(0, np.uint64)
    names = ids.to_pylist()
    if pa.types.is_integer(ids.type):
        return mixed(~np.array(names, np.int64).view(np.uint64), number)
    return mixed(np.array([int.from_bytes(digest(name)[:8]) for name in names], np.uint64), number)


def _half(number: int) -> int:
    """Returns an unsigned number of 32 bits as a signed one."""
    return number - (1 << 32) if number >= 1 << 31 else number
