"""An index in PostgreSQL: several writers, failures, addresses and permissions."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from signal import SIGKILL, Signals
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.errors import (
    InputError,
    InvalidOption,
    LookalikeError,
    MalformedInput,
    NoInput,
    OutputError,
    OutputExists,
    PlanMismatch,
)
from lookalike.index.postgres.address import address_of, is_address
from tests.index.laws import PLAN
from tests.index.test_queries import own_pairs, pairs
from tests.postgres_server import Server
from tests.refusals import check


def refused(code: str, kind: type[LookalikeError], call: Callable[[], Any]) -> LookalikeError:
    with pytest.raises(kind) as caught:
        call()
    check(caught.value, code)
    return caught.value


def created(server: Server, *added: Any, **options: Any) -> la.Index:
    """A new index, to which these data were added."""
    ix = la.Index.create(server.address(), **{**PLAN, **options})
    for data in added:
        ix.add(data)
    return ix


def opened_again(ix: la.Index, server: Server) -> la.Index:
    return la.Index.open(server.address(ix.store.name.partition("#")[2]))


def family(count: int, words: int = 60) -> list[str]:
    base = [f"w{n}" for n in range(words)]
    return [" ".join([*base[: i % (words - 1)], f"x{i}", *base[i % (words - 1) + 1 :]]) for i in range(count)]


# Several clients


def test_of_eight_clients_that_add_the_same_text_one_adds_it(postgres_server: Server) -> None:
    with created(postgres_server, ["the first text of all"]) as ix:
        clients = [opened_again(ix, postgres_server) for _ in range(8)]
        start = threading.Barrier(8)

        def adds(client: la.Index) -> list[Any]:
            found = []
            for n in range(20):
                start.wait()
                found.append(client.add_if_new(f"a{n} b{n} c{n} d{n} e{n}"))
            return found

        with ThreadPoolExecutor(8) as pool:
            every = list(pool.map(adds, clients))
        for n in range(20):
            answers = [found[n] for found in every]
            assert answers.count(None) == 1
            assert len({answer.id for answer in answers if answer}) == 1
        assert len(ix) == 21
        ix.verify()
        for client in clients:
            assert client.clusters().labels.tolist() == ix.clusters().labels.tolist()
            client.close()


def test_clients_that_change_an_index_at_once_leave_what_one_would_leave(postgres_server: Server) -> None:
    """They add, replace and delete texts of a few families. Clusters are those of a run over what remains."""
    with created(postgres_server, [f"some text {n}" for n in range(10)]) as ix:
        clients = [opened_again(ix, postgres_server) for _ in range(6)]

        def changes(number: int) -> None:
            rng, client = np.random.default_rng(number), clients[number]
            for step in range(25):
                words = " ".join(f"f{rng.integers(3)}w{rng.integers(9)}" for _ in range(6))
                what = rng.integers(5)
                if what == 0:
                    client.delete(rng.integers(0, 60, 3).tolist())
                elif what == 1:
                    client.add([words, words + " and more"])
                elif what == 2:
                    client.add_if_new(words)
                else:
                    client.add({"id": [int(rng.integers(60))], "text": [words]}, id="id")
                if step == 12:
                    client.clusters()

        with ThreadPoolExecutor(6) as pool:
            for done in [pool.submit(changes, number) for number in range(6)]:
                done.result()
        rows = list(ix)
        data = [row["text"] for row in rows]
        assert len({row["id"] for row in rows}) == len(rows) == len(ix)
        for client in [ix, *clients]:
            assert client.clusters().labels.tolist() == la.find_clusters(data, plan=ix.plan).labels.tolist()
            assert own_pairs_by_place(client, data, [row["id"] for row in rows]) == pairs(data, ix.plan)
        ix.verify()
        for client in clients:
            client.close()


def own_pairs_by_place(ix: la.Index, data: list[str], ids: list[int]) -> list[tuple[int, int, float]]:
    places = {id: place for place, id in enumerate(ids)}
    found = ix.query(data)
    rows = zip(found.left_rows.tolist(), found.right.to_pylist(), found.similarity.tolist(), strict=True)
    return sorted((q, places[r], s) for q, r, s in rows if q < places[r])


def test_an_id_that_two_clients_want_is_given_once(postgres_server: Server) -> None:
    """One assigns ids, the other gives the ids that come next."""
    with created(postgres_server, ["the first text of all"]) as ix, opened_again(ix, postgres_server) as other:

        def gives() -> None:
            for n in range(1, 60):
                other.add({"id": [n], "text": [f"given {n} given"]}, id="id")

        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(gives)
            assigned = [ix.add([f"assigned {n} assigned"]).ids[0].as_py() for n in range(60)]
            done.result()
        assert len(set(assigned)) == 60
        ids = [row["id"] for row in ix]
        assert len(set(ids)) == len(ids) == len(ix)
        ix.verify()


def test_a_small_add_waits_for_a_bulk_add_and_sees_it(postgres_server: Server) -> None:
    with created(postgres_server, ["the first text of all"]) as ix, opened_again(ix, postgres_server) as other:
        with ThreadPoolExecutor(1) as pool, ix.store.writing():
            waiting = pool.submit(other.add_if_new, "a text that both have")
            time.sleep(0.1)
            with opened_again(ix, postgres_server) as reader:  # readers do not wait
                assert not waiting.done() and len(reader.query("the first text of all")) == 1
        assert waiting.result() is None


# Large buckets, segments and round trips


def test_rows_become_segments_that_are_merged(postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.index.postgres.upkeep.FOLDED", 64)
    monkeypatch.setattr("lookalike.index.postgres.bulk.FEW", 20)
    monkeypatch.setattr("lookalike.index.postgres.hits.PAGES_AT_ONCE", 20)
    rng = np.random.default_rng(1)
    data = [" ".join(f"w{n}" for n in rng.integers(0, 500, 8)) for _ in range(400)]
    data += [text.replace("w1", "w2", 1) for text in data[:200]] + data[:100] + family(300)
    with created(postgres_server) as ix, opened_again(ix, postgres_server) as other:
        for start in range(0, len(data), 100):
            (ix if start % 200 else other).add(data[start : start + 100])
        info = ix.info()
        assert 1 <= info["segments"] < 8 and info["recent"] < 64
        assert own_pairs(ix, data) == own_pairs(other, data) == pairs(data, ix.plan)
        assert other.clusters().labels.tolist() == la.find_clusters(data, plan=ix.plan).labels.tolist()
        ix.verify()


def test_a_family_of_near_copies_is_no_burden(postgres_server: Server) -> None:
    every = family(6000)
    with created(postgres_server, every[:5000]) as ix:
        assert ix.info()["segments"] == 1
        ix.add(every[5000:])
        assert len(ix.clusters()) == 1
        assert ix.query(every[17], top=3).right.to_pylist()[0] == 17
        assert len(ix.query(" ".join(f"w{n}" for n in range(60)))) == 6000
        assert len(ix.query(every[:3])) == 3 * len(ix.query(every[0]))
        ix.delete(range(10))
        assert len(ix.clusters()) == 1 and len(ix.clusters().labels) == 5990
        ix.verify()


@pytest.mark.parametrize("count", [30, 6000])
def test_a_call_takes_a_constant_number_of_round_trips(postgres_server: Server, count: int) -> None:
    texts = [f"some words {n} and others {n * n} in text {n} of many" for n in range(count)]
    with created(postgres_server, texts) as ix:
        ix.query("a first call reads the plan")
        ix.add(["a first add reads what kind of documents there are"])
        trips: dict[str, Callable[[], object]] = {
            "query": lambda: ix.query(texts[7]),
            "add": lambda: ix.add(["entirely new words are added here"]),
            "replace": lambda: ix.add({"id": [3], "text": ["other new words, which replace a text"]}, id="id"),
            "new": lambda: ix.add_if_new("and something else that is new"),
            "old": lambda: ix.add_if_new(texts[7]),
            "delete": lambda: ix.delete([1, 2]),
        }
        session = ix.store.session  # type: ignore[attr-defined]
        counts = {}
        for name, call in trips.items():
            before = session.round_trips
            call()
            counts[name] = session.round_trips - before
        most = {"query": 7, "add": 10, "replace": 11, "new": 10, "old": 9, "delete": 5}
        assert all(counts[name] <= most[name] for name in most), counts


# Failures


ADDS_FOREVER = """
import sys, lookalike as la
ix = la.Index.open(sys.argv[1])
def progress(stage, done, total):
    print(stage, flush=True)
