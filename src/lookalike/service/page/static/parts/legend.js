// The legend of keys.

import { h } from "../shared/dom.js";

const KEYS = [
  [["j", "k"], "next, previous cluster"],
  [["1", "–", "9"], "choose the document that survives"],
  [["Enter"], "accept, and go to the next open cluster"],
  [["x"], "not duplicates: keep all of them"],
  [["e"], "exclude the marked member, or include it again"],
  [["←", "→"], "mark another member, and see what differs"],
  [["s"], "skip this cluster"],
  [["d"], "show or hide the differences"],
  [["h"], "hide or show the scores"],
  [["u"], "undo the last decision"],
  [["?"], "this legend"],
];

export function legend(isOpen, toggle) {
  return h("dialog", { "aria-labelledby": "legend", onclose: () => isOpen && toggle(), ref: (dialog) => sync(dialog, isOpen) },
    h("h2", { id: "legend" }, "Keys"),
    h("dl", { class: "legend" },
      ...KEYS.flatMap(([keys, words]) => [
        h("dt", null, ...keys.map((key) => (key === "–" ? key : h("kbd", null, key)))),
        h("dd", null, words),
      ])),
    h("p", { class: "small" }, "The input is never changed. Decisions are saved at once, and each can be undone."),
    h("button", { class: "primary", onclick: toggle }, "Close"));
}

function sync(dialog, isOpen) {
  if (isOpen && !dialog.open && dialog.isConnected) dialog.showModal();
  else if (!isOpen && dialog.open) dialog.close();
}
