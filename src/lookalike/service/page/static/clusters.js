// Clusters and comparisons that have been read. The next ones are read ahead, so that they appear at once.

import { get } from "./api.js";

const MOST = 60; // what is kept of each kind

const clusters = new Map();
const comparisons = new Map();

export function readCluster(key) {
  return kept(clusters, key, () => get(`/review/clusters/${encodeURIComponent(key)}`, { members: 100 }));
}

export function readMembers(key, after) {
  return get(`/review/clusters/${encodeURIComponent(key)}`, { members: 500, after });
}

export function compare(a, b) {
  return kept(comparisons, `${a} ${b}`, () => get("/review/compare", { a, b }));
}

// Reads a cluster and its first comparison in the background.
export async function readAhead(key) {
  try {
    const found = await readCluster(key);
    const [survivor, current] = firstPair(found);
    if (found.texts.available && survivor !== null && current !== null) await compare(survivor, current);
  } catch {
    // a failure is shown when the cluster is opened
  }
}

// Forgets clusters that a decision has changed; by default, all. Texts do not change.
export function forget(keys = null) {
  if (keys) for (const key of keys) clusters.delete(key);
  else clusters.clear();
}

export function forgetTexts() {
  comparisons.clear();
}

// Returns the rows to compare first: the survivor, and the member that is least similar to it.
export function firstPair(found) {
  const survivor = found.members.find((member) => member.is_survivor) ?? found.members[0];
  const others = found.members.filter((member) => member !== survivor && !member.excluded);
  const least = others.reduce((best, member) => (best && (best.similarity ?? 2) <= (member.similarity ?? 2) ? best : member), null);
  return [survivor?.row ?? found.cluster.survivor?.row ?? null, least?.row ?? null];
}

function kept(map, key, read) {
  if (!map.has(key)) {
    const promise = read();
    map.set(key, promise);
    promise.catch(() => map.delete(key));
    if (map.size > MOST) map.delete(map.keys().next().value);
  }
  return map.get(key);
}
