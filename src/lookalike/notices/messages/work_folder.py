"""Messages about work folders, temporary files and memory."""

from lookalike.notices.messages import Message

MESSAGES = {
    "empty-option": Message("InvalidOption", "{option:@} is empty. Name a file or folder"),
    "work-folder-is-a-file": Message(
        "OutputError", "the work folder {folder} is a file. Name a folder, which does not have to exist yet"
    ),
    "work-folder-unwritable": Message(
        "OutputError",
        "the work folder {folder} cannot be written to: {reason}. Finished parts are kept. Fix the problem, then "
        "run again with {@resume=True} to continue",
    ),
    "work-folder-in-use": Message(
        "WorkTaken",
        "the work folder {folder} is in use by {by}. Wait for that process to finish, or choose another folder",
    ),
    "not-our-file": Message(
        "OutputError",
        "{path} is a link, a folder or a special file, so lookalike does not use it. Remove it, or choose another "
        "folder",
    ),
    "another-process": Message("detail", "another process"),
    "work-folder-has-other-files": Message(
        "WorkTaken", "the work folder {folder} contains other files, such as {name}. Choose a new or empty folder"
    ),
    "work-folder-has-unknown-parts": Message(
        "WorkTaken",
        "the work folder {folder} contains parts of an unknown run, such as {name}. Choose a new or empty folder",
    ),
    "work-folder-has-unfinished-run": Message(
        "WorkTaken",
        "the work folder {folder} contains an unfinished run of {input}, started at {began}. Continue that run "
        "with {@resume=True}, or remove the folder",
    ),
    "work-folder-in-input": Message(
        "InvalidOption", "the work folder {folder} is part of the input. Choose another folder"
    ),
    "work-folder-of-another-plan": Message(
        "PlanMismatch",
        "the work folder {folder} belongs to a run with different settings: {differences:clauses}[[; and {more} "
        "more]]. To continue that run, undo these changes. Otherwise, choose another folder, or remove {folder}",
    ),
    "work-folder-of-another-input": Message(
        "InputError",
        "the work folder {folder} belongs to a run with a different input: {differences:clauses}[[; and {more} more]]. "
        "To continue that run, undo these changes. Otherwise, choose another folder, or remove {folder}",
    ),
    "work-folder-of-another-version": Message(
        "WorkTaken",
        "{folder} contains an unfinished run of lookalike {version}, which this version cannot continue. Finish it "
        "with version {version}, or remove the folder",
    ),
    "damaged-manifest": Message(
        "MalformedInput",
        "{path} is damaged, so the parts in {folder} cannot be used. Remove {folder}, and start the run again",
    ),
    # how two runs differ
    "setting-changed": Message("detail", "{name} was {then} and is now {now}"),
    "not-given": Message("detail", "not set"),
    "data-changed": Message("detail", "{name} has changed"),
    "file-removed": Message("detail", "{name} is no longer part of the input"),
    "file-added": Message("detail", "{name} was added to the input"),
    "file-resized": Message("detail", "{name} has changed from {then:,} to {now:n byte}"),
    "file-rewritten": Message(
        "detail",
        "{name} was rewritten: its size is still {size:bytes}, but its modification time was {then} and is now {now}",
    ),
    "files-reordered": Message("detail", "the files are in a different order"),
    # durable parts
    "parts-of-another-run": Message(
        "PlanMismatch",
        "{folder} contains the parts of another run (with a different plan, input or version). Choose another folder, "
        "or remove {folder}",
    ),
    "unreadable-part": Message("InputError", "the part {path} cannot be read: {reason}"),
    "part-damaged-in-use": Message(
        "MalformedInput",
        "the part {path} was damaged while it was in use. Check the disk. To compute the part again and continue, "
        "run again with {@resume=True}",
    ),
    "part-replaced": Message("warning", "the part {path} was damaged, so it was computed again"),
    "invalid-part-name": Message(
        "InvalidOption", "the name of a part must consist of letters, digits, '-' and '_', got {name!r}"
    ),
    # temporary files and memory
    "no-room-for-copy": Message(
        "OutputError",
        "{name} must be read more than once, but a temporary copy of it cannot be written: {reason}. Save it as a file "
        "first, or set the environment variable TMPDIR to a folder on a larger disk",
    ),
    "no-room-to-spill": Message(
        "OutputError",
        "data that does not fit in memory cannot be written to {folder}: {reason}. Use {@work} or the environment "
        "variable TMPDIR to name a folder on a larger disk",
    ),
    "no-room-for-page": Message(
        "OutputError",
        "a large page of a Parquet file cannot be unpacked to {folder}: {reason}. Set the environment variable TMPDIR "
        "to a folder on a larger disk",
    ),
    "memory-too-small": Message(
        "InvalidOption",
        "the limit of {limit:bytes} leaves too little memory for {what}. Set {@memory} to at least {least:bytes}",
    ),
}
