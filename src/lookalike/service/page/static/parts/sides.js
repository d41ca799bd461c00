// Scores, which the reader can hide, and two texts side by side.

import { h } from "../shared/dom.js";
import { sideBySide } from "../shared/sides.js";
import { similarity } from "../shared/words.js";
import { redraw, state } from "../state.js";

export function score(value, places = 3) {
  if (state.preferences.hideScores) return h("span", { class: "number hidden-score" }, "···", h("span", { class: "hidden" }, "hidden"));
  return h("span", { class: "number" }, similarity(value, places));
}

export function sides(found, options = {}) {
  return sideBySide(found, { ...options, redraw });
}
