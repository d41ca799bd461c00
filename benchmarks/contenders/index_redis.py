"""datasketch on Redis, with a server of its own that forces every write to the disk. Texts are not stored."""

from __future__ import annotations

import atexit
import subprocess
import time
from pathlib import Path

import psutil
import redis
from contenders import index_contender, index_datasketch


class Contender(index_datasketch.Contender):
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        socket = folder.absolute() / "redis.sock"
        command = ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""]
        durable = ["--appendonly", "yes", "--appendfsync", "always"]
        self.server = subprocess.Popen([*map(str, command), *durable], stdout=subprocess.DEVNULL)
        atexit.register(self.server.terminate)
        while not socket.exists():
            time.sleep(0.05)
        redis.Redis(unix_socket_path=str(socket)).flushall()
        self.storage = {"type": "redis", "basename": b"index", "redis": {"unix_socket_path": str(socket)}}
        super().__init__(folder)

    def nbytes(self) -> int:
        return index_contender.size_of(self.folder)

    def other_cpu(self) -> float:
        used = psutil.Process(self.server.pid).cpu_times()
        return float(used.user + used.system)


if __name__ == "__main__":
    index_contender.main(Contender)
