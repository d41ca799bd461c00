// One cluster: its members, which one survives and why, how similar they are, and what differs.

import { graph } from "../shared/charts.js";
import { compare, firstPair, readAhead, readCluster, readMembers } from "../clusters.js";
import { decide, include, REASONS, undo } from "../deciding.js";
import { h } from "../shared/dom.js";
import { failed, link, stateChip, textsNotice, waiting } from "../parts/controls.js";
import { members } from "../parts/members.js";
import { score, sides } from "../parts/sides.js";
import { filterOf, loadQueue, neighbour, optionsOf, place, queue } from "../queue.js";
import { go, route } from "../routes.js";
import { prefer, redraw, say, state } from "../state.js";
import { count, number, shorten, similarity } from "../shared/words.js";

const SHOWN = 12; // members that are shown at first
const DRAWN = 24; // members in the graph; the service compares as many

// What is shown. `found` stays until the next cluster has been read, so that the page does not become empty in between.
const shown = { key: null, found: null, survivor: null, current: null, most: SHOWN, comparison: null, problem: null };

export function title() {
  const at = place(shown.key);
  return at >= 0 ? `Cluster ${at + 1} of ${queue.total}` : "Cluster";
}

export async function open() {
  const key = route.parts[0];
  loadQueue(filterOf(route.options)).then(() => readNext(key));
  await show(key);
}

async function show(key, { keepCurrent = false } = {}) {
  shown.wanted = key;
  try {
    const found = await readCluster(key);
    if (shown.wanted !== key) return;
    const [survivor, current] = firstPair(found);
    const same = shown.key === key;
    const kept = keepCurrent && same ? { survivor: chosen(found), current: shown.current } : {};
    Object.assign(shown, { key, found, problem: null, most: same ? shown.most : SHOWN });
    Object.assign(shown, { survivor: kept.survivor ?? survivor, current: kept.current ?? current });
    if (!same) scrollTo(0, 0);
    await showComparison();
    readNext(key);
  } catch (error) {
    if (shown.wanted === key) Object.assign(shown, { key, found: null, problem: error });
  }
  redraw();
}

// Returns the survivor that the reader has chosen meanwhile, and not yet accepted; null if there is none.
function chosen(found) {
  if (!shown.found || shown.survivor === firstPair(shown.found)[0]) return null;
  return found.members.some((member) => member.row === shown.survivor && !member.excluded) ? shown.survivor : null;
}

async function readNext(key) {
  const next = await neighbour(key, 1, isOpen);
  if (next) readAhead(next);
}

async function showComparison() {
  const { survivor, current, found } = shown;
  if (survivor === null || current === null || survivor === current || !found.texts.available) {
    shown.comparison = null;
    return;
  }
  try {
    const answer = await compare(survivor, current);
    if (shown.survivor === survivor && shown.current === current) shown.comparison = answer;
  } catch (error) {
    shown.comparison = { problem: error };
  }
  redraw();
}

const isOpen = (cluster) => cluster.state === "open";

// ---- what the reader can do ----

async function move(step, isWanted = undefined) {
  const next = await neighbour(shown.key, step, isWanted);
  if (next) go("cluster", [next], optionsOf(queue.filter));
  else say(step > 0 ? "That was the last cluster of this queue." : "This is the first cluster of this queue.");
  return next;
}

async function onward() {
  if (await move(1, isOpen)) return;
  say("That was the last cluster of this queue.");
  go("queue", [], optionsOf(queue.filter));
}

function survivorName() {
  return shorten(shown.found.members.find((member) => member.row === shown.survivor)?.id ?? shown.found.cluster.survivor.id, 40);
}

async function accept() {
  if (!shown.found) return;
  if (await decide({ action: "accept", cluster: shown.key, survivor: shown.survivor }, `${survivorName()} survives`)) await onward();
}

async function distinct() {
  if (!shown.found) return;
  if (await decide({ action: "distinct", cluster: shown.key }, survivorName())) await onward();
}

async function skip() {
  if (!shown.found) return;
  if (await decide({ action: "skip", cluster: shown.key }, survivorName())) await onward();
}

