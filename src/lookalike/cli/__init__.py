"""The command line: each command parses its arguments, calls one library function and writes the result.

Heavy modules are imported only when a command needs them, so that `lookalike --help` is fast.
"""

from lookalike.cli.process import main, run

__all__ = ["main", "run"]
