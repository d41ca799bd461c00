// What leaves the page: the decisions, and the clean corpus. And what comes in: decisions of an earlier run.

import { download, get, upload } from "../api.js";
import { took } from "../deciding.js";
import { h } from "../shared/dom.js";
import { command, field, select, textsNotice, waiting } from "../parts/controls.js";
import { act, redraw, say, state } from "../state.js";
import { count, number } from "../shared/words.js";

const FORMATS = [["jsonl", "JSON lines"], ["csv", "CSV"], ["parquet", "Parquet"]];

const shown = { format: "jsonl", imported: null };

export const title = () => "Export";

export async function open() {
  state.about = await get("/review/summary");
  redraw();
}

// Saves what an address answers with as a file. A link would do the same, but it could not send a key.
function save(path, name, words) {
  return act(async () => {
    const content = await download(path);
    const address = URL.createObjectURL(content);
    const anchor = document.createElement("a");
    anchor.href = address;
    anchor.download = name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    say(words);
  });
}

function stem() {
  return state.about.name.replace(/\.[a-z]+$/i, "").replace(/[^\w.-]+/g, "-") || "lookalike";
}

function bring(event) {
  event.preventDefault();
  const file = event.target.elements.file.files[0];
  if (!file) return;
  const form = event.target;
  act(async () => {
    shown.imported = await upload("/review/import", file, "application/x-ndjson");
    took(shown.imported);
    say(`${count(shown.imported.applied, "decision was", "decisions were")} applied. Undo takes it back.`);
    state.about = await get("/review/summary");
    form.reset();
  });
}

export function draw() {
  const found = state.about;
  if (!found) return h("main", { class: "reading" }, h("h1", { tabindex: "-1" }, "Export"), waiting());
  const { accepted, distinct, skipped, open: left } = found.states;
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "Export"),
    h("p", { class: "lead" }, `${number(accepted)} accepted, ${number(distinct)} not duplicates, ${number(skipped)} skipped; ${count(left, "cluster is", "clusters are")} still open.`),
    textsNotice(found.texts),
    h("div", { class: "two" },
      h("section", { class: "card", "aria-label": "Decisions" },
        h("h2", null, "Decisions"),
        h("p", null, "A file that the next run takes: ", command("lookalike dedupe … --decisions FILE"), ". It is applied where the documents are unchanged, also in a corpus that has grown."),
        h("p", null, h("button", { class: "primary", disabled: state.isBusy, onclick: () => save("/review/export/decisions", `${stem()}.decisions.jsonl`, "The decisions were saved.") }, "Save the decisions")),
        found.decisions_file && h("p", { class: "small" }, "They are also in ", h("code", null, found.decisions_file), ".")),
      h("section", { class: "card", "aria-label": "Clean corpus" },
        h("h2", null, "Clean corpus"),
        h("p", null, "The documents that survive, with all their columns. The input is not changed."),
        h("div", { class: "row" },
          field("Format", select(shown.format, FORMATS, (value) => { shown.format = value; redraw(); })),
          h("button", { class: "primary", disabled: state.isBusy || !found.texts.available, onclick: () => save(`/review/export/clean?format=${shown.format}`, `${stem()}.clean.${shown.format}`, "The clean corpus was saved.") }, "Save the clean corpus")))),
    h("section", { class: "card import", "aria-label": "Decisions of an earlier run" },
      h("h2", null, "Decisions of an earlier run"),
      h("form", { class: "row", onsubmit: bring },
        field("A decisions file", h("input", { type: "file", name: "file", accept: ".jsonl,.ndjson,application/x-ndjson", required: true })),
        h("button", { disabled: state.isBusy || !found.can_decide }, "Apply them here")),
      shown.imported && imported(shown.imported)));
}

function imported(answer) {
  const rest = [...answer.stale.map((one) => [one, "the text has changed"]), ...answer.missing.map((one) => [one, "not in this corpus"])];
  return h("div", { role: "status" },
    h("p", null, `${number(answer.applied)} applied, ${number(answer.stale_count)} stale, ${number(answer.missing_count)} not found.`),
    rest.length > 0 && h("ul", null, ...rest.map(([one, words]) => h("li", null, h("span", { class: "id" }, one.id ?? String(one)), `: ${words}`))));
}
