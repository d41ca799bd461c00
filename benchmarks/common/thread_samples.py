"""Samples which threads of a command are busy, and which one holds the interpreter's lock, about once a millisecond.

Another process looks at the command from outside (Linux only): at the state of each thread in /proc, and at the lock in
the memory of the interpreter. So the command runs the code that users run, without any measuring in it. A thread is
busy if it runs or could run: on few cores, threads that wait for a core count, and threads that wait for a lock do not.

The lock is a few words in the data of the interpreter: the interval after which a thread is asked to release it, the
thread state that held it last, and whether it is locked. They are found by these values in this process, which runs
the same interpreter; the command has them at the same distance from the start of the program.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

INTERVAL = 0.001
LOCK = struct.Struct("<QQi")
"""The interval in microseconds, the thread state that held the lock last, and 1 if it is locked."""


@dataclass
class Samples:
    """For each sample: when it was taken (seconds of the monotonic clock), busy threads, and the holder of the lock."""

    began: float
    ended: float = 0.0
    times: list[float] = field(default_factory=list)
    busy: list[frozenset[int]] = field(default_factory=list)
    holders: list[int] = field(default_factory=list)
    """The thread that holds the lock; 0 if no thread does, or if it is not known."""
    names: dict[int, str] = field(default_factory=dict)
    process: int = 0
    cpu: float = 0.0
    """The CPU seconds of the process."""


def sampled(command: Sequence[str], environment: dict[str, str] | None = None) -> Samples:
    """Runs a Python program to its end and returns what was seen. Its first argument must be this interpreter."""
    lock = _Lock.found()
    samples = Samples(time.monotonic())
    running = subprocess.Popen(command, env=environment)
    samples.process = running.pid
    with _Threads(running.pid) as threads:
        while True:
            began = time.monotonic()
            busy = threads.busy(samples.names)
            if busy is None:
                break
            samples.times.append(began)
            samples.busy.append(busy)
            samples.holders.append(lock.holder(running.pid))
            time.sleep(max(0.0, INTERVAL - (time.monotonic() - began)))
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    samples.ended = time.monotonic()
    samples.cpu = usage.ru_utime + usage.ru_stime
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return samples


class _Threads:
    """The threads of a process. Their files in /proc stay open, so that a sample costs one read per thread."""

    def __init__(self, process: int) -> None:
        self._folder = Path(f"/proc/{process}/task")
        self._process = process
        self._open: dict[int, int] = {}

    def __enter__(self) -> _Threads:
        return self

    def __exit__(self, *error: object) -> None:
        for file in self._open.values():
            os.close(file)

    def busy(self, names: dict[int, str]) -> frozenset[int] | None:
        """The threads that run, could run, or wait for the disk or memory. None after the end of the process."""
        try:
            present = {int(thread.name) for thread in self._folder.iterdir()}
        except FileNotFoundError:
            return None
        for gone in self._open.keys() - present:
            os.close(self._open.pop(gone))
        found = []
        for thread in present:
            with suppress(OSError):
                if thread not in self._open:
                    self._open[thread] = os.open(self._folder / str(thread) / "stat", os.O_RDONLY)
                line = os.pread(self._open[thread], 200, 0)
                end = line.rindex(b")")
                state = line[end + 2 : end + 3]
                names[thread] = line[line.index(b"(") + 1 : end].decode()
                if state == b"Z" and thread == self._process:
                    return None
                if state in b"RD":
                    found.append(thread)
        return frozenset(found)


@dataclass(frozen=True)
class _Lock:
    """Where the interpreter's lock is."""

    program: str
    """The file of the interpreter: a program or a shared library."""
    offset: int
    """The distance of the lock from where that file is loaded."""
    number: int
    """The distance of a thread's number from the start of its thread state."""

    @classmethod
    def found(cls) -> _Lock:
        start, size = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")), 1 << 19
        ctypes.pythonapi.PyThreadState_Get.restype = ctypes.c_void_p
        state = ctypes.pythonapi.PyThreadState_Get()
        data = _read(os.getpid(), start, size)
        # Reading memory releases the lock, so whether it is locked says nothing here.
        place = data.find(LOCK.pack(round(sys.getswitchinterval() * 1e6), state, 0)[:16])
        if place < 0:
            raise RuntimeError("the lock was not found in the memory of this interpreter")
        own = _read(os.getpid(), state, 512)
        number = own.find(struct.pack("<Q", threading.get_native_id()), 8)
        program, begins = _program_of(start)
        return cls(program, start + place - begins, number)

    def holder(self, process: int) -> int:
        with suppress(OSError, StopIteration, struct.error):  # the program has not begun, or has ended
            start = _loaded_at(process, self.program)
            _, state, locked = LOCK.unpack(_read(process, start + self.offset, LOCK.size))
            if locked == 1 and state:
                return int(struct.unpack("<Q", _read(process, state + self.number, 8))[0])
        return 0


def _program_of(address: int) -> tuple[str, int]:
    """The file whose data is at this address of this process, and where it is loaded."""
    before = [program for program in _programs(os.getpid()) if program[1] <= address]
    name = max(before, key=lambda program: program[1])[0]
    return name, _loaded_at(os.getpid(), name)


@cache
def _loaded_at(process: int, program: str) -> int:
    return next(start for name, start in _programs(process) if name == program)


def _programs(process: int) -> list[tuple[str, int]]:
    """The files that a process has mapped, and their addresses."""
    lines = [line.split(maxsplit=5) for line in Path(f"/proc/{process}/maps").read_text().splitlines()]
    return [(line[5], int(line[0].split("-")[0], 16)) for line in lines if len(line) == 6 and line[5][0] == "/"]


class _Part(ctypes.Structure):
    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


_system = ctypes.CDLL(None, use_errno=True)
_system.process_vm_readv.restype = ctypes.c_ssize_t


def _read(process: int, address: int, size: int) -> bytes:
    """Bytes of the memory of a process; fewer at the end of what is mapped."""
    buffer = ctypes.create_string_buffer(size)
    here, there = _Part(ctypes.addressof(buffer), size), _Part(address, size)
    got = _system.process_vm_readv(process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return buffer.raw[:got]
