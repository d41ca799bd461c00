"""The clusters of an index, as callers see them."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.index.access import Access
from lookalike.index.components import Components
from lookalike.index.settling import settle
from lookalike.index.store import Change
from lookalike.index.summaries import summary_of
from lookalike.results.clusters import Clusters


def clusters(access: Access, progress: Progress) -> Clusters:
    """Returns the clusters of all documents."""
    began, store = time.perf_counter(), access.store
    components = settled(access, progress)
    rows = store.all_rows()
    labels = components.of(rows)
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    positions: Rows = first[place]
    sizes = np.bincount(place)
    summary = summary_of(store, len(rows), began)
    summary = replace(summary, clusters=int((sizes > 1).sum()), clustered=int(sizes[sizes > 1].sum()))
    return Clusters(positions, ids=store.ids_of(rows), summary=summary)


def cluster_of(access: Access, id: int | str) -> list[int | str]:
    """Returns the ids of all documents in the cluster of a document, in the order in which they were added."""
    row, store = access.row_of(id), access.store
    components = settled(access)
    members, labels = components.members()
    same = members[labels == components.of(row)[0]]
    same = same[store.is_alive(same)]
    names: list[int | str] = store.ids_of(same if len(same) else row).to_pylist()
    return names


def settled(access: Access, progress: Progress = silent) -> Components:
    """Returns the components of all documents, after connecting again what deleted rows had connected."""
    store, plan = access.store, access.store.resolved
    if plan is None:
        return Components(access.kernel)
    components, edges = settle(store, access.kernel, plan, progress)
    if store.is_writer and len(store.dirty()):
        access.commit(Change(edges=edges, settled=True))
    return components
