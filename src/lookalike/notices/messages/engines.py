"""Messages about engines, kernels, and the pairs they find."""

from lookalike.notices.messages import Message

MESSAGES = {
    "shingles-not-resolved": Message(
        "InvalidOption",
        "with {@shingles=auto}, the kind of shingles depends on the data. Resolve the plan first: "
        "la.resolve_plan(data, plan)",
    ),
    "kernel-path-not-one-of": Message(
        "InvalidOption",
        "the environment variable {variable} must be empty or one of {allowed:list} on this machine, got {value!r}",
    ),
    "native-module-not-loaded": Message(
        "LookalikeError",
        "the native module of lookalike could not be loaded ({reason}). Reinstall lookalike from a wheel for this "
        "machine and this version of Python, or use {@engine=reference}, which needs no native module but is slow",
    ),
    "reference-engine-instead": Message(
        "warning",
        "the native module of lookalike could not be loaded ({reason}), so the slow reference engine was used. The "
        "result is the same. To use the fast engine, reinstall lookalike from a wheel for this machine and this "
        "version of Python",
    ),
    "process-itself": Message("detail", "the process itself (Python, file readers and native code)"),
    "documents-of-size": Message("detail", "documents of {size:bytes}"),
    "pages-of-size": Message("detail", "the pages of a Parquet file, which take {size:bytes}"),
    "number-of-documents": Message("detail", "{documents:n document}"),
    "too-many-pairs": Message(
        "InvalidOption",
        "there are more than {most:,} similar pairs[[ (about {pairs:,})]], too many to list. Raise {@threshold}, or "
        "find clusters instead, which does not require a list of pairs",
    ),
    "too-many-pairs-for-stars": Message(
        "InvalidOption",
        "there are more than {most:,} similar pairs[[ (about {pairs:,})]], too many for the list of pairs from which "
        "survivors are chosen. Raise {@threshold}, or use {@linkage=connected}, which does not require a list of pairs",
    ),
    "useless-for-copies": Message(
        "InvalidOption",
        "{option:@} has no effect if only copies are removed ({@remove} is {remove!r}). Omit {option:@}, or use "
        "{@remove=near}",
    ),
    "forecast-of-copies": Message(
        "InvalidOption",
        "a run that removes only copies ({@remove} is {remove!r}) takes less time than its forecast would. Omit "
        "{@forecast}",
    ),
    "share-of-contained": Message(
        "InvalidOption",
        "{@remove} must be contained:SHARE, where SHARE is a number greater than 0 and at most 1 with at most {places} "
        "decimal places, got {value!r}[[. Did you mean {meant!r}?]]",
    ),
    "contained-needs-stars": Message(
        "InvalidOption",
        "{@remove=contained} requires {@linkage=star} and {@verify=exact}, because the shingles of a removed "
        "document are compared with those of the document kept in its place",
    ),
    "pairs-exceed-memory": Message(
        "InvalidOption",
        "there are more than {most:,} similar pairs, too many to list within {limit:bytes} of memory. Raise "
        "{@memory} or {@threshold}, or find clusters instead, which does not require a list of pairs",
    ),
    "pairs-exceed-memory-for-stars": Message(
        "InvalidOption",
        "there are more than {most:,} similar pairs. The list of pairs from which survivors are chosen does not fit "
        "in {limit:bytes} of memory. Raise {@memory} or {@threshold}, or use {@linkage=connected}, which does not "
        "require a list of pairs",
    ),
    "large-buckets": Message(
        "warning",
        "{buckets:n bucket has/buckets have} more than {least:,} documents. The largest has {largest:,} documents[[; "
        "most documents sampled from it share shingles such as {shingles:list}]][[. If the cause is boilerplate, "
        "exclude these shingles: use {share} as {@ignore_common}. Without them, most of the sampled documents are not "
        "similar]]",
    ),
    "large-cluster": Message(
        "warning",
        "{largest:,} documents are connected by similar pairs[[; most documents sampled from them share shingles such "
        "as {shingles:list}]][[. If the cause is boilerplate, exclude these shingles: use {share} as "
        "{@ignore_common}. Without them, most of the sampled documents are not similar]]",
    ),
    "not-an-engine": Message(
        "InvalidOption", "{@engine} must be the name of an engine or an engine object, got {value!r}"
    ),
    "option-of-another-engine": Message(
        "InvalidOption",
        "{option:@} is an option of the {owners:or} engine, not of the {engine} engine. Omit {option:@}, or set "
        "{@engine} to {owners:or}",
    ),
    "option-of-a-made-engine": Message(
        "InvalidOption",
        "{option:@} can be used only if {@engine} is the name of an engine. You passed an engine object, so set the "
        "option when you create the {engine} engine",
    ),
}
