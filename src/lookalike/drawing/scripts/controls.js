// Small parts that the page and reports share.

import { h } from "./dom.js";
import { similarity } from "./words.js";

export function tiles(figures) {
  return h("div", { class: "tiles" },
    ...figures.filter(Boolean).map(([figure, label]) => h("div", { class: "tile" }, h("b", null, figure), h("span", null, label))));
}

export function field(label, control, kind = "") {
  return h("label", { class: `field ${kind}` }, h("span", null, label), control);
}

export function select(value, choices, onchange, properties = {}) {
  return h("select", { value, onchange: (event) => onchange(event.target.value), ...properties },
    ...choices.map(([name, words]) => h("option", { value: name }, words)));
}

// A chart in two sizes; the style sheet shows the one that fits.
export function chart(draw) {
  return [h("div", { class: "wide" }, draw(false)), h("div", { class: "narrow" }, draw(true))];
}

// The numbers of a chart as a table, for readers who cannot see or click it.
export function asTable(headings, rows) {
  return h("details", { class: "numbers" },
    h("summary", null, "Show as a table"),
    h("div", { class: "scroll" },
      h("table", null,
        h("thead", null, h("tr", null, ...headings.map((name, i) => h("th", { scope: "col", class: i ? "n" : null }, name)))),
        h("tbody", null, ...rows.map((row) => h("tr", null, ...row.map((cell, i) => h("td", { class: i ? "n" : null }, cell))))))));
}

export function range(low, high) {
  return `${similarity(low, 2)} – ${similarity(high, 2)}`;
}
