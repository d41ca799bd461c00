// Makes a report interactive: clusters that open, a filter, a threshold, and other orders.
//
// The sections that are in the file for readers without scripts are replaced by the same sections with controls.

import { similarityHistogram } from "./charts.js";
import { asTable, chart, field, range, select } from "./controls.js";
import { h, render } from "./dom.js";
import { sideBySide } from "./sides.js";
import { count, number, shorten, similarity } from "./words.js";

const data = JSON.parse(document.getElementById("data").textContent);

const NOUNS = { pairs: ["pair", "pairs"], removed: ["removed document", "removed documents"], members: ["member", "members"] };

const OF = { pairs: "similarity of a pair", removed: "similarity to the document kept", members: "similarity to the representative" };

const FIRST = { pairs: "the representative", removed: "kept", members: "the representative" };

const CLUSTERS = { size: "largest first", least: "least similar first", most: "most similar first", name: "by name" };

const PAIRS = { most: "most similar first", least: "least similar first", name: "by name" };

const AT_ONCE = 20; // clusters that are shown before the reader asks for more

const shown = { words: "", step: 0, clusters: "size", pairs: "most", most: AT_ONCE, opened: new Set() };

const threshold = () => (data.steps.length ? data.steps[shown.step][0] : 0);

const isReached = (value) => value === null || shown.step === 0 || value >= threshold() - 1e-9;

