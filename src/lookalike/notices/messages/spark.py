"""Messages about Spark: sessions, workers, staging and DataFrames."""

from lookalike.notices.messages import Message

MESSAGES = {
    # sessions
    "java-needed": Message(
        "MissingExtra",
        "the Spark engine requires Java {least} or newer, but {problem}. Install Java (Debian: apt-get install "
        "default-jre-headless), or set JAVA_HOME",
    ),
    "java-not-found": Message("detail", "Java was not found on this machine"),
    "java-not-in-home": Message("detail", "Java was not found in {home}, the value of JAVA_HOME"),
    "java-cannot-run": Message("detail", "{java} cannot be run ({reason})"),
    "java-version-unknown": Message("detail", "{java} does not report its version"),
    "java-too-old": Message("detail", "{java} is Java {version}"),
    "spark-session-elsewhere": Message(
        "InvalidOption",
        "a Spark session with master {there} is already active in this process. Stop that session before you connect "
        "to {master}",
    ),
    "spark-not-started": Message("LookalikeError", "Spark could not be started[[ at {master}]]: {reason}"),
    "spark-failed": Message("LookalikeError", "the Spark job failed: {reason}"),
    # workers
    "spark-worker-without-lookalike": Message(
        "MissingExtra",
        "lookalike is not installed on the Spark worker on {host}. Install version {version} there, or set "
        "spark.pyspark.python to a Python interpreter that has it",
    ),
    "spark-worker-of-another-version": Message(
        "LookalikeError",
        "the Spark worker on {host} has lookalike {there}, but this process has {version}. Install version {version} "
        "there, or set spark.pyspark.python to a Python interpreter that has it",
    ),
    "spark-worker-cannot-import": Message(
        "LookalikeError", "lookalike cannot be imported on the Spark worker on {host}: {reason}"
    ),
    # staging
    "staging-needed": Message(
        "InvalidOption",
        "on a cluster, {@staging} must name a folder or URL that all machines can access. Spark writes finished "
        "parts there",
    ),
    "staging-not-a-folder": Message("InvalidOption", "{@staging} must be the path or URL of a folder, got {value!r}"),
    "staging-cannot-be-opened": Message("InvalidOption", "the staging folder {url} cannot be opened: {reason}"),
    "staging-not-shared": Message(
        "InvalidOption",
        "the staging folder {url} is not shared: the Spark worker on {host} cannot find a file that was written "
        "there. Set {@staging} to a folder or URL that all machines can access",
    ),
    "staged-part-unreadable": Message("InputError", "part {part} in {url} cannot be read: {reason}"),
    "staging-folder": Message("detail", "the staging folder {url}"),
    # DataFrames
    "texts-of-another-type": Message(
        "InvalidOption",
        "column {column!r} of the DataFrame must contain texts (string) or tokens (array<string>), but its type is "
        "{type}",
    ),
    "ids-of-another-type": Message(
        "InvalidOption",
        "column {column!r} of the DataFrame has type {type}, which cannot be sorted. Choose an id column of another "
        "type",
    ),
    "items-of-another-type": Message(
        "InvalidOption",
        "column {column!r} of the DataFrame must contain texts (string) or whole numbers, but its type is {type}",
    ),
    "frames-need-ids": Message(
        "InvalidOption",
        "{@id} must name the column of ids, because the rows of a DataFrame have no order. If the DataFrame has one "
        "item per row, set {@basket} instead",
    ),
    "transposed-lists-need-ids": Message(
        "InvalidOption",
        "to transpose lists, {@id} must name the column of ids, because the rows of a DataFrame have no order",
    ),
    "rows-without-order": Message(
        "InvalidOption",
        "the items of a set are in different rows, which have no order on Spark, so {@shingles} must be 'tokens', got "
        "{shingles!r}",
    ),
    "signatures-of-partial-sets": Message(
        "InvalidOption",
        "signatures of sets with one item per row are merged from parts, so bags and {@ignore_common} are not "
        "supported, got {@shingles} {shingles!r}",
    ),
    "row-without-id": Message(
        "MalformedInput", "column {column!r} of the DataFrame has rows without an id. Give every row an id"
    ),
    "copies-of-dataframes": Message(
        "InvalidOption",
        "the DataFrame functions cannot remove copies only. Use la.dedupe(data, engine='spark', remove='identical') or "
        "remove='same-words'",
    ),
    "signatures-need-resolved-plan": Message(
        "InvalidOption",
        "with {@ignore_common}, the shingles to ignore depend on the data. Resolve the plan first: "
        "la.resolve_plan(data, plan)",
    ),
    # work that is too large, or wrong
    "exact-join-too-large": Message(
        "InvalidOption",
        "an exact join of {documents:n document} would send each document to {tasks:,} tasks, and transfer "
        "{size:bytes} in total. Use bands instead, with {@method=lsh}",
    ),
    "buckets-too-large": Message(
        "InvalidOption",
        "{documents:n document} share {buckets:n large bucket} but are not all in one cluster. Comparing all of them "
        "would send each document to {tasks:,} tasks, and transfer {size:bytes} in total. To ignore the shingles that "
        "these documents share, use {@ignore_common=0.05}. Otherwise, raise {@threshold} or {@hashes}",
    ),
    "parts-written-twice": Message(
        "BrokenInvariant",
        "two Spark tasks wrote their rows to the same part. This is a bug in lookalike. Please report it",
    ),
    "components-not-found": Message(
        "BrokenInvariant",
        "the components of {edges:,} edges were not found within {rounds} rounds. This is a bug in lookalike. Please "
        "report it",
    ),
}
