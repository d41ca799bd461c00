"""A real PostgreSQL server for tests: it listens on a socket in a temporary folder, and ends with the tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
"""Where Debian has the programs of the server, which are not on the path."""

SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "32MB",
    "max_connections": "100",
    "full_page_writes": "off",
    "fsync": "off",
    "autovacuum_naptime": "5min",
}


def program(name: str) -> str | None:
    """The path of a program of the server."""
    return shutil.which(name, path=os.pathsep.join([*map(str, FOLDERS), os.environ.get("PATH", "")]))


class Server:
    """A server with the user `ada`, who may do everything. Members of the role `guarded` need a password."""

    def __init__(self, **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lookalike-pg-"))
        self.settings = SETTINGS | settings
        self._names = count()
        self._process: subprocess.Popen[bytes] | None = None
        # The server refuses to run as root.
        self._user: dict[str, Any] = (
            {"user": "nobody", "group": "nogroup", "extra_groups": []} if not os.getuid() else {}
        )
        if self._user:
            shutil.chown(self.folder, "nobody")

    def __enter__(self) -> Server:
        data = self.folder / "data"
        made = [str(program("initdb")), "-D", str(data), "-U", "ada", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(made, check=True, capture_output=True, cwd="/", **self._user)
        rules = "local all +guarded scram-sha-256\nlocal all all trust\n"
        hba = data / "pg_hba.conf"
        hba.write_text("local all all trust\n")
        self.start()
        self.run("CREATE ROLE guarded")
        hba.write_text(rules)
        self.run("SELECT pg_reload_conf()")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        options += ["-c", f"unix_socket_directories={self.folder}"]
        log = (self.folder / "log").open("ab")
        command = [str(program("postgres")), "-D", str(self.folder / "data"), *options]
        self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/", **self._user)
        log.close()
        deadline = time.monotonic() + 60
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)

    def _answers(self) -> bool:
        import psycopg

        try:
            self.run("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stops the server. SIGINT ends all connections, and SIGQUIT is like a crash."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(60)

    def url(self, user: str = "ada", database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def address(self, name: str | None = None) -> str:
        """The address of a new index."""
        return f"{self.url()}#{name or f'index_{next(self._names)}'}"

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Runs statements as `ada`, and returns the rows of the last one."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
