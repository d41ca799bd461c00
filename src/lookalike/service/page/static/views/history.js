// Every decision, the latest first. Each can be undone.

import { get } from "../api.js";
import { undo, WORDS } from "../deciding.js";
import { h } from "../shared/dom.js";
import { failed, link, waiting } from "../parts/controls.js";
import { redraw, state } from "../state.js";
import { count, number, shorten, time } from "../shared/words.js";

const shown = { steps: null, total: 0, next: null, problem: null };

export const title = () => "History";

export async function open() {
  await load(null);
}

async function load(cursor) {
  try {
    const found = await get("/review/history", { cursor, limit: 50 });
    shown.steps = cursor ? [...shown.steps, ...found.steps] : found.steps;
    Object.assign(shown, { total: found.total, next: found.next, problem: null });
  } catch (error) {
    shown.problem = error;
  }
  redraw();
}

async function takeBack(step) {
  if (await undo(step)) await load(null);
}

export async function undoLast() {
  if (await undo()) await load(null);
}

export function draw() {
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "History"),
    shown.problem ? failed(shown.problem, open) : !shown.steps ? waiting() : list());
}

function list() {
  if (!shown.steps.length) return h("div", { class: "nothing" }, h("p", null, "Nothing has been decided yet."), h("a", { class: "button", href: link("queue") }, "Open the queue"));
  return [
    h("p", { class: "lead" }, `${count(shown.total, "entry", "entries")}, the latest first. Undoing an entry does not change the others.`),
    h("ol", { class: "history", "aria-label": "Decisions" }, ...shown.steps.map(entry)),
    shown.next && h("p", null, h("button", { onclick: () => load(shown.next) }, `Show more of ${number(shown.total)}`)),
  ];
}

function entry(step) {
  const words = WORDS[step.action] ?? step.action;
  return h("li", { key: step.step, class: step.undone ? "undone" : null },
    h("time", { class: "small number", datetime: step.at }, time(step.at)),
    h("div", { class: "what" },
      h("p", null, h("b", null, words), step.undone && h("span", { class: "chip" }, "undone"),
        h("span", { class: "small" }, [step.clusters > 1 && count(step.clusters, "cluster"), count(step.documents, "document"), step.by && `by ${step.by}`].filter(Boolean).join(" · "))),
      h("p", { class: "names" }, ...step.first.flatMap((one, i) => [
        i > 0 && ", ",
        one.key === null ? h("span", { class: "id" }, shorten(one.id, 40)) : h("a", { class: "id", href: link("cluster", [one.key], { state: "all" }) }, shorten(one.id, 40)),
      ]), step.documents > step.first.length && ` and ${number(step.documents - step.first.length)} more`),
      step.note && h("p", { class: "small" }, step.note)),
    step.can_undo
      ? h("button", { onclick: () => takeBack(step.step), disabled: state.isBusy, "aria-label": `${step.undoes ? "Redo" : "Undo"}: ${words}, ${time(step.at)}` }, step.undoes ? "Redo" : "Undo")
      : h("span", null));
}
