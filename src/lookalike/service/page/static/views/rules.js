// Which document of a cluster survives: ordered rules and protected sources, with a preview of how many rows each decides.

import { post } from "../api.js";
import { took } from "../deciding.js";
import { h } from "../shared/dom.js";
import { command, failed, field, waiting } from "../parts/controls.js";
import { act, redraw, say, state } from "../state.js";
import { count, number } from "../shared/words.js";

const WORDS = {
  first: "The first in the input", last: "The last in the input", longest: "The longest text", shortest: "The shortest text",
  best: "The highest value of a column", least: "The lowest value of a column",
  source: "Files that match a pattern", where: "Rows with a value in a column",
};

const shown = { rules: null, protect: [], preview: null, problem: null, isOld: false, adding: "longest", value: "" };

let timer = 0;

export const title = () => "Rules";

export async function open() {
  if (shown.rules === null) await measure({ isFirst: true });
  else await measure();
}

// Asks what the rules would decide. Nothing is written.
async function measure({ isFirst = false } = {}) {
  const body = { dry_run: true };
  if (!isFirst) Object.assign(body, { keep: shown.rules.join(","), protect: shown.protect });
  if (!body.keep) delete body.keep;
  const asked = JSON.stringify(body);
  shown.asked = asked;
  shown.isOld = true;
  redraw();
  try {
    const found = await post("/review/rules", body);
    if (shown.asked !== asked) return;
    if (isFirst) Object.assign(shown, { rules: [...found.current], protect: found.protected.map((one) => one.rule) });
    Object.assign(shown, { preview: found, problem: null, isOld: false });
  } catch (error) {
    if (shown.asked === asked) Object.assign(shown, { problem: error, isOld: false });
  }
  redraw();
  if (isFirst && shown.rules?.length) await measure(); // without rules, the preview is that of the input order
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(measure, 250);
  redraw();
}

function move(i, step) {
  const [rule] = shown.rules.splice(i, 1);
  shown.rules.splice(i + step, 0, rule);
  changed();
}

function remove(i) {
  shown.rules.splice(i, 1);
  changed();
}

function add(event) {
  event.preventDefault();
  const kind = shown.adding;
  const name = kind.split(":")[0];
  const rule = kind.includes(":") ? `${name}:${shown.value.trim()}` : name;
  if (kind.includes(":") && !shown.value.trim()) return;
  if (!shown.rules.includes(rule)) shown.rules.push(rule);
  shown.value = "";
  changed();
}

function protect(event) {
  event.preventDefault();
  const form = new FormData(event.target);
  const pattern = form.get("pattern").trim();
  if (pattern && !shown.protect.includes(pattern)) shown.protect.push(pattern);
  event.target.reset();
  changed();
}

function apply() {
  return act(async () => {
    const answer = await post("/review/rules", { ...(shown.rules.length ? { keep: shown.rules.join(",") } : {}), protect: shown.protect, dry_run: false });
    shown.preview = answer;
    took(answer);
    say(`The rules were applied: ${count(answer.changed, "cluster has", "clusters have")} another survivor. Undo takes it back.`);
  });
}

export async function undoLast() {
  const { undo } = await import("../deciding.js");
  if (await undo()) await measure();
}

export function draw() {
  if (!shown.rules) return h("main", { class: "reading" }, h("h1", { tabindex: "-1" }, "Rules"), shown.problem ? failed(shown.problem, open) : waiting());
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "Rules"),
    h("p", { class: "lead" }, "The first rule that tells the documents of a cluster apart chooses the one that survives."),
    shown.problem && h("p", { class: "notice", role: "alert" }, shown.problem.message),
    h("div", { class: "two rules" }, h("div", { class: "stack" }, order(), protectedSources()), preview()));
}

function order() {
  const column = shown.adding.includes(":");
  return h("section", { class: "card", "aria-label": "Order" },
    h("h2", null, "Order"),
    h("ol", { class: "rule-list" }, ...shown.rules.map((rule, i) => h("li", { key: rule },
      h("span", { class: "rule" }, words(rule), h("code", null, rule)),
      h("button", { class: "plain", onclick: () => move(i, -1), disabled: i === 0, "aria-label": `Move ${rule} up` }, "↑"),
      h("button", { class: "plain", onclick: () => move(i, 1), disabled: i === shown.rules.length - 1, "aria-label": `Move ${rule} down` }, "↓"),
      h("button", { class: "plain", onclick: () => remove(i), "aria-label": `Remove ${rule}` }, "×")))),
    !shown.rules.length && h("p", { class: "small" }, "There are no rules: the first document in the input survives."),
    h("form", { class: "row", onsubmit: add },
      field("Add a rule", h("select", { value: shown.adding, onchange: (event) => { shown.adding = event.target.value; redraw(); } },
        ...(shown.preview?.known ?? []).map((kind) => h("option", { value: kind }, WORDS[kind.split(":")[0]] ?? kind)))),
      column && field(shown.adding.split(":")[1].toLowerCase(), h("input", { value: shown.value, list: /COLUMN/.test(shown.adding) ? "columns" : null, autocomplete: "off", oninput: (event) => { shown.value = event.target.value; } })),
      h("button", null, "Add")),
    h("datalist", { id: "columns" }, ...(shown.preview?.columns ?? []).map((name) => h("option", { value: name }))));
}

function words(rule) {
  const [name, ...rest] = rule.split(":");
  const value = rest.join(":");
  return h("span", null, WORDS[name] ?? name, value && ": ", value && h("b", null, value));
}

function protectedSources() {
  return h("section", { class: "card", "aria-label": "Protected sources" },
    h("h2", null, "Protected sources"),
    h("p", { class: "small" }, "Documents of these files are never removed."),
    shown.protect.length > 0 && h("ul", { class: "rule-list" }, ...shown.protect.map((pattern, i) => h("li", { key: pattern },
      h("span", { class: "rule" }, h("code", null, pattern)),
      h("button", { class: "plain", "aria-label": `Remove ${pattern}`, onclick: () => { shown.protect.splice(i, 1); changed(); } }, "×")))),
    h("form", { class: "row", onsubmit: protect },
      field("Pattern, such as clean/*", h("input", { name: "pattern", autocomplete: "off" }), "grow"),
      h("button", null, "Protect")));
}

function preview() {
  const found = shown.preview;
  if (!found) return h("section", { class: "card" }, waiting());
  const most = Math.max(1, ...found.rules.map((rule) => rule.decides));
  return h("section", { class: "card", "aria-label": "Preview", "aria-busy": String(shown.isOld) },
    h("h2", null, "Preview"),
    h("dl", { class: "decides" }, ...found.rules.flatMap((rule) => [
      h("dt", null, rule.rule),
      h("dd", null, h("span", { class: "bar-track" }, h("i", { style: { width: `${(100 * rule.decides) / most}%` } })), h("span", { class: "number" }, number(rule.decides))),
    ])),
    h("p", { class: "small" }, "Number of rows that each rule decides."),
    found.protected.length > 0 && h("p", { class: "small" }, ...found.protected.map((one) => h("span", null, h("code", null, one.rule), ` protects ${count(one.documents, "document")}. `))),
    h("p", null, `${count(found.removed, "document")} would be removed, and ${number(found.kept)} kept. `,
      h("b", null, found.changed ? `${count(found.changed, "cluster")} would get another survivor.` : "No cluster would get another survivor.")),
    h("p", null, h("button", { class: "primary", onclick: apply, disabled: state.isBusy || shown.isOld || !!shown.problem || !found.changed }, "Apply to the open clusters")),
    found.command && h("p", { class: "small" }, "On the command line: ", command(found.command)));
}
