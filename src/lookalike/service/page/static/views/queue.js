// The clusters to review, suspicious ones first, with filters and with actions for all clusters of a filter.

import { post } from "../api.js";
import { readAhead } from "../clusters.js";
import { REASONS, took } from "../deciding.js";
import { h } from "../shared/dom.js";
import { failed, field, link, select, stateChip, waiting } from "../parts/controls.js";
import { score } from "../parts/sides.js";
import { DEFAULTS, filterOf, loadMore, loadQueue, optionsOf, pollFigures, queue } from "../queue.js";
import { go, route } from "../routes.js";
import { act, redraw, say, state } from "../state.js";
import { count, number, shorten } from "../shared/words.js";

const STATES = [["open", "open"], ["accepted", "accepted"], ["distinct", "not duplicates"], ["skipped", "skipped"], ["decided", "all decided"], ["all", "all"]];

const ORDERS = [["suspicious", "suspicious first"], ["similarity", "least similar first"], ["size", "largest first"]];

const BULK = [["accept", "Accept all"], ["distinct", "None are duplicates"], ["skip", "Skip all"]];

const WHAT = {
  accept: "The present survivor of each is kept.",
  distinct: "All documents of these clusters are kept.",
  skip: "They leave the queue, and nothing is decided about their documents.",
};

let bulk = null; // the action on all clusters that waits for confirmation: {action, clusters, documents}
let timer = 0;
let typing = 0;

export const title = () => "Queue";

export async function open() {
  bulk = null;
  await loadQueue(filterOf(route.options), { again: true });
  if (queue.clusters.length) readAhead(queue.clusters[0].key);
  clearTimeout(timer);
  watch();
}

async function watch() {
  if (route.view !== "queue" || !queue.figures || queue.figures.complete) return;
  await pollFigures();
  timer = setTimeout(watch, 1500);
}

export const keys = {
  j: () => first(),
  Enter: () => first(),
};

function first() {
  if (queue.clusters.length) go("cluster", [queue.clusters[0].key], optionsOf(queue.filter));
}

export function draw() {
  const filter = queue.filter ?? filterOf(route.options);
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "Queue"),
    filters(filter),
    h("div", { class: "found-line" },
      h("p", { class: "small", role: "status" }, queue.filter ? `${count(queue.total, "cluster")}${filter.state === "open" ? "" : `, ${number(queue.open)} of them open`}` : "Loading…"),
      bulkActions()),
    bulk && confirmation(),
    queue.figures && !queue.figures.complete && h("p", { class: "small" }, `Measuring the clusters: ${number(queue.figures.done)} of ${number(queue.figures.total)}. The order below is provisional.`),
    queue.hasNews && h("p", null, h("button", { onclick: () => loadQueue(filter, { again: true }) }, "All clusters are measured: sort again")),
    queue.problem ? failed(queue.problem, () => loadQueue(filter, { again: true })) : list(filter));
}

function list(filter) {
  if (!queue.clusters.length) return queue.isLoading || !queue.filter ? waiting() : nothing(filter);
  return [
    h("ol", { class: "queue", "aria-label": "Clusters" }, ...queue.clusters.map((cluster) => item(cluster, filter))),
    queue.next && h("p", null, h("button", { onclick: loadMore, disabled: queue.isLoading }, `Show more of ${number(queue.total)}`)),
  ];
}

function nothing(filter) {
  const isPlain = Object.keys(optionsOf(filter)).length === 0;
  return h("div", { class: "nothing" },
    h("p", null, isPlain ? "Every cluster has been decided." : "No cluster matches this filter."),
    isPlain ? h("a", { class: "button", href: link("export") }, "Export the decisions") : h("a", { class: "button", href: link("queue") }, "Show the open clusters"));
}

function item(cluster, filter) {
  return h("li", { key: cluster.key },
    h("a", { href: link("cluster", [cluster.key], optionsOf(filter)) },
      h("span", { class: "head" },
        h("span", { class: "id" }, shorten(cluster.survivor.id, 70)),
        ...cluster.reasons.map((reason) => h("span", { class: "chip warn" }, REASONS[reason] ?? reason)),
        stateChip(cluster.state)),
      cluster.excerpt && h("span", { class: "excerpt", dir: "auto" }, cluster.excerpt),
      h("span", { class: "numbers" },
        h("span", null, count(cluster.size, "document")),
        cluster.least !== null && h("span", null, "least similar ", score(cluster.least, 2)))));
}

function filters(filter) {
  const change = (name, value, wait = 0) => {
    clearTimeout(typing);
    typing = setTimeout(() => go("queue", [], optionsOf({ ...filter, [name]: value }), { replace: true }), wait);
  };
  const text = (name, label, properties) => field(label, h("input", { value: filter[name] ?? "", oninput: (event) => change(name, event.target.value, 350), ...properties }), properties.type === "number" ? "short" : "grow");
  const numbers = { type: "number", autocomplete: "off" };
  const parts = { min: "0", max: "1", step: "any", placeholder: "any" };
  return h("form", { class: "filters", role: "search", "aria-label": "Filter", onsubmit: (event) => event.preventDefault() },
    text("search", "Words in an ID or a text", { type: "search", autocomplete: "off" }),
    field("State", select(filter.state ?? DEFAULTS.state, STATES, (value) => change("state", value))),
    field("Order", select(filter.order ?? DEFAULTS.order, ORDERS, (value) => change("order", value))),
    text("min_size", "Size from", { ...numbers, min: "2", placeholder: "2" }),
    text("max_size", "Size to", { ...numbers, min: "2", placeholder: "any" }),
    text("min_least", "Least from", { ...numbers, ...parts }),
    text("max_least", "Least to", { ...numbers, ...parts }));
}

function bulkActions() {
  if (!queue.total || (state.about && !(state.about.can_decide && state.about.texts.available))) return null;
  return h("div", { class: "bulk" },
    ...BULK.map(([action, words]) => h("button", { onclick: () => prepare(action), disabled: state.isBusy }, words, action === "distinct" ? "" : ` ${number(queue.total)}`)));
}

function asked(action, isDry) {
  const { order, ...filter } = queue.filter;
  const numbers = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, /_/.test(name) ? Number(value) : value]));
  return { action, ...numbers, dry_run: isDry };
}

// Counts first; nothing is decided before the reader has seen the count.
function prepare(action) {
  return act(async () => {
    const found = await post("/review/bulk", asked(action, true));
    bulk = { action, clusters: found.clusters, documents: found.documents };
  });
}

function confirmation() {
  const words = BULK.find(([action]) => action === bulk.action)[1];
  return h("div", { class: "card confirm", role: "group", "aria-label": "Confirm" },
    h("p", null, h("b", null, `${words}: ${count(bulk.clusters, "cluster")} with ${count(bulk.documents, "document")}.`), ` ${WHAT[bulk.action]} One undo takes it back.`),
    h("div", { class: "row" },
      h("button", { class: "primary", onclick: perform, disabled: state.isBusy || !bulk.clusters }, words),
      h("button", { onclick: cancel }, "Cancel")));
}

function cancel() {
  bulk = null;
  redraw();
}

async function perform() {
  const { action } = bulk;
  const done = await act(async () => {
    const answer = await post("/review/bulk", asked(action, false));
    took(answer);
    say(`${BULK.find(([name]) => name === action)[1]}: ${count(answer.clusters, "cluster")}. Undo takes it back.`);
    return answer;
  });
  if (!done) return;
  bulk = null;
  await loadQueue(queue.filter, { again: true });
}
