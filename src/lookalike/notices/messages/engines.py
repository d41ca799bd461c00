"""Messages about engines, kernels and what they find."""

from lookalike.notices.messages import Message

MESSAGES = {
    "shingles-not-resolved": Message(
        "InvalidOption", "{@shingles=auto} is chosen when a plan is resolved: resolve the plan before texts are cut"
    ),
    "kernel-path-not-one-of": Message(
        "InvalidOption",
        "the environment variable {variable} must be empty or one of {allowed:list} on this machine, got {value!r}",
    ),
    "not-an-engine": Message("InvalidOption", "{@engine} must be the name of an engine, or an engine, got {value!r}"),
    "option-of-another-engine": Message(
        "InvalidOption", "{option:@} is an option of engine {owners:or}; engine {engine} has no such option"
    ),
    "option-of-a-made-engine": Message(
        "InvalidOption",
        "{option:@} is for an engine given by its name; this {engine} engine was made with its own options",
    ),
}
