// Small parts that several views use.

import { h } from "../shared/dom.js";
import { STATES } from "../deciding.js";
import { link } from "../routes.js";
import { asTable, chart, field, range, select, tiles } from "../shared/controls.js";

export function stateChip(name) {
  const kind = { accepted: "chip good", distinct: "chip bad", skipped: "chip" }[name] ?? "chip";
  return name === "open" ? null : h("span", { class: kind }, STATES[name] ?? name);
}

export function failed(error, again) {
  return h("div", { class: "nothing", role: "alert" },
    h("p", null, error.message),
    again && h("button", { onclick: again }, "Try again"));
}

export function waiting(words = "Loading…") {
  return h("p", { class: "nothing" }, words);
}

export function textsNotice(texts) {
  return texts && !texts.available && h("p", { class: "notice" }, texts.detail);
}

// A command. Lines break between its words, and not at the hyphens of an option.
export function command(words) {
  return h("code", { class: "command" }, ...words.split(" ").flatMap((word, i) => [i ? " " : "", h("span", null, word)]));
}

export { asTable, chart, field, link, range, select, tiles };
