"""Messages about baskets: files of them, lists of them, and tables with one item per row."""

from lookalike.notices.messages import Message

MESSAGES = {
    "basket": Message("detail", "{name}, basket {basket} (counted from 0)"),
    "not-baskets": Message("InvalidOption", "baskets must be a path, a table or a list of lists of items, got {type}"),
    "column-of-listed-baskets": Message(
        "InvalidOption", "{@column} names a column of a table, but the data is a list of baskets. Omit {@column}"
    ),
    "basket-files-of-two-kinds": Message(
        "InvalidOption",
        "{first} and {other} are basket files with different separators. Set one {@separator} for all files, or read "
        "the files separately",
    ),
    "basket-file-has-no-columns": Message(
        "InvalidOption",
        "a basket file has no columns to name with {options:options}. Omit the option or, if the file is a table, "
        "name its format with {@format}",
    ),
    "baskets-format-in-memory": Message(
        "InvalidOption",
        "{@format=baskets} applies to files only, and data in memory is already divided into items. Omit {@format}",
    ),
    "basket-needs-table": Message(
        "InvalidOption",
        "{@basket} names a column of a table, but the input is read as {format}. Name the format of the table with "
        "{@format}",
    ),
    "basket-and-id": Message(
        "InvalidOption", "with {@basket}, the names of the baskets are the ids of the sets. Omit {@id}"
    ),
    "one-column-for-items-and-baskets": Message(
        "InvalidOption",
        "column {column!r} cannot contain both the items and their baskets. Name another column with {@column}",
    ),
    "quoted-item": Message(
        "detail",
        "an item starts with a quotation mark, but basket files have no quoting. If the file is a table, name its "
        "columns with {@column} and {@basket}",
    ),
    "basket-not-a-list": Message("MalformedInput", "{where}: expected a list of items, got {type}"),
    "not-an-item": Message(
        "MalformedInput", "{where}: items must be integers or strings, got {value!r} of type {type}"
    ),
    "mixed-items": Message(
        "MalformedInput", "{where}: items must be all integers or all strings, but {value!r} differs from the others"
    ),
    "item-too-large": Message(
        "MalformedInput", "{where}: the integer {value} does not fit into 64 bits. Pass all items as strings"
    ),
    "unreadable-item": Message("MalformedInput", "{name}: an item {reason}"),
    "not-an-item-column": Message(
        "MalformedInput",
        "{where}: column {column!r} must contain one item per row, a string or an integer, but its type is {type}. "
        "Name the column of items with {@column}",
    ),
    "texts-instead-of-lists": Message(
        "MalformedInput",
        "{name}: column {column!r} contains one text per row, not lists of items. If it contains one item per row, "
        "use {@basket} to name the column that identifies each item's basket",
    ),
    "missing-basket": Message(
        "MalformedInput",
        "{where}: column {column!r} has no value, so the item belongs to no basket. Add the missing value, or remove "
        "the row",
    ),
}
