"""Generates docs/reference/cli.md from the output of `--help`.

python tools/cli_reference.py            write the page
python tools/cli_reference.py --check    fail if the page is out of date
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "cli.md"

HEAD = """# The command line

This page is generated from `--help` by `tools/cli_reference.py`. Options have the same names as the arguments of
the Python functions: `lookalike pairs news.jsonl --threshold 0.8` corresponds to
`find_pairs("news.jsonl", threshold=0.8)`.

Data is written to standard output only if `--out` is omitted or is `-`. Progress, the summary and errors are written to
standard error. An error is printed on one line, `lookalike: error: …`, and the exit code is one of those listed below.
Outputs are written under a temporary name and then renamed, so after an error or Ctrl-C, an output file is either
complete or missing.

**For programs: `--json`.** With `--json`, every command prints one JSON object on standard output instead of a summary:

```json
{"command": "dedupe",
 "summary": {"documents": 9111, "same_words": 38, "near_duplicates": 363, "kept": 8710, "removed": 401},
 "notices": [{"code": "duplicate-ids", "values": {"repeated": 3, "rows": 13}, "message": "…"}],
 "outputs": {"out": "unique.jsonl", "removed": "unique.jsonl.removed.parquet"}}
```

In a real run, `summary` has more entries: all counts and times of the result, and its plan. If the command fails, the
object describes the error: `{"error": {"code": "no-such-file", "values": {…}, "message": "…"}, "exit_code": 3}`. The
error is also printed on standard error. The codes are listed in [messages](messages.md). With `--json`, tables are
written only to files: without `--out`, a command prints only the object.

**Your defaults: a configuration file.** The file `~/.config/lookalike/config.toml` can set the three defaults below.
Options on the command line override them. If `$XDG_CONFIG_HOME` is set, that folder is used instead of `~/.config`. To
use another file, set `$LOOKALIKE_CONFIG` to its path; to use no file, set it to `/dev/null`.

```toml
threads = 4
memory = "8GiB"
progress = false    # the summary is still printed; --quiet suppresses both
```

Options that affect the result are rejected in this file, so that a command gives the same result for every user. Save
such options as a plan instead (`--save-plan`, `--plan`). With `-v`, a command also shows the configuration file that it
read, the versions of lookalike, Python and the main packages, and the reasons for the plan.

**Completion.** The shells bash, zsh and fish can complete commands, options, option values and file names. To enable
completion, run the command for your shell:

```sh
lookalike --completion bash > ~/.local/share/bash-completion/completions/lookalike
lookalike --completion zsh > ~/.zfunc/_lookalike      # with fpath+=~/.zfunc before compinit in ~/.zshrc
lookalike --completion fish > ~/.config/fish/completions/lookalike.fish
```

"""


def page() -> str:
    """Returns the text that the page should have."""
    from lookalike.cli.app import every_command

    sections = [HEAD + _block([])]
    sections += [f"## lookalike {command}\n\n" + _block(command.split()) for command in every_command()]
    return "\n".join(sections)


def _block(arguments: list[str]) -> str:
    from lookalike.cli import run

    os.environ["COLUMNS"] = "88"  # fits on a page of the site, independent of the terminal
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run([*arguments, "--help"])
    text = "\n".join(line.rstrip() for line in shown.getvalue().strip().splitlines())
    return f"```\n{text}\n```\n"


def main() -> None:
    if "--check" in sys.argv[1:]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
            sys.exit(f"{PAGE.name} is out of date: run python tools/cli_reference.py")
        return
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
