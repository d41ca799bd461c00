"""Messages about baskets in files, in lists, and in tables with one item per row."""

from lookalike.notices.messages import Message

MESSAGES = {
    "basket": Message("detail", "{name}, basket {basket} (counted from 0)"),
    "not-baskets": Message(
        "InvalidOption", "baskets must be given as a path, a table, or a list of lists of items, got {type}"
    ),
    "column-of-listed-baskets": Message(
        "InvalidOption", "{@column} names a column of a table, but the data is a list of baskets. Omit {@column}"
    ),
    "basket-files-of-two-kinds": Message(
        "InvalidOption",
        "{first} and {other} are basket files with different suffixes, so their separators may differ. Set "
        "{@separator} if all files use the same separator, or read the files separately",
    ),
    "basket-file-has-no-columns": Message(
        "InvalidOption",
        "basket files have no columns, so {options:options} cannot be used. Omit the option or, if the file is a "
        "table, set its format, for example {@format=csv}",
    ),
    "baskets-format-in-memory": Message(
        "InvalidOption", "{@format=baskets} applies only to files, but the data is in memory. Omit {@format}"
    ),
    "basket-needs-table": Message(
        "InvalidOption",
        "{@basket} names a column of a table, but the input is read as {format}. If the input is a table, set its "
        "format, for example {@format=csv}. Otherwise, omit {@basket}",
    ),
    "basket-and-id": Message(
        "InvalidOption",
        "{@basket} and {@id} cannot be combined, because the name of each basket is its id. Omit {@id}",
    ),
    "one-column-for-items-and-baskets": Message(
        "InvalidOption",
        "{@column} and {@basket} both name column {column!r}, but items and baskets must be in different columns",
    ),
    "quoted-item": Message(
        "detail",
        "an item starts with a quotation mark, but basket files do not support quoting. If the file is a table, name "
        "its columns with {@column} and {@basket}",
    ),
    "basket-not-a-list": Message("MalformedInput", "{where}: expected a list of items, got {type}"),
    "not-an-item": Message(
        "MalformedInput", "{where}: items must be integers or strings, got {value!r} of type {type}"
    ),
    "mixed-items": Message(
        "MalformedInput",
        "{where}: items must be either all integers or all strings, but {value!r} differs from the others",
    ),
    "item-too-large": Message(
        "MalformedInput", "{where}: the integer {value} does not fit in 64 bits. Pass all items as strings"
    ),
    "unreadable-item": Message("MalformedInput", "{name}: an item {reason}"),
    "not-an-item-column": Message(
        "MalformedInput",
        "{where}: column {column!r} must contain one item (a string or an integer) per row, but its type is {type}. "
        "Use {@column} to name the column of items",
    ),
    "texts-instead-of-lists": Message(
        "MalformedInput",
        "{name}: column {column!r} contains one text per row, not lists of items. If it contains one item per row, "
        "use {@basket} to name the column that identifies each item's basket",
    ),
    "missing-basket": Message(
        "MalformedInput",
        "{where}: the name of the basket in column {column!r} is missing. Add the name, or remove the row",
    ),
}
