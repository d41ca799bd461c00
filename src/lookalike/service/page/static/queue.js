// The clusters to review, in the order of the queue, as far as they have been loaded.
//
// The list keeps its order while figures arrive and decisions are made, so nothing moves under the reader's hand. A
// cluster that has been decided stays where it is, with its new state.

import { get } from "./api.js";
import { redraw } from "./state.js";

export const FILTERS = ["order", "state", "search", "min_size", "max_size", "min_least", "max_least"];

export const DEFAULTS = { order: "suspicious", state: "open" };

export const queue = { filter: null, clusters: [], total: 0, open: 0, next: null, figures: null, isLoading: false, problem: null };

// Returns the filter that the options of an address contain.
export function filterOf(options) {
  return { ...DEFAULTS, ...Object.fromEntries(FILTERS.filter((name) => options.get(name)).map((name) => [name, options.get(name)])) };
}

// The options of an address with this filter: what differs from the default.
export function optionsOf(filter) {
  return Object.fromEntries(FILTERS.filter((name) => filter[name] && filter[name] !== DEFAULTS[name]).map((name) => [name, filter[name]]));
}

// Loads the first page, unless it is there already.
export async function loadQueue(filter, { again = false } = {}) {
  const same = queue.filter && FILTERS.every((name) => (queue.filter[name] ?? "") === (filter[name] ?? ""));
  if (same && !again) return;
  queue.filter = filter;
  await load(null, filter);
}

export async function loadMore() {
  if (queue.next && !queue.isLoading) await load(queue.next, queue.filter);
}

// Asks whether the figures of all clusters are known now. The list stays as it is.
export async function pollFigures() {
  try {
    const found = await get("/review/queue", { ...queue.filter, limit: 1 });
    queue.figures = found.figures;
    queue.hasNews = found.figures.complete;
  } catch {
    // the next poll tries again
  }
  redraw();
}

export function place(key) {
  return queue.clusters.findIndex((cluster) => cluster.key === key);
}

// Replaces what is known about clusters, after a decision.
export function renew(clusters) {
  for (const cluster of clusters) {
    const at = place(cluster.key);
    if (at >= 0) queue.clusters[at] = { ...queue.clusters[at], ...cluster };
  }
}

// Returns the key of the cluster that is `step` places further, or null. Loads more clusters when the last one is near.
export async function neighbour(key, step, isWanted = () => true) {
  let at = place(key) + step;
  for (;;) {
    if (step > 0 && at >= queue.clusters.length - 5 && queue.next) {
      const waiting = loadMore();
      if (at >= queue.clusters.length) await waiting;
    }
    if (at < 0 || at >= queue.clusters.length) return null;
    if (isWanted(queue.clusters[at])) return queue.clusters[at].key;
    at += step;
  }
}

async function load(cursor, filter) {
  queue.isLoading = true;
  redraw();
  try {
    const found = await get("/review/queue", { ...filter, cursor, limit: 50 });
    if (filter !== queue.filter) return; // another filter was chosen in the meantime
    const known = new Set(cursor ? queue.clusters.map((cluster) => cluster.key) : []);
    const added = found.clusters.filter((cluster) => !known.has(cluster.key));
    queue.clusters = cursor ? [...queue.clusters, ...added] : added;
    Object.assign(queue, { total: found.total, open: found.open, next: found.next, figures: found.figures, problem: null, hasNews: false });
  } catch (error) {
    if (filter === queue.filter) queue.problem = error;
  } finally {
    queue.isLoading = false;
    redraw();
  }
}
