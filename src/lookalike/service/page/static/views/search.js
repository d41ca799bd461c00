// Paste a text, and see which documents are similar to it. The text is kept in this tab only.

import { post } from "../api.js";
import { h } from "../shared/dom.js";
import { failed, field, link, select } from "../parts/controls.js";
import { score } from "../parts/sides.js";
import { redraw } from "../state.js";
import { count, shorten } from "../shared/words.js";

const STORED = "lookalike.search";

const shown = { text: "", top: "20", found: null, problem: null, isSearching: false };

export const title = () => "Search";

export async function open() {
  if (shown.found) return;
  try {
    Object.assign(shown, JSON.parse(sessionStorage.getItem(STORED) ?? "{}"));
  } catch {
    // nothing was stored
  }
  if (shown.text) await search();
}

async function search(event = undefined) {
  event?.preventDefault();
  const { text, top } = shown;
  if (!text.trim() || shown.isSearching) return;
  shown.isSearching = true;
  redraw();
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ text, top }));
  } catch {
    // the text is too long to be stored
  }
  try {
    Object.assign(shown, { found: await post("/review/search", { text, top: Number(top) }), problem: null });
  } catch (error) {
    Object.assign(shown, { found: null, problem: error });
  }
  shown.isSearching = false;
  redraw();
}

export function draw() {
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "Search"),
    h("form", { class: "stack search", role: "search", onsubmit: search },
      field("Text", h("textarea", { value: shown.text, dir: "auto", spellcheck: "false", oninput: (event) => { shown.text = event.target.value; }, onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) search(event); } })),
      h("div", { class: "row" },
        field("Documents", select(shown.top, ["5", "20", "100"].map((n) => [n, n]), (value) => { shown.top = value; })),
        h("button", { class: "primary", disabled: shown.isSearching }, shown.isSearching ? "Searching…" : "Find similar documents"))),
    h("div", { role: "status" }, shown.problem ? failed(shown.problem) : shown.found && results()));
}

function results() {
  const { found, read } = shown.found;
  return [
    h("h2", null, found.length ? count(found.length, "similar document") : "No similar documents"),
    h("p", { class: "small" }, `Compared with ${count(read, "document")}.`),
    h("ol", { class: "queue", "aria-label": "Similar documents" }, ...found.map((one) => h("li", { key: one.row },
      h(one.key === null ? "div" : "a", one.key === null ? { class: "item" } : { class: "item", href: link("cluster", [one.key], { state: "all" }) },
        h("span", { class: "head" }, h("span", { class: "id" }, shorten(one.id, 70))),
        one.excerpt && h("span", { class: "excerpt", dir: "auto" }, one.excerpt),
        h("span", { class: "numbers" }, h("span", null, score(one.similarity)), one.key !== null && h("span", null, `cluster of ${one.size}`)))))),
  ];
}
