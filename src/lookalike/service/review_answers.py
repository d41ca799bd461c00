"""The shapes of answers about the review, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from pydantic.dataclasses import dataclass


@dataclass
class TextsState:
    """Whether texts can be read and, if not, why."""

    available: bool
    reason: str | None
    detail: str | None


@dataclass
class FiguresState:
    """The number of clusters whose figures are known."""

    done: int
    total: int
    complete: bool


@dataclass
class Named:
    """A document."""

    row: int
    id: str


@dataclass
class QueuedCluster:
    """A cluster in the queue."""

    key: str
    size: int
    least: float | None
    density: float | None
    sampled: bool
    reasons: list[str]
    survivor: Named
    excerpt: str | None
    state: str
    excluded: int


@dataclass
class QueuePage:
    """A page of the queue."""

    clusters: list[QueuedCluster]
    total: int
    open: int
    next: str | None
    figures: FiguresState


@dataclass
class Reclaimable:
    """What remains if one document of each cluster is kept."""

    documents: int
    characters: int | None
    bytes: int | None


@dataclass
class OfSize:
    size: int
    clusters: int


@dataclass
class Histogram:
    edges: list[float]
    counts: list[int]
    ones: int
    of: str


@dataclass
class NotApplied:
    id: str
    decision: str


@dataclass
class Replayed:
    """The decisions that apply to these documents, and those that do not."""

    applied: int
    stale: list[NotApplied]
    stale_count: int
    missing: list[NotApplied]
    missing_count: int


@dataclass
class ReviewSummary:
    """What was found, and what was decided."""

    kind: str
    name: str
    input: str | None
    documents: int
    clusters: int
    clustered: int
    copies: int | None
    near: int | None
    kept: int | None
    removed: int | None
    reclaimable: Reclaimable
    threshold: float | None
    shingles: str | None
    bands: int | None
    rows: int | None
    sizes: list[OfSize]
    similarities: Histogram
    states: dict[str, int]
    decisions: Replayed
    texts: TextsState
    figures: FiguresState
    changed: bool
    can_decide: bool
    decisions_file: str | None
    scopes: list[str]


@dataclass
class Member:
    """A member of a cluster."""

    row: int
    id: str
    excerpt: str | None
    characters: int | None
    similarity: float | None
    is_survivor: bool
    excluded: bool
    removed: bool | None
    decision: str | None


@dataclass
class Why:
    """Why a document survives."""

    by: str
    rule: str | None
    words: str


@dataclass
class ShownCluster:
    cluster: QueuedCluster
    members: list[Member]
    next: int | None
    why: Why
    pairs: list[tuple[int, int, float]]
    previous_steps: list[str]
    texts: TextsState


@dataclass
class Piece:
    text: str
    shared: bool


@dataclass
class ComparedSide:
    row: int
    id: str
    pieces: list[Piece]
    cut: bool


@dataclass
class ComparedRows:
    a: ComparedSide
    b: ComparedSide
    similarity: float
    is_pair: bool
    verdict: str
    measures: dict[str, float]
    identical: bool
    is_code: bool


@dataclass
class ShownText:
    row: int
    id: str
    text: str
    cut: bool


@dataclass
class Decision:
    """A decision that is on the disk."""

    step: str
    cluster: QueuedCluster
    states: dict[str, int]


@dataclass
class DecidedDocument:
    id: str
    key: str | None


@dataclass
class Step:
    """A step of the history."""

    step: str
    at: str | None
    by: str | None
    note: str | None
    action: str
    documents: int
    clusters: int
    first: list[DecidedDocument]
    undone: bool
    undoes: str | None
    can_undo: bool


@dataclass
class Undone:
    step: str
    undone: Step
    clusters: list[QueuedCluster]
    states: dict[str, int]


@dataclass
class HistoryPage:
    steps: list[Step]
    total: int
    next: str | None


@dataclass
class BulkDone:
    clusters: int
    documents: int
    step: str | None
    states: dict[str, int]


@dataclass
class Imported:
    """The decisions of another run, as far as they apply."""

    step: str
    applied: int
    stale: list[NotApplied]
    stale_count: int
    missing: list[NotApplied]
    missing_count: int
    states: dict[str, int]


@dataclass
class DecidingRule:
    rule: str
    decides: int


@dataclass
class ProtectingRule:
    rule: str
    documents: int


@dataclass
class TriedRules:
    """How many rows each rule decides."""

    rules: list[DecidingRule]
    protected: list[ProtectingRule]
    removed: int
    kept: int
    changed: int
    command: str
    known: list[str]
    columns: list[str]
    current: list[str]
    step: str | None


@dataclass
class FoundNeighbour:
    row: int
    id: str
    excerpt: str | None
    similarity: float
    key: str | None
    size: int


@dataclass
class Neighbours:
    found: list[FoundNeighbour]
    read: int


@dataclass
class CurvePoint:
    similarity: float
    chance: float


@dataclass
class Tuned:
    """What a plan would find in this corpus, predicted from sampled and compared pairs."""

    threshold: float
    bands: int
    rows: int
    hashes: int
    recall: float | None
    curve: list[CurvePoint]
    histogram: dict[str, Any]
    pairs: float
    found: float
    false_candidates: float
    missed: float
    sampled: dict[str, int]
    current: dict[str, Any]
