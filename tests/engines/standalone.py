"""A real Spark cluster on this machine's loopback: a master and two workers, as processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of every JVM that tests start: in a short run, compiling Java well takes more time than it saves."""


class Standalone:
    """One for the whole test run. A worker that was killed is started again by `mend`."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.port = _free_port()
        self.master = f"spark://127.0.0.1:{self.port}"
        self.environment = environment()
        self.script = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
        self.processes: list[subprocess.Popen[bytes]] = []
        self._start("master", "Master", "--host", "127.0.0.1", "--port", str(self.port))
        _wait_for(self.port)
        self.workers = [self._worker(0), self._worker(1)]

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        work = self.folder / f"work-{number}-{len(self.processes)}"
        limits = ("--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--work-dir", str(work))
        return self._start(f"worker-{number}", "Worker", *limits, self.master)

    def _start(self, name: str, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [self.script, f"org.apache.spark.deploy.{kind.lower()}.{kind}", "--webui-port", "0", *arguments]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log, start_new_session=True)
        self.processes.append(process)
        return process

    def mend(self) -> None:
        for number, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[number] = self._worker(number)

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def environment() -> dict[str, str]:
    """The environment of the cluster's processes and of its clients: this Python, loopback, and little memory."""
    found = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    here = str(Path(__file__).parents[2])
    return found | {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "JDK_JAVA_OPTIONS": JAVA,
        "PYTHONPATH": here,
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if time.monotonic() > end:
            raise TimeoutError(f"no process listens at port {port}")
        time.sleep(0.1)