ix.add([f"text {n} of the add that is killed {n * n}" for n in range(200_000)], progress=progress, batch_rows=2000)
print("done", flush=True)
"""


def test_a_client_that_is_killed_in_a_bulk_add_leaves_nothing(postgres_server: Server) -> None:
    with created(postgres_server, ["the first text of all"]) as ix:
        address = postgres_server.address(ix.store.name.partition("#")[2])
        client = subprocess.Popen([sys.executable, "-c", ADDS_FOREVER, address], stdout=subprocess.PIPE)
        assert client.stdout is not None
        client.stdout.readline()
        deadline = time.monotonic() + 30
        while not postgres_server.run("SELECT 1 FROM pg_stat_progress_copy") and time.monotonic() < deadline:
            time.sleep(0.01)
        client.send_signal(SIGKILL)
        client.wait()
        client.stdout.close()
        assert ix.add_if_new("the second text, by another client") is None
        assert [row["id"] for row in ix] == [0, 1]
        ix.verify()


def test_a_server_that_restarts_is_found_again() -> None:
    with Server(fsync="on", full_page_writes="on") as server, created(server, ["the first text of all"]) as ix:
        for how in ("SIGINT", "SIGQUIT"):
            added = ix.add([f"a text before {how}"]).ids[0].as_py()
            server.stop(Signals[how])
            refused("postgres-lost", InputError, lambda: ix.query("a text"))
            refused("postgres-unreachable", InputError, lambda: ix.add(["a text"]))
            server.start()
            assert ix.query(f"a text before {how}").right.to_pylist()[0] == added
            assert ix.add_if_new(f"{how}a {how}b {how}c {how}d") is None
        assert len(ix) == 5
        ix.verify()


def test_a_lost_connection_is_one_error_and_nothing_is_saved(postgres_server: Server) -> None:
    ends = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lookalike'"
    with created(postgres_server, ["the first text of all"]) as ix:

        def ended() -> None:
            with ix.store.writing():
                postgres_server.run(ends)
                ix.store.all_rows()

        refused("postgres-lost", InputError, ended)
        assert ix.add(["the second text"]).ids.to_pylist() == [1]
        session = ix.store.session  # type: ignore[attr-defined]
        original = session.commit

        def lost(statements: Any) -> Any:
            postgres_server.run(ends)
            return original(statements)

        session.commit = lost
        refused("postgres-lost-at-commit", OutputError, lambda: ix.add(["the third text"]))
        session.commit = original
        assert [row["id"] for row in ix] == [0, 1]


def test_a_damaged_page_or_table_is_found(postgres_server: Server) -> None:
    texts = [f"some words {n} and others {n * n}" for n in range(5000)]
    for damage in (
        "UPDATE posting SET keys = set_byte(keys, 9, get_byte(keys, 9) # 1) WHERE page = 3 AND band = 1",
        "DELETE FROM posting WHERE page = 3 AND band = 1",
        "UPDATE document SET text = text || 'x'::bytea WHERE row = 77",
        "DELETE FROM document WHERE row = 77",
    ):
        with created(postgres_server, texts) as ix:
            ix.verify()
            name = ix.store.name.partition("#")[2]
            postgres_server.run(f"SET search_path TO {name}; {damage}")
            refused("damaged-segment", MalformedInput, ix.verify)


# Addresses, permissions and other mistakes


def test_an_address_never_shows_its_password() -> None:
    found = address_of("postgresql://ada:s3cret@db.example:5433/texts?sslmode=require&password=s3cret#corpus")
    assert found.shown == "postgresql://ada@db.example:5433/texts?sslmode=require#corpus"
    assert "s3cret" not in repr(found) and found.name == "corpus"
    assert is_address("postgres://x") and not is_address("folder/postgres:") and not is_address(Path("postgresql://x"))


@pytest.mark.parametrize(
    "name", ["", "Corpus", "pg_corpus", "public", 'a"b', "1a", "a-b", "x" * 64, "information_schema"]
)
def test_a_name_that_needs_quotes_or_is_not_ours_is_refused(name: str) -> None:
    error = refused("postgres-name", InvalidOption, lambda: la.Index.open(f"postgresql://ada:s3cret@db/texts#{name}"))
    assert "s3cret" not in str(error)


@pytest.mark.parametrize("server", ["postgresql://[::1", "postgresql://ada:s3%zzcret@/x?host=/nowhere"])
def test_a_malformed_address_is_refused_without_its_password(server: str) -> None:
    error = refused("postgres-address", InvalidOption, lambda: la.Index.open(f"{server}#corpus"))
    assert "cret" not in str(error)


def test_who_may_not_connect_gets_one_sentence(postgres_server: Server) -> None:
    postgres_server.run("CREATE ROLE eve LOGIN PASSWORD 's3cret' IN ROLE guarded", "CREATE ROLE bob LOGIN")
    for address, reason in (
        (f"{postgres_server.url(database='nothing')}#corpus", "does not exist"),
        (f"{postgres_server.url('nobody_known')}#corpus", "does not exist"),
        (f"{postgres_server.url('eve:wr0ng')}#corpus", "password authentication failed"),
        ("postgresql://ada:s3cret@127.0.0.1:1/texts#corpus", "refused"),
    ):
        error = refused("postgres-unreachable", InputError, partial(la.Index.open, address))
        assert reason in str(error) and "wr0ng" not in str(error) and "s3cret" not in str(error), str(error)
    refused("no-such-index", NoInput, lambda: la.Index.open(f"{postgres_server.url('eve:s3cret')}#corpus"))
    refused(
        "postgres-no-permission",
        InputError,
        lambda: la.Index.create(f"{postgres_server.url('bob')}#corpus", threshold=0.8),
    )


def test_a_reader_needs_few_permissions_and_a_writer_a_few_more(postgres_server: Server) -> None:
    postgres_server.run("CREATE ROLE reader LOGIN", "CREATE ROLE writer LOGIN")
    every = family(30)
    with created(postgres_server, every) as ix:
        name = ix.store.name.partition("#")[2]
        reader, writer = (f"{postgres_server.url(user)}#{name}" for user in ("reader", "writer"))
        refused("postgres-no-permission", InputError, lambda: la.Index.open(reader))
        postgres_server.run(
            f"GRANT USAGE ON SCHEMA {name} TO reader, writer",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO reader, writer",
            f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {name} TO writer",
            f"GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {name} TO writer",
        )
        with la.Index.open(reader) as reading, la.Index.open(writer) as writing:
            assert len(reading.query(every[0])) == 30
            refused("postgres-no-permission", InputError, lambda: reading.add(["x y z"]))
            refused("postgres-no-permission", InputError, lambda: reading.delete(5))
            assert writing.delete(0) == 1  # a reader computes clusters that nobody has settled yet
            assert len(reading.clusters().labels) == 29 and len(reading.clusters()) == 1
            assert writing.add(["x y z"]).ids.to_pylist() == [30]
            assert len(reading) == 30


def test_a_session_that_may_only_read_computes_clusters(postgres_server: Server) -> None:
    """It tried to save what it had computed, because its user may write, so clusters could not be read at all."""
    with created(postgres_server, family(30)) as ix:
        server, _, name = ix.store.name.partition("#")
        ix.delete(0)
        with la.Index.open(f"{server}&options=-cdefault_transaction_read_only%3Don#{name}") as reading:
            assert len(reading.clusters()) == 1 and len(reading.cluster_of(1)) == 29
            refused("postgres-refused", OutputError, lambda: reading.add(["x y z"]))


def test_what_is_no_index_or_another_format_is_refused(postgres_server: Server) -> None:
    address = postgres_server.address()
    name = address.partition("#")[2]
    refused("no-such-index", NoInput, lambda: la.Index.open(address))
    postgres_server.run(f"CREATE SCHEMA {name}")
    refused("not-an-index-schema", InputError, lambda: la.Index.open(address))
    la.Index.create(address, **PLAN).close()  # in an empty schema, which an administrator has made
    refused("index-exists", OutputExists, lambda: la.Index.create(address, **PLAN))
    postgres_server.run(f"UPDATE {name}.state SET format = 99")
    error = refused("index-of-another-format", PlanMismatch, lambda: la.Index.open(address))
    assert error.values["format"] == 99
    other = postgres_server.address()
    with la.Index.create(other, **PLAN) as ix:
        postgres_server.run(f"DROP SCHEMA {other.partition('#')[2]} CASCADE")
        refused("not-an-index-schema", InputError, lambda: ix.query("some text"))


def test_documents_that_are_too_large_and_odd_texts(postgres_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ["", "a null \0 in a text", "ünï¢ödé 漢字", "x" * 100_000]
    with created(postgres_server, {"": "an empty id", "a\0b": "a null in an id", "u" * 5000: "a long id"}) as ix:
        ix.add({f"odd {n}": text for n, text in enumerate(odd)})
        assert [row["text"] for row in ix][3:] == odd and ix.cluster_of("a\0b") == ["a\0b"]
        assert ix.add({"u" * 5000: "replaced"}).replaced == 1
        monkeypatch.setattr("lookalike.index.postgres.store.MOST_TEXT", 1000)
        for data in ({"large": "y " * 600}, {f"large {n}": "y " * 600 for n in range(300)}):
            refused("document-too-large-for-postgres", InvalidOption, partial(ix.add, data))
        assert len(ix) == 7


def test_an_index_in_postgres_is_a_reference_of_dedupe(postgres_server: Server) -> None:
    with created(postgres_server, ["one two three four"]) as ix:
        for against in (ix, postgres_server.address(ix.store.name.partition("#")[2])):
            found = la.dedupe(["one two three four", "else"], against=against)
            assert found.kept_rows.tolist() == [1] and found.summary.indexed == 1


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LookalikeError) as error:
        la.Index.open("postgresql://ada@db.example/texts#corpus")
    assert (error.value.code, error.value.values["extra"]) == ("missing-extra", "postgres")
