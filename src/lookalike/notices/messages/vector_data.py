"""Messages about reading vectors from arrays, tables and files."""

from lookalike.notices.messages import Message

MESSAGES = {
    "not-vectors": Message(
        "InvalidOption",
        "vectors must be given as an array, a list of lists, a table, or .npy or Parquet files, got {type}",
    ),
    "not-an-array": Message("MalformedInput", "{name} cannot be read as an array ({reason})"),
    "array-has-no-columns": Message("InvalidOption", "{name} is an array, which has no columns. Omit {option:@}"),
    "no-parquet-files": Message(
        "NoInput", "{name} contains no Parquet files. To read .npy files, use a glob such as *.npy"
    ),
    "npy-and-parquet": Message("InputError", "{name} includes both .npy and Parquet files. Read them separately"),
    "not-a-vector-file": Message(
        "MalformedInput", "{name} is neither a .npy nor a Parquet file, so vectors cannot be read from it"
    ),
    "vector-files-differ": Message(
        "MalformedInput",
        "{first} contains vectors of {width:n dimension} and type {type}, but {other} contains vectors of "
        "{other_width:n dimension} and type {other_type}. Vectors that are read together must have the same number of "
        "dimensions and the same type",
    ),
    "damaged-array": Message("MalformedInput", "{name} is damaged, or is not an array of numbers ({reason})"),
    "not-one-vector-per-row": Message(
        "MalformedInput", "{name}: expected a table of numbers with one vector per row, got an array of shape {shape}"
    ),
    "vectors-in-different-columns": Message(
        "InputError",
        "the files of {name} have their vectors in different columns: {columns:and}. Rename the columns, or read the "
        "files separately",
    ),
    "several-vector-columns": Message(
        "InputError", "{name} has several columns of vectors: {columns:and}. Use {@column} to name one of them"
    ),
    "no-vector-column": Message(
        "InputError", "{name} has no column of vectors. Vectors must be in a column of lists of numbers"
    ),
    "not-a-vector-column": Message(
        "MalformedInput",
        "{name}: column {column!r} must contain lists of numbers, but its type is {type}. Use {option:@} to name the "
        "column of vectors",
    ),
    "vector-types-differ": Message(
        "MalformedInput", "{where}: expected a vector of type {expected}, like those before it, got {type}"
    ),
    "missing-vector": Message("MalformedInput", "{where}: the vector is missing. Add the vector, or remove the row"),
    "missing-number": Message(
        "MalformedInput", "{where}: the vector contains a missing number. Fill in the number, or remove the row"
    ),
    "vectors-differ-in-length": Message(
        "MalformedInput", "{where}: expected a vector of {expected:n dimension}, like those before it, got {length:,}"
    ),
}