async function exclude(row = shown.current) {
  const member = shown.found?.members.find((one) => one.row === row);
  if (!member) return;
  if (row === shown.survivor && !member.excluded) {
    say("This document survives. Choose another survivor before you exclude it.", { isError: true });
    return;
  }
  const wasExcluded = member.excluded;
  member.excluded = !wasExcluded; // shown at once, and taken back if the service refuses
  const name = shorten(member.id, 40);
  const done = wasExcluded ? await include(shown.key, member.id) : await decide({ action: "exclude", cluster: shown.key, rows: [row] }, name);
  if (!done) member.excluded = !member.excluded;
  else await show(shown.key, { keepCurrent: true });
  redraw();
}

// Undoes the last decision, and shows the cluster that it was about.
export async function undoLast() {
  const answer = await undo();
  if (!answer) return;
  const key = answer.clusters.length === 1 ? answer.clusters[0].key : null;
  if (key !== null && route.view === "cluster" && key !== shown.key) go("cluster", [key], optionsOf(queue.filter ?? {}));
  else if (route.view === "cluster") await show(shown.key);
}

function choose(row) {
  if (!shown.found) return;
  const member = shown.found.members.find((one) => one.row === row);
  if (!member) return;
  if (member.excluded) {
    say("This document is excluded. Tick it first.", { isError: true });
    return;
  }
  if (row === shown.current) shown.current = shown.survivor;
  shown.survivor = row;
  say(`${shorten(member.id, 40)} will survive. Press Enter to accept.`);
  showComparison();
  redraw();
}

function look(row) {
  shown.current = row;
  showComparison();
  redraw();
}

function lookFurther(step) {
  if (!shown.found) return;
  const rows = shown.found.members.slice(0, shown.most).map((member) => member.row).filter((row) => row !== shown.survivor);
  if (rows.length) look(rows[(rows.indexOf(shown.current) + step + rows.length) % rows.length]);
}

async function openRest() {
  const { found, key } = shown;
  if (shown.most < found.members.length) {
    shown.most = found.members.length;
  } else if (found.next !== null) {
    const more = await readMembers(key, found.next);
    if (shown.found !== found) return;
    found.members.push(...more.members);
    found.next = more.next;
    shown.most = found.members.length;
  }
  redraw();
}

export const keys = {
  j: () => move(1),
  k: () => move(-1),
  Enter: accept,
  x: distinct,
  e: () => exclude(),
  s: skip,
  d: () => prefer("showDifferences", !state.preferences.showDifferences),
  ArrowRight: () => lookFurther(1),
  ArrowLeft: () => lookFurther(-1),
  ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [String(i + 1), () => choose(shown.found?.members[i]?.row)])),
};

export function actions() {
  const busy = !shown.found || !canDecide();
  return [
    h("button", { class: "primary", onclick: accept, disabled: busy }, h("span", null, "Accept"), h("kbd", null, "⏎")),
    h("button", { onclick: distinct, disabled: busy }, h("span", { class: "long" }, "Not duplicates"), h("span", { class: "brief" }, "Different"), h("kbd", null, "x")),
    h("button", { onclick: skip, disabled: busy }, h("span", null, "Skip"), h("kbd", null, "s")),
  ];
}

function canDecide() {
  return state.about === null || (state.about.can_decide && state.about.texts.available);
}

// ---- what is drawn ----

export function draw() {
  if (shown.problem) return h("main", null, h("h1", { tabindex: "-1" }, "Cluster"), failed(shown.problem, () => show(route.parts[0])));
  if (!shown.found) return h("main", null, h("h1", { tabindex: "-1" }, "Cluster"), waiting());
  const { found } = shown;
  return h("main", { class: "with-list", "aria-busy": String(shown.key !== route.parts[0]) },
    list(),
    h("div", { class: "cluster" },
      heading(found),
      textsNotice(found.texts),
      h("div", { class: "overview" },
        h("div", { class: "who" },
          members({ found, shown, canDecide: canDecide(), onchoose: choose, onlook: look, onexclude: exclude }),
          rest(found)),
        similarities(found)),
      differences()));
}

