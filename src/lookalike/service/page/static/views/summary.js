// What was found, how much of it can be removed, and how far the review is.

import { get, post } from "../api.js";
import { bars, similarityHistogram } from "../shared/charts.js";
import { forget } from "../clusters.js";
import { took } from "../deciding.js";
import { h } from "../shared/dom.js";
import { asTable, chart, failed, link, range, textsNotice, tiles, waiting } from "../parts/controls.js";
import { loadQueue, optionsOf, queue } from "../queue.js";
import { go } from "../routes.js";
import { act, redraw, say, state } from "../state.js";
import { bytes, count, number } from "../shared/words.js";

const SIZES = [[2, 2], [3, 3], [4, 4], [5, 9], [10, 19], [20, 99], [100, 999], [1000, Infinity]];

const OF = {
  removed: "Similarity of each removed document to the one kept",
  pairs: "Similarity of all pairs",
  members: "Similarity of each member to the survivor of its cluster",
};

let problem = null;
let timer = 0;

export const title = () => "Summary";

export async function open() {
  clearTimeout(timer);
  try {
    state.about = await get("/review/summary");
    state.states = state.about.states;
    problem = null;
    if (!state.about.figures.complete && location.hash.replace(/^#\/?/, "").startsWith("summary")) timer = setTimeout(open, 1500);
  } catch (error) {
    problem = error;
  }
  redraw();
}

export function draw() {
  const found = state.about;
  if (!found) return h("main", { class: "reading" }, h("h1", { tabindex: "-1" }, "Summary"), problem ? failed(problem, open) : waiting());
  const reviewed = total(found.states) - found.states.open;
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, found.clusters ? `${count(found.clusters, "cluster")} to review in ${found.name}` : `No clusters in ${found.name}`),
    h("p", { class: "lead" }, lead(found)),
    found.changed && h("p", { class: "notice" }, "The index has new documents. ", h("button", { onclick: refresh }, "Read it again")),
    textsNotice(found.texts),
    outdated(found.decisions),
    h("div", { class: "progress-of-review" },
      h("div", { class: "row" },
        h("button", { class: "primary", onclick: start, disabled: !found.states.open }, reviewed ? "Continue the review" : "Start the review"),
        h("p", { class: "small" }, `${number(reviewed)} of ${count(total(found.states), "cluster")} decided: ${number(found.states.accepted)} accepted, `,
          `${number(found.states.distinct)} not duplicates, ${number(found.states.skipped)} skipped`)),
      h("div", { class: "bar-track", role: "progressbar", "aria-label": "Decided clusters", "aria-valuenow": reviewed, "aria-valuemin": 0, "aria-valuemax": Math.max(1, total(found.states)) },
        h("i", { style: { width: `${(100 * reviewed) / Math.max(1, total(found.states))}%` } }))),
    tiles([
      [number(found.reclaimable.documents), "documents can be removed"],
      found.reclaimable.bytes !== null && [bytes(found.reclaimable.bytes), "can be reclaimed"],
      [number(found.documents), "documents"],
      [number(found.clusters), "clusters"],
      found.copies !== null && [number(found.copies), "copies"],
      found.near !== null && [number(found.near), "near-duplicates"],
    ]),
    !found.figures.complete && h("div", { class: "figures" },
      h("p", { class: "small" }, `Measuring the clusters: ${number(found.figures.done)} of ${number(found.figures.total)}`),
      h("progress", { value: found.figures.done, max: Math.max(1, found.figures.total), "aria-label": "Measured clusters" })),
    found.clusters > 0 && h("div", { class: "stack charts" }, histogram(found), sizes(found)));
}

function lead(found) {
  const words = [`${count(found.documents, "document")}${found.input ? ` of ${found.input}` : ""}`];
  if (found.threshold !== null) words.push(`duplicates have a similarity of ${found.threshold} or more (${found.shingles})`);
  if (found.removed !== null) words.push(`${number(found.removed)} removed and ${number(found.kept)} kept by the run`);
  return `${words.join("; ")}. The input is never changed: decisions are saved in a file of their own.`;
}

