// Threshold, bands and rows, over the similarities of this corpus: what is found, and which false candidates are compared.

import { get } from "../api.js";
import { Canvas, sCurve } from "../shared/charts.js";
import { h } from "../shared/dom.js";
import { asTable, chart, command, failed, range, tiles, waiting } from "../parts/controls.js";
import { go, route } from "../routes.js";
import { redraw } from "../state.js";
import { number, percent } from "../shared/words.js";

const shown = { found: null, problem: null, asked: "", wanted: {} };

const [BANDS, ROWS] = [20, 5]; // where the sliders begin after an exact join

let timer = 0;

export const title = () => "Tune";

export async function open() {
  const options = Object.fromEntries(["threshold", "bands", "rows"].map((name) => [name, route.options.get(name)]));
  shown.wanted = options;
  shown.asked = JSON.stringify(options);
  const { asked } = shown;
  try {
    const found = await get("/review/tune", options);
    if (shown.asked === asked) Object.assign(shown, { found, problem: null });
  } catch (error) {
    if (shown.asked === asked) shown.problem = error;
  }
  redraw();
}

function change(name, value) {
  const { threshold, bands, rows } = { ...shown.found, ...given() };
  if (rows) shown.wanted = { threshold, bands, rows, [name]: value };
  else if (name === "threshold") shown.wanted = { threshold: value }; // an exact join has no bands
  else shown.wanted = { threshold, bands: BANDS, rows: ROWS, [name]: value };
  clearTimeout(timer);
  timer = setTimeout(() => go("tune", [], shown.wanted, { replace: true }), 120);
  redraw();
}

// What the reader has chosen so far.
function given() {
  return Object.fromEntries(Object.entries(shown.wanted).filter(([, value]) => value !== undefined).map(([name, value]) => [name, Number(value)]));
}

export function draw() {
  const { found } = shown;
  if (!found) return h("main", { class: "reading" }, h("h1", { tabindex: "-1" }, "Tune"), shown.problem ? failed(shown.problem, open) : waiting("Measuring a sample of the corpus…"));
  const { threshold, bands, rows } = { ...found, ...given() };
  const isExact = !rows;
  const { current } = found;
  const isCurrent = threshold === current.threshold && bands === current.bands && rows === current.rows;
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, "Tune"),
    h("p", { class: "lead" }, "What other settings would find in this corpus. This view changes nothing; the settings belong to the next run."),
    shown.problem && h("p", { class: "notice", role: "alert" }, shown.problem.message),
    h("div", { class: "card sliders" },
      slider("Threshold", "threshold", threshold, { min: 0.05, max: 1, step: 0.01 }),
      slider("Bands", "bands", isExact ? BANDS : bands, { min: 1, max: 64, step: 1 }, isExact),
      slider("Rows", "rows", isExact ? ROWS : rows, { min: 1, max: 16, step: 1 }, isExact),
      h("button", { disabled: isCurrent, onclick: () => go("tune", [], {}, { replace: true }) }, "As in this run")),
    isExact && h("p", { class: "small" }, "These settings join exactly: every similar pair is found. Move a slider to see what bands would find."),
    tiles([
      [percent(found.recall), "of the similar pairs are found"],
      [`≈\u00a0${number(Math.round(found.pairs))}`, "similar pairs"],
      [`≈\u00a0${number(Math.round(found.missed))}`, "of them are missed"],
      [`≈\u00a0${number(Math.round(found.false_candidates))}`, "false candidates"],
      !isExact && [number(found.hashes), "hashes"],
    ]),
    h("div", { class: "stack charts" },
      h("figure", { class: "card" },
        h("figcaption", null, h("span", { class: "swatch pairs" }), "pairs of the corpus ", h("span", { class: "swatch found" }), "of them candidates, on a logarithmic scale. Estimated from ",
          `${number(found.sampled.pairs)} pairs of ${number(found.sampled.documents)} documents.`),
        chart((narrow) => pairsChart(found.histogram, threshold, narrow)),
        asTable(["similarity", "pairs", "candidates"], found.histogram.pairs.map((value, i) => [range(found.histogram.edges[i], found.histogram.edges[i + 1]), number(Math.round(value)), number(Math.round(found.histogram.found[i]))]))),
      !isExact && h("figure", { class: "card curve" },
        h("figcaption", null, "How likely a pair becomes a candidate"),
        chart((narrow) => sCurve({ bands, rows, threshold, narrow })))),
    h("p", { class: "small" }, "On the command line: ", command(`--threshold ${threshold}${isExact ? " --method exact" : ` --bands ${bands} --rows ${rows}`}`)));
}

function slider(label, name, value, limits, isUnused = false) {
  return h("label", { class: "slider" },
    h("span", null, label, h("b", { class: "number" }, isUnused ? "–" : value)),
    h("input", { type: "range", value, ...limits, oninput: (event) => change(name, Number(event.target.value)) }));
}

// Pairs and candidates by similarity. Pairs are many at low similarities, so the scale is logarithmic.
function pairsChart({ edges, pairs, found }, threshold, narrow) {
  const canvas = narrow ? new Canvas(330, 250) : new Canvas(1000, 290);
  const top = Math.max(1, Math.ceil(Math.log10(1 + Math.max(1, ...pairs))));
  const height = (value) => Math.log10(1 + Math.max(0, value)) / top;
  const step = Math.max(1, Math.ceil(top / 6));
  const levels = [[0, "0"]];
  for (let power = step; power <= top; power += step) levels.push([power / top, power < 4 ? number(10 ** power) : `10${superscript(power)}`]);
  canvas.levels(levels);
  const wide = 1 / pairs.length;
  pairs.forEach((value, i) => {
    const words = `${range(edges[i], edges[i + 1])}: ${number(Math.round(value))} pairs, ${number(Math.round(found[i]))} candidates`;
    canvas.bar(i * wide, wide, height(value), words, "bar pairs");
    canvas.bar(i * wide, wide, height(found[i]), words, "bar found");
  });
  const every = Math.ceil(pairs.length / (narrow ? 5 : 10));
  for (let i = 0; i < pairs.length; i += every) canvas.below(i * wide, Number(edges[i].toFixed(2)));
  canvas.below(1, Number(edges.at(-1).toFixed(2)));
  canvas.title("similarity");
  const x = canvas.x((threshold - edges[0]) / (edges.at(-1) - edges[0]));
  canvas.line([x, canvas.y(0)], [x, canvas.y(1) - 8], "mark");
  canvas.words(x - 8, canvas.y(1) - 8, "threshold", "strong", "end");
  return canvas.svg(`Pairs and candidates by similarity; about ${number(Math.round(pairs.reduce((sum, value) => sum + value, 0)))} pairs`);
}

function superscript(power) {
  return [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
}