function heading(found) {
  const { cluster } = found;
  const at = place(shown.key);
  return h("header", { class: "heading" },
    h("h1", { tabindex: "-1" }, at >= 0 ? `Cluster ${number(at + 1)}` : "Cluster", at >= 0 && h("span", { class: "of" }, ` of ${number(queue.total)}`)),
    h("p", { class: "facts" },
      h("span", null, count(cluster.size, "document")),
      cluster.least !== null && h("span", null, "least similar pair ", score(cluster.least), cluster.sampled && " in a sample"),
      cluster.density !== null && !state.preferences.hideScores && h("span", null, `${Math.round(100 * cluster.density)} % of the pairs are similar`),
      ...cluster.reasons.map((reason) => h("span", { class: "chip warn" }, REASONS[reason] ?? reason)),
      stateChip(cluster.state)),
    h("p", { class: "small why" }, why(found)));
}

function why(found) {
  const chosen = found.members.find((member) => member.is_survivor)?.row ?? found.cluster.survivor.row;
  if (shown.survivor !== chosen) return ["You have chosen ", h("b", { class: "id" }, survivorName()), " to survive. Press Enter to accept."];
  return [h("b", { class: "id" }, survivorName()), ` survives: ${found.why.words}.`];
}

function rest(found) {
  const left = found.cluster.size - Math.min(shown.most, found.members.length);
  return left > 0 && h("button", { class: "plain more", onclick: openRest }, `and ${number(left)} more`);
}

function similarities(found) {
  const drawn = found.members.slice(0, DRAWN);
  if (!found.pairs.length) return null;
  const position = (row) => drawn.findIndex((member) => member.row === row);
  const { hideScores } = state.preferences;
  return h("figure", { class: "card similarities" },
    h("figcaption", null, "Similarities", found.cluster.size > drawn.length && ` of the first ${drawn.length} documents`),
    graph({
      names: drawn.map((member) => member.id),
      edges: found.pairs.filter(([a, b]) => a < drawn.length && b < drawn.length),
      survivor: position(shown.survivor),
      current: position(shown.current),
      threshold: state.about?.threshold ?? 0,
      isHidden: hideScores,
      onpick: (i) => look(drawn[i].row),
    }),
    h("p", { class: "small key" }, hideScores ? "Scores are hidden." : "Thicker lines: more similar. Dashed: below the threshold."));
}

function differences() {
  const { comparison, found } = shown;
  const isOpen = state.preferences.showDifferences;
  const head = h("div", { class: "differences-head" },
    h("h2", null, "Differences"),
    comparison && !comparison.problem && h("p", { class: "small" }, "similarity ", score(comparison.similarity, 4), state.preferences.hideScores ? null : ` · ${comparison.verdict}`),
    comparison && !comparison.problem && h("a", { href: link("compare", [shown.survivor, shown.current], { cluster: shown.key }) }, "Compare on a page of its own"),
    h("button", { class: "plain", onclick: keys.d, "aria-expanded": String(isOpen) }, isOpen ? "Hide" : "Show", h("kbd", null, "d")));
  if (!found.texts.available) return null;
  return h("section", { class: "differences", "aria-label": "Differences" },
    head,
    isOpen && comparison?.problem && failed(comparison.problem),
    isOpen && comparison && !comparison.problem && sides(comparison, { notes: ["survives", ""] }));
}

function list() {
  const options = optionsOf(queue.filter ?? {});
  return h("nav", { class: "list", "aria-label": "Clusters of the queue" },
    h("a", { class: "back", href: link("queue", [], options) }, "← Queue"),
    h("ol", null, ...window_().map((cluster) =>
      h("li", { key: cluster.key },
        h("a", { href: link("cluster", [cluster.key], options), "aria-current": cluster.key === shown.key ? "true" : null, class: cluster.state },
          h("span", { class: "number size", title: count(cluster.size, "document") }, number(cluster.size)),
          h("span", { class: "name" }, shorten(cluster.survivor.id, 18)),
          h("span", { class: "number" }, state.preferences.hideScores || cluster.least === null ? "" : similarity(cluster.least, 2)))))));
}

// The clusters around the one that is shown. They change in steps of ten, so that the list is quiet.
function window_() {
  const at = Math.max(0, place(shown.key));
  const first = Math.max(0, 10 * Math.floor(at / 10) - 5);
  return queue.clusters.slice(first, first + 25);
}
