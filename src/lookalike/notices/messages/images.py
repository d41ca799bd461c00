"""Messages about pictures."""

from lookalike.notices.messages import Message

MESSAGES = {
    "no-pictures-at-path": Message("NoInput", "{path} does not exist"),
    "no-pictures-in-folder": Message(
        "NoInput", "{path} contains no pictures, and {others:n other file}. Expected files such as JPEG, PNG or WebP"
    ),
    "not-picture-paths": Message(
        "InvalidOption", "pictures are given as a path or a list of paths, got {type}. Save other pictures as files"
    ),
    "largest-not-positive": Message("InvalidOption", "{@largest} must be greater than 0, got {value!r}"),
    "pictures-of-queries": Message("InvalidOption", "{@pictures} lists copies, so it cannot be used with {@query}"),
    "top-without-query": Message("InvalidOption", "{@top} is the number of neighbours of a {@query}. Name a query too"),
    "picture-folder-unreadable": Message("warning", "the folder {path} cannot be read: {reason}"),
    "picture-unreadable": Message("warning", "{name} cannot be read: {reason}"),
    "picture-empty": Message("warning", "{name} is empty (0 bytes)"),
    "picture-not-recognized": Message("warning", "{name} is not a picture that Pillow knows, whatever its name says"),
    "picture-truncated": Message("warning", "{name} is truncated: the file ends before the picture does"),
    "picture-damaged": Message("warning", "{name} is damaged and cannot be decoded: {reason}"),
    "picture-too-large": Message("warning", "{name} has too many pixels to be decoded safely. It was not compared"),
    "picture-larger-than-allowed": Message(
        "warning",
        "{name} has {width:,} × {height:,} pixels, more than {@largest} allows ({most:,}). It was not compared",
    ),
    "picture-format-not-decoded": Message(
        "warning", "{name} was not compared, because Pillow cannot decode {suffix} files. Convert it to PNG or JPEG"
    ),
    "more-picture-problems": Message(
        "warning", "{count:n more picture} could not be compared. The table of pictures lists all of them"
    ),
}
