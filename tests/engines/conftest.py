"""One Spark for the whole run: it takes seconds to start."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import MISSING
from tests.engines.standalone import JAVA


@pytest.fixture(scope="session")
def spark_session(java: str) -> Iterator[Any]:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        pytest.skip(f"{MISSING}PySpark (pip install '.[spark]')")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["JDK_JAVA_OPTIONS"] = JAVA
    session = (
        SparkSession.builder.master("local[2]")
        .appName("lookalike tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.maxResultSize", "10m")  # nothing but counts comes to the driver
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
