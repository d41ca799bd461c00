"""A connection to PostgreSQL, which counts round trips and converts errors to ours. Only this module uses psycopg."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError, InvalidOption, LookalikeError, MalformedInput, MissingExtra, OutputError
from lookalike.index.ids import LARGEST
from lookalike.index.postgres.address import Address
from lookalike.index.store import Conflict

if TYPE_CHECKING:
    import psycopg

Statement = tuple[str, Sequence[Any]]
"""A statement with placeholders, and its values."""

SETTINGS = """
SET search_path TO "{name}";
SET enable_seqscan = off;
SET jit = off;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
"""Every lookup has an index, and durable means durable."""

CONFLICTS = {"40001", "40P01", "23505"}
"""A failed serialization, a deadlock, an id that another client has added."""

DAMAGED = {"XX001", "XX002"}

NO_PERMISSION = "42501"

UNKNOWN_TABLE = "42P01"

SEQUENCE_ENDED = "2200H"


class Session:
    """A connection for one index. It connects when it is first used, and again after it was lost."""

    def __init__(self, address: Address) -> None:
        self._open: psycopg.Connection[Any] | None = None
        self._process = os.getpid()
        self.address = address
        self.round_trips = 0
        """The number of times that the client has waited for the server."""

    @property
    def is_open(self) -> bool:
        return self._open is not None and not self._open.closed

    def connect(self) -> None:
        """Connects, if the session is not open."""
        if self.is_open:
            return
        psycopg = _library()
        address = self.address
        try:
            self._open = psycopg.connect(
                address.server, autocommit=True, client_encoding="utf8", fallback_application_name="lookalike"
            )
        except psycopg.ProgrammingError:  # the address is malformed, and the message may contain the password
            raise InvalidOption("postgres-address") from None
        except psycopg.Error as error:
            raise InputError("postgres-unreachable", name=address.shown, reason=_last_line(error)) from None
        self.script(SETTINGS.format(name=address.name))

    def script(self, text: str) -> list[list[tuple[Any, ...]]]:
        """Runs several statements without values in one round trip. Returns the rows of those that return any."""
        with self._errors():
            cursor = self._connection.cursor()
            self.round_trips += 1
            cursor.execute(text.encode())
            found = []
            while True:
                if cursor.description is not None:
                    found.append(cursor.fetchall())
                if not cursor.nextset():
                    return found

    def rows(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        """Runs a statement, and returns its rows."""
        with self._errors():
            self.round_trips += 1
            return self._connection.execute(text.encode(), values, binary=True).fetchall()

    def do(self, text: str, *values: Any) -> None:
        """Runs a statement that returns no rows."""
        with self._errors():
            self.round_trips += 1
            self._connection.execute(text.encode(), values)

    def together(self, statements: Iterable[Statement], *, committing: bool = False) -> list[list[tuple[Any, ...]]]:
        """Runs several statements in one round trip. Returns the rows of each."""
        with self._errors(committing=committing):
            self.round_trips += 1
            with self._connection.pipeline():
                cursors = [self._connection.execute(text.encode(), values, binary=True) for text, values in statements]
            return [[] if cursor.description is None else cursor.fetchall() for cursor in cursors]

    def commit(self, statements: Iterable[Statement]) -> list[list[tuple[Any, ...]]]:
        """Runs several statements and commits, in one round trip. Returns the rows of each."""
        return self.together([*statements, ("COMMIT", ())], committing=True)

    def copy(self, table: str, kinds: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        """Copies rows to a table. `table` names its columns, too."""
        with self._errors():
            self.round_trips += 1
            text = f"COPY {table} FROM STDIN (FORMAT BINARY)".encode()
            with self._connection.cursor() as cursor, cursor.copy(text) as copy:
                copy.set_types(kinds)
                for row in rows:
                    copy.write_row(row)

    def end(self, text: str) -> None:
        """Runs a script at the end of a turn. A lost connection has no transaction and no locks."""
        if self.is_open:
            try:
                self.script(text)
            except LookalikeError:
                self.close()

    def close(self) -> None:
        """Closes the connection. A forked process leaves it to its parent, for which it would end, too."""
        if self._open is not None:
            if os.getpid() == self._process:
                self._open.close()
            self._open = None

    def __del__(self) -> None:
        self.close()

    @property
    def _connection(self) -> psycopg.Connection[Any]:
        if self._open is None:
            raise InputError("postgres-lost", name=self.address.shown, reason="it is closed")
        return self._open

    @contextmanager
    def _errors(self, *, committing: bool = False) -> Iterator[None]:
        psycopg, name = _library(), self.address.shown
        try:
            yield
        except psycopg.Error as error:
            state, reason = error.sqlstate or "", error.diag.message_primary or _last_line(error)
            if not self.is_open or state.startswith(("08", "57P")):
                self.close()
                code = "postgres-lost-at-commit" if committing else "postgres-lost"
                kind = OutputError if committing else InputError
                raise kind(code, name=name, reason=_last_line(error)) from None
            if state in CONFLICTS:
                raise Conflict from None
            if state == SEQUENCE_ENDED:  # that of rows never does
                raise InvalidOption("no-more-ids", largest=LARGEST) from None
            if state in DAMAGED:
                raise MalformedInput("damaged-postgres", name=name, reason=reason) from None
            if state == NO_PERMISSION:
                raise InputError("postgres-no-permission", name=name, reason=reason) from None
            if state == UNKNOWN_TABLE:
                raise InputError("not-an-index-schema", name=name) from None
            raise OutputError("postgres-refused", name=name, reason=reason) from None


def _library() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra.needed("an index in PostgreSQL", "psycopg", "postgres") from None
    return psycopg


def _last_line(error: Exception) -> str:
    """Returns the reason in a message of the client library, which may describe several attempts and give advice."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    lines = [line for line in lines if "failed: " in line] or lines
    return (lines[-1] if lines else type(error).__name__).removeprefix("connection failed: ").rstrip(".")
