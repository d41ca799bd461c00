"""The shapes of answers. Routes return dictionaries; these classes describe them in the OpenAPI document."""

from __future__ import annotations

from pydantic.dataclasses import dataclass

Id = int | str


@dataclass
class DuplicateOf:
    """A document of the index that is similar to a text."""

    id: Id
    similarity: float


@dataclass
class AddedDocument:
    """What became of a document, in the order of the request."""

    id: Id | None
    """Its id; None if it was not added and had no id."""
    added: bool
    duplicate: DuplicateOf | None
    """The document because of which it was not added."""


@dataclass
class AddedDocuments:
    """The answer to adding documents. They are durable."""

    documents: list[AddedDocument]
    added: int
    replaced: int


@dataclass
class DeletedDocuments:
    """The answer to deleting documents."""

    deleted: int
    unknown: int
    """The number of different ids that the index does not have."""


@dataclass
class StoredDocument:
    """A document of the index."""

    id: Id
    text: str


@dataclass
class SignedDocument:
    """The signature of a document, in base64. `Signature.from_bytes` reads its bytes."""

    id: Id
    signature: str


@dataclass
class FoundDocument:
    """A document that is similar to a query."""

    query: Id
    """The id of the query, or its position."""
    id: Id
    similarity: float
    containment: float | None
    """The share of the shingles of the query that are also in the document; None in an index without texts."""


@dataclass
class FoundDocuments:
    """The answer to a query: for each text, the most similar documents first."""

    queries: int
    documents: int
    """The number of documents in the index."""
    asked: str
    """The condition that every document meets."""
    found: list[FoundDocument]


@dataclass
class ListedCluster:
    """A cluster in a list."""

    id: Id
    """The id of its first member."""
    size: int
    members: list[Id]
    """The ids of its first members, in the order in which they were added."""
    least_similarity: float | None
    """The similarity of its least similar pair, if it was computed."""


@dataclass
class ListedClusters:
    """A page of clusters."""

    clusters: list[ListedCluster]
    total: int
    next: str | None
    """The cursor of the next page; None on the last one."""


@dataclass
class ListedMembers:
    """The members of the cluster of a document, in the order in which they were added."""

    size: int
    members: list[Id]
    next: Id | None
    """The value of `after` for the next page; None on the last one."""


@dataclass
class SharedPassage:
    """A passage that both texts contain, as positions of characters."""

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    text: str


@dataclass
class ComparedTexts:
    """How similar two texts are."""

    similarity: float
    is_pair: bool
    """True if the similarity reaches the threshold."""
    chance: float
    """The probability that such a pair is found."""
    verdict: str
    shingles: str
    measures: dict[str, float]
    shared: int
    either: int
    identical: bool
    copies: bool
    passages: list[SharedPassage]
    marks_a: list[tuple[int, int]]
    """The parts of a that are also in b."""
    marks_b: list[tuple[int, int]]


@dataclass
class PlanFacts:
    """The plan of an index."""

    threshold: float
    shingles: str
    bands: int
    rows: int
    recall: float


@dataclass
class IndexInfo:
    """Counts and sizes of the index, and what the service allows."""

    name: str
    version: str
    read_only: bool
    documents: int | None
    """None if the service is over a saved result, like the other facts about an index."""
    deleted: int | None
    bytes: int | None
    ids: str | None
    """The type of ids, "int" or "str"; None before the first add."""
    contain: bool | None
    """True if queries can find the documents that contain a text."""
    plan: PlanFacts | None
    """None before the first add."""
    limits: dict[str, int | float | None]


@dataclass
class Health:
    """The state of the service."""

    status: str
