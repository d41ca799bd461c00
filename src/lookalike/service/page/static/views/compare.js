// Two documents side by side, with what only one of them has marked.

import { compare } from "../clusters.js";
import { decide } from "../deciding.js";
import { h } from "../shared/dom.js";
import { failed, link, waiting } from "../parts/controls.js";
import { score, sides } from "../parts/sides.js";
import { go, route } from "../routes.js";
import { redraw, state } from "../state.js";
import { shorten } from "../shared/words.js";

const shown = { pair: "", found: null, problem: null, onlyDifferences: false };

const NAMES = { jaccard: "Jaccard", containment_a: "left contained in right", containment_b: "right contained in left", cosine: "cosine", dice: "Dice", overlap: "overlap" };

export const title = () => "Compare";

export async function open() {
  const [a, b] = route.parts;
  const pair = `${a} ${b}`;
  if (shown.pair !== pair) Object.assign(shown, { pair, found: null, problem: null });
  try {
    const found = await compare(a, b);
    if (shown.pair === pair) Object.assign(shown, { found, problem: null });
  } catch (error) {
    if (shown.pair === pair) shown.problem = error;
  }
  redraw();
}

export const keys = {
  d: toggle,
  x: () => decidePair({ action: "distinct", rows: rows() }),
  1: () => keep(0),
  2: () => keep(1),
};

function toggle() {
  shown.onlyDifferences = !shown.onlyDifferences;
  redraw();
}

const rows = () => [shown.found.a.row, shown.found.b.row];

const cluster = () => route.options.get("cluster") ?? null;

function keep(side) {
  return shown.found && decidePair({ action: "accept", survivor: rows()[side] });
}

async function decidePair(body) {
  if (!shown.found || cluster() === null) return;
  const { a, b } = shown.found;
  const name = body.action === "accept" ? `${shorten(body.survivor === a.row ? a.id : b.id, 40)} survives` : `${shorten(a.id, 30)} and ${shorten(b.id, 30)}`;
  if (await decide({ ...body, cluster: cluster() }, name)) go("cluster", [cluster()]);
}

export function actions() {
  if (!shown.found || cluster() === null) return [];
  return [
    h("button", { onclick: () => keep(0) }, "Keep left", h("kbd", null, "1")),
    h("button", { onclick: () => keep(1) }, "Keep right", h("kbd", null, "2")),
    h("button", { onclick: keys.x }, h("span", { class: "long" }, "Not duplicates"), h("span", { class: "brief" }, "Different"), h("kbd", null, "x")),
  ];
}

export function draw() {
  const { found } = shown;
  return h("main", null,
    h("h1", { tabindex: "-1" }, "Compare"),
    cluster() !== null && h("p", { class: "small" }, h("a", { href: link("cluster", [cluster()]) }, "← Cluster")),
    shown.problem ? failed(shown.problem, open) : !found ? waiting() : [
      h("div", { class: "compared" },
        h("p", { class: "big" }, score(found.similarity, 4)),
        h("p", { class: "small" }, state.preferences.hideScores ? "Scores are hidden." : facts(found)),
        h("div", { class: "row" },
          h("label", { class: "check" }, h("input", { type: "checkbox", checked: shown.onlyDifferences, onchange: toggle }), "Differences only ", h("kbd", null, "d")),
          h("a", { class: "button", href: link("compare", [found.b.row, found.a.row], { cluster: cluster() }) }, "Swap sides"))),
      h("p", { class: "small" }, h("mark", null, "Marked"), " text is in one document only; the rest is in both."),
      sides(found, { onlyDifferences: shown.onlyDifferences }),
    ]);
}

function facts(found) {
  const measures = Object.entries(found.measures ?? {}).filter(([name]) => NAMES[name]).map(([name, value]) => `${NAMES[name]} ${value.toFixed(3)}`);
  return [found.verdict, ...measures].join(" · ");
}