function outdated(decisions) {
  const parts = [];
  if (decisions.stale_count) parts.push(`${count(decisions.stale_count, "decision is", "decisions are")} about documents whose text has changed`);
  if (decisions.missing_count) parts.push(`${count(decisions.missing_count, "decision is", "decisions are")} about documents that are not there any more`);
  if (!parts.length) return null;
  const listed = [...decisions.stale, ...decisions.missing];
  return h("div", { class: "notice" }, `${parts.join(", and ")}. They are not applied.`,
    h("details", null, h("summary", null, "Which ones"),
      h("ul", null, ...listed.map((one) => h("li", null, h("span", { class: "id" }, one.id), ` (${one.decision})`)))));
}

function histogram(found) {
  const { edges, ones, of } = found.similarities;
  const counts = found.similarities.counts.map((value, i, { length }) => (i === length - 1 ? value - ones : value)); // its last bin includes 1
  if (!counts.length || (!ones && !counts.some(Boolean))) return null;
  const first = Math.max(0, Math.min(counts.findIndex(Boolean) < 0 ? counts.length - 1 : counts.findIndex(Boolean), edges.findIndex((edge) => edge >= 0.75 - 1e-9)));
  const part = { edges: edges.slice(first), counts: counts.slice(first), ones };
  const pick = (low) => go("queue", [], { state: "all", order: "similarity", ...between(edges, low) });
  const rows = part.counts.map((value, i) => [part.edges[i], part.edges[i + 1], value]).filter(([, , value]) => value);
  return h("figure", { class: "card" },
    h("figcaption", null, `${OF[of] ?? "Similarity"}. Click a bar to list clusters with such a pair.`),
    chart((narrow) => similarityHistogram({ ...part, threshold: found.threshold, narrow, onpick: pick })),
    asTable(["similarity", "pairs"], [...rows.map(([low, high, value]) => [
      h("a", { href: link("queue", [], { state: "all", order: "similarity", ...between(edges, low) }) }, range(low, high)), number(value)]),
    ["exactly 1", number(ones)]]));
}

function between(edges, low) {
  if (low >= 1) return { min_least: 1 };
  const high = edges[edges.indexOf(low) + 1];
  return { min_least: Number(low.toFixed(4)), max_least: Number(high.toFixed(4)) };
}

function sizes(found) {
  const rows = SIZES.map(([low, high]) => ({
    low, high,
    name: low === high ? String(low) : high === Infinity ? `${number(low)}+` : `${low}–${high}`,
    count: found.sizes.filter((one) => one.size >= low && one.size <= high).reduce((sum, one) => sum + one.clusters, 0),
  }));
  while (rows.length > 3 && !rows.at(-1).count) rows.pop();
  const options = (row) => ({ state: "all", order: "size", min_size: row.low, max_size: row.high === Infinity ? "" : row.high });
  return h("figure", { class: "card" },
    h("figcaption", null, "Sizes of clusters. Click a bar to list them."),
    chart((narrow) => bars(rows, { title: "documents in a cluster", narrow, words: "Clusters by size", onpick: (row) => go("queue", [], options(row)) })),
    asTable(["documents", "clusters"], rows.map((row) => [h("a", { href: link("queue", [], options(row)) }, row.name), number(row.count)])));
}

async function start() {
  await loadQueue({ order: "suspicious", state: "open" }, { again: true });
  if (queue.clusters.length) go("cluster", [queue.clusters[0].key], optionsOf(queue.filter));
  else say(queue.problem?.message ?? "Every cluster has been decided.");
}

function refresh() {
  return act(async () => {
    state.about = await post("/review/refresh");
    forget();
    took(state.about);
    say("The index was read again.");
  });
}

function total(states) {
  return Object.values(states).reduce((sum, value) => sum + value, 0);
}
