// Makes a report on records interactive: all listed entities can be searched and sorted.

import { field, select } from "./controls.js";
import { h, render } from "./dom.js";
import { count, number, shorten, similarity } from "./words.js";

const data = JSON.parse(document.getElementById("data").textContent);

const ORDERS = { size: "largest first", least: "least certain first", most: "most certain first", table: "in the order of the table" };

const AT_ONCE = 20; // entities that are shown before the reader asks for more

const shown = { words: "", order: data.is_linked ? "least" : "size", most: AT_ONCE };

const texts = data.entities.map((one) => [...one.ids, ...one.records.flat()].join("\n").toLowerCase());

function matching() {
  const words = shown.words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = data.entities.map((one, i) => [one, i]).filter(([, i]) => words.every((word) => texts[i].includes(word)));
  const certain = ([one]) => one.least ?? 0;
  const compare = {
    size: (a, b) => b[0].size - a[0].size || certain(a) - certain(b),
    least: (a, b) => certain(a) - certain(b),
    most: (a, b) => certain(b) - certain(a),
    table: () => 0,
  }[shown.order];
  return found.sort((a, b) => compare(a, b) || a[1] - b[1]);
}

function change(name, value) {
  shown[name] = value;
  shown.most = AT_ONCE;
  draw();
}

function tools(found) {
  const known = data.entities.some((one) => one.least !== null);
  const orders = Object.entries(ORDERS).filter(([name]) => (name !== "size" || !data.is_linked) && (known || name === "size" || name === "table"));
  const left = data.total - data.entities.length;
  return [
    h("div", { class: "tools", role: "search", "aria-label": "Search" },
      field("Words in an id or a value", h("input", { type: "search", value: shown.words, autocomplete: "off", oninput: (event) => change("words", event.target.value) }), "grow"),
      field("Order", select(shown.order, orders, (value) => change("order", value)))),
    h("p", { class: "small next", role: "status" },
      `${number(found.length)} of ${count(data.total, ...data.nouns)}`, left > 0 && `; ${number(data.entities.length)} of them can be searched here`,
      ". ", h("mark", null, "Marked"), data.is_linked ? " values differ." : " values differ from the most frequent value of the entity."),
  ];
}

function card([one, i]) {
  const more = one.size - one.ids.length;
  const notes = [!data.is_linked && count(one.size, "record"), one.least !== null && `${one.ids.length > 2 ? "lowest probability" : "probability"} ${similarity(one.least, 4)}`];
  return h("div", { class: "card scroll next", key: String(i) },
    h("p", { class: "small" }, notes.filter(Boolean).join(", ")),
    h("table", { class: "entity" },
      h("thead", null, h("tr", null, h("th", null, "id"), ...data.fields.map((name) => h("th", null, name)))),
      h("tbody", null, ...one.ids.map((id, row) => h("tr", null,
        h("td", null, h("span", { class: "id" }, shorten(id, 80))),
        ...one.records[row].map((value, place) => h("td", { dir: "auto" }, one.differs[row].includes(place) ? h("mark", null, value || "–") : value || "–")))))),
    more > 0 && h("p", { class: "small" }, `and ${count(more, "more record")}`));
}

function draw() {
  const found = matching();
  render(document.getElementById("live-entities"),
    ...tools(found),
    ...(found.length ? found.slice(0, shown.most).map(card) : [h("p", { class: "nothing" }, `None of the ${data.nouns[1]} contains all of these words.`)]),
    found.length > shown.most && h("p", { class: "more" }, h("button", { onclick: () => {
      shown.most += 5 * AT_ONCE;
      draw();
    } }, `Show more of the ${number(found.length - shown.most)} others`)));
}

for (const element of document.querySelectorAll("[data-replaced=entities]")) element.remove();
document.documentElement.classList.add("is-live");
draw();