function matches(texts) {
  const words = shown.words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = texts.join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function least(cluster) {
  const known = cluster.members.map((member) => member.similarity).filter((value) => value !== null);
  return known.length ? Math.min(...known) : null;
}

function sorted(rows, order, { name, low, high }) {
  const compare = {
    size: (a, b) => b.size - a.size,
    least: (a, b) => (low(a) ?? 2) - (low(b) ?? 2),
    most: (a, b) => (high(b) ?? -1) - (high(a) ?? -1),
    name: (a, b) => name(a).localeCompare(name(b), undefined, { numeric: true }),
  }[order];
  return [...rows].sort(compare);
}

function tools() {
  const change = (event) => {
    shown.words = event.target.value;
    draw();
  };
  return h("div", { class: "tools", role: "search", "aria-label": "Filter" },
    field("Words in an ID or a text", h("input", { type: "search", value: shown.words, autocomplete: "off", oninput: change }), "grow"),
    data.steps.length > 1 && slider());
}

function slider() {
  const change = (event) => {
    shown.step = Number(event.target.value);
    draw();
  };
  return h("label", { class: "field slider" },
    h("span", null, "Threshold ", h("b", { class: "number" }, similarity(threshold()))),
    h("input", { type: "range", min: 0, max: data.steps.length - 1, step: 1, value: shown.step, oninput: change, "aria-valuetext": similarity(threshold()) }));
}

function reached() {
  if (!data.steps.length) return null;
  const [value, pairs, clusters, documents] = data.steps[shown.step];
  const all = data.steps[0][1];
  const noun = NOUNS[data.of];
  const words = [`At ${similarity(value)}: ${number(pairs)} of ${count(all, ...noun)}`];
  if (clusters !== null) words.push(`${count(clusters, "cluster")} with ${count(documents, "document")}`);
  return h("p", { class: "note reached", role: "status" }, `${words.join(", in ")}.`);
}

function histogram() {
  if (!data.steps.length) return null;
  const { edges, counts, ones } = data.histogram;
  const pick = (value) => {
    const at = data.steps.findIndex((step) => step[0] >= value - 1e-9);
    shown.step = at < 0 ? data.steps.length - 1 : at;
    draw();
  };
  const rows = counts.map((value, i) => [range(edges[i], edges[i + 1]), number(value)]).filter((_, i) => counts[i]);
  const mark = shown.step ? threshold() : null;
  return h("figure", { class: "card" },
    h("figcaption", null, `${OF[data.of][0].toUpperCase()}${OF[data.of].slice(1)}. Click a bar to move the threshold there.`),
    chart((narrow) => similarityHistogram({ edges, counts, ones, threshold: mark, narrow, onpick: pick })),
    asTable(["similarity", "pairs"], [...rows, ["exactly 1", number(ones)]]));
}

function clusters() {
  const visible = data.clusters.filter((cluster) => isReached(cluster.highest) && matches(cluster.members.flatMap((member) => [member.id, member.excerpt ?? ""])));
  const ordered = sorted(visible, shown.clusters, { name: (one) => one.members[0].id, low: least, high: least });
  const isAllOpen = ordered.length > 0 && ordered.slice(0, shown.most).every((one) => shown.opened.has(one));
  const toggle = () => {
    for (const one of ordered.slice(0, shown.most)) shown.opened[isAllOpen ? "delete" : "add"](one);
    draw();
  };
  const listed = data.clusters.length;
  return [
    h("div", { class: "found-line" },
      h("p", { class: "small", role: "status" }, `${count(ordered.length, "cluster")} of ${number(data.clusters_found)}`,
        listed < data.clusters_found && `; only the ${number(listed)} largest can be listed here`),
      order("Order of the clusters", "clusters", CLUSTERS),
      h("button", { onclick: toggle, disabled: !ordered.length }, isAllOpen ? "Close all" : "Open all")),
    ordered.length
      ? h("ol", { class: "clusters" }, ...ordered.slice(0, shown.most).map(cluster))
      : h("p", { class: "nothing" }, "No cluster matches this filter and threshold."),
    ordered.length > shown.most && h("p", { class: "more" },
      h("button", { onclick: showAll }, `Show ${count(ordered.length - shown.most, "more cluster")}`)),
  ];
}

function showAll() {
  shown.most = Infinity;
  draw();
}

function order(label, name, choices) {
  const choose = (value) => {
    shown[name] = value;
    draw();
  };
  return field(label, select(shown[name], Object.entries(choices), choose));
}

function cluster(one) {
  const isOpen = shown.opened.has(one);
  const toggle = (event) => {
    if (event.target.open === shown.opened.has(one)) return;
    shown.opened[event.target.open ? "add" : "delete"](one);
    draw();
  };
  const [first] = one.members;
  const value = least(one);
  return h("li", { key: data.clusters.indexOf(one) },
    h("details", { open: isOpen, ontoggle: toggle },
      h("summary", null,
        h("span", { class: "size number" }, count(one.size, "document")),
        h("span", { class: "id" }, shorten(first.id, 80)),
        value !== null && h("span", { class: "small number" }, `least similar member ${similarity(value)}`),
        first.excerpt && !isOpen && h("span", { class: font("excerpt"), dir: "auto" }, first.excerpt)),
      isOpen && h("ul", null, ...one.members.map(member), more(one))));
}

function more(one) {
  const left = one.size - one.members.length;
  return left > 0 && h("li", { class: "small" }, `and ${number(left)} more`);
}

function member(one, i) {
  return h("li", { class: isReached(one.similarity) ? null : "below" },
    h("span", { class: "id" }, shorten(one.id, 80)),
    h("span", { class: "small number" }, i === 0 ? FIRST[data.of] : one.similarity === null ? "" : similarity(one.similarity)),
    one.excerpt && h("span", { class: font("excerpt"), dir: "auto" }, one.excerpt));
}

function font(kind) {
  return data.is_code ? `${kind} code` : kind;
}

function pairs() {
  const visible = data.pairs.filter((pair) => isReached(pair.similarity) && matches([pair.a, pair.b].flatMap((side) => [side.id, ...side.pieces.map((piece) => piece.text ?? "")])));
  const value = (pair) => pair.similarity;
  const ordered = sorted(visible, shown.pairs, { name: (pair) => pair.a.id, low: value, high: value });
  return [
    h("div", { class: "found-line" },
      h("p", { class: "small", role: "status" }, `${number(ordered.length)} of ${count(data.pairs.length, "pair")} that can be shown here. `,
        h("mark", null, "Marked"), " text is in one document only."),
      order("Order of the pairs", "pairs", PAIRS)),
    ...ordered.map((pair) => h("article", { class: "pair", key: pair.a.row },
      h("header", null, h("b", null, pair.words), h("span", { class: "small" }, pair.facts.join(" · "))),
      sideBySide({ ...pair, is_code: data.is_code }, { place: `, pair ${data.pairs.indexOf(pair) + 1}`, redraw: draw }))),
    !ordered.length && h("p", { class: "nothing" }, "No pair matches this filter and threshold."),
  ];
}

const places = Object.fromEntries(["tools", "similarity", "clusters", "pairs"].map((name) => [name, document.getElementById(`live-${name}`)]));

function draw() {
  render(places.tools, tools());
  if (data.steps.length) render(places.similarity, reached(), histogram());
  render(places.clusters, clusters());
  if (data.pairs.length) render(places.pairs, pairs());
}

// What the file has for readers without scripts makes room.
for (const name of ["similarity", "clusters", "pairs"]) {
  const isReplaced = name === "clusters" || (name === "pairs" ? data.pairs.length : data.steps.length);
  if (isReplaced) for (const element of document.querySelectorAll(`[data-replaced=${name}]`)) element.remove();
}
document.documentElement.classList.add("is-live");
draw();
