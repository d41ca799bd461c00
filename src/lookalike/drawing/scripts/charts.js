// Draws charts as SVG, in the same way as `drawing/canvas.py` does for reports. The shared style sheet colours both.

import { h } from "./dom.js";
import { number, short, similarity } from "./words.js";

// A drawing in progress. Positions are shares of the axes, from 0 to 1.
export class Canvas {
  constructor(width, height, { left = 46, right = 12, top = 28, bottom = 42 } = {}) {
    Object.assign(this, { width, height, left, right, top, bottom, parts: [] });
  }

  x(share) {
    return Math.round(10 * (this.left + share * (this.width - this.left - this.right))) / 10;
  }

  y(share) {
    return Math.round(10 * (this.height - this.bottom - share * (this.height - this.top - this.bottom))) / 10;
  }

  words(x, y, words, kind = "", anchor = "middle") {
    this.parts.push(h("text", { class: kind || null, x, y, "text-anchor": anchor }, String(words)));
  }

  path(points, kind, closed = false) {
    const steps = points.map(([x, y]) => `${this.x(x)},${this.y(y)}`).join(" L");
    this.parts.push(h("path", { class: kind, d: `M${steps}${closed ? " Z" : ""}` }));
  }

  line([x1, y1], [x2, y2], kind) {
    this.parts.push(h("line", { class: kind, x1, y1, x2, y2 }));
  }

  bar(x, width, share, words, kind = "bar", properties = {}) {
    const height = Math.max(this.y(0) - this.y(share), share > 0 ? 1.5 : 0);
    const place = { x: this.x(x) + 1, y: this.y(0) - height };
    const size = { width: Math.max(1, width * (this.width - this.left - this.right) - 2), height };
    const look = properties.onclick ? `${kind} can-pick` : kind;
    this.parts.push(h("rect", { class: look, ...place, ...size, ...properties }, h("title", null, words)));
  }

  below(share, words, line = 0) {
    this.words(this.x(share), this.height - this.bottom + 17 + 14 * line, words);
  }

  title(words) {
    this.words(this.x(0.5), this.height - 4, words, "title");
  }

  levels(levels) {
    for (const [share, name] of levels) {
      const y = this.y(share);
      this.line([this.left, y], [this.width - this.right, y], share ? "grid" : "base");
      this.words(this.left - 8, y + 4, name, "", "end");
    }
  }

  // Labelled lines, about four, at round whole numbers from 0 to `top`.
  counts(top) {
    const raw = top / 4;
    const unit = raw >= 1 ? 10 ** Math.floor(Math.log10(raw)) : 1;
    const step = [1, 2, 5].map((factor) => factor * unit).find((value) => value >= raw) ?? 10 * unit;
    const levels = [];
    for (let value = 0; value <= top; value += step) levels.push([value / top, short(value)]);
    this.levels(levels);
  }

  svg(words) {
    const box = { viewBox: `0 0 ${this.width} ${this.height}`, role: "img", "aria-label": words };
    return h("svg", box, ...this.parts);
  }
}

// A histogram of similarities. `edges` has one value more than `counts`; pairs of similarity 1 have their own bar.
// `threshold` is marked, and `onpick` is called with the lower edge of a bar that is clicked.
export function similarityHistogram({ edges, counts, ones = 0, threshold = null, narrow = false, onpick = null }) {
  const canvas = narrow ? new Canvas(330, 230) : new Canvas(1000, 270);
  const highest = Math.max(1, ...counts);
  const isCut = ones > 3 * highest && counts.some(Boolean);
  const top = isCut ? 1.25 * highest : Math.max(highest, ones, 1);
  canvas.counts(top);
  const wide = 1 / (counts.length + 2);
  const pick = (value) => (onpick ? { onclick: () => onpick(value) } : {});
  counts.forEach((value, i) => {
    const words = `${edges[i].toFixed(2)} – ${edges[i + 1].toFixed(2)}: ${number(value)}`;
    const isBelow = threshold !== null && edges[i + 1] <= threshold + 1e-9;
    canvas.bar(i * wide, wide, value / top, words, isBelow ? "bar below" : "bar", pick(edges[i]));
  });
  const every = Math.max(1, Math.ceil(counts.length / (narrow ? 4 : 8)));
  for (let i = 0; i < counts.length; i += every) canvas.below(i * wide, Number(edges[i].toFixed(2)));
  const middle = (counts.length + 1.25) * wide;
  canvas.bar((counts.length + 0.5) * wide, 1.5 * wide, Math.min(1, ones / top), `exactly 1: ${number(ones)}`, "bar whole", pick(1));
  canvas.below(middle, "1");
  if (isCut) {
    const half = (0.75 * wide * (canvas.width - canvas.left - canvas.right));
    canvas.line([canvas.x(middle) - half, canvas.y(0.8)], [canvas.x(middle) + half, canvas.y(0.8) - 9], "break");
  }
  if (ones) canvas.words(canvas.x(middle), canvas.y(Math.min(1, ones / top)) - 7, number(ones), "strong");
  canvas.title("similarity");
  const low = edges[0];
  const high = edges[edges.length - 1];
  if (threshold !== null && threshold > low && threshold < high) {
    const x = canvas.x(((threshold - low) / (high - low)) * counts.length * wide);
    canvas.line([x, canvas.y(0)], [x, canvas.y(1) - 8], "mark");
    canvas.words(x - 8, canvas.y(1) - 6, "threshold", "strong", "end");
  }
  const total = counts.reduce((sum, value) => sum + value, ones);
  return canvas.svg(`Histogram of ${number(total)} pairs by similarity, ${number(ones)} of them exactly 1`);
}

// Bars of labelled counts, from the left to the right. In a narrow chart, every second label is one line lower.
export function bars(rows, { title, narrow = false, words, onpick = null }) {
  const canvas = narrow ? new Canvas(330, 244, { bottom: 56 }) : new Canvas(1000, 230);
  const top = 1.1 * Math.max(1, ...rows.map((row) => row.count));
  canvas.counts(top);
  const wide = 1 / rows.length;
  rows.forEach((row, i) => {
    const pick = onpick ? { onclick: () => onpick(row) } : {};
    canvas.bar((i + 0.1) * wide, 0.8 * wide, row.count / top, `${row.name}: ${number(row.count)}`, "bar", pick);
    canvas.below((i + 0.5) * wide, row.name, narrow ? i % 2 : 0);
    if (row.count) canvas.words(canvas.x((i + 0.5) * wide), canvas.y(row.count / top) - 6, short(row.count), "strong");
  });
  canvas.title(title);
  return canvas.svg(words);
}

// The S-curve of a banding: the probability that a pair becomes a candidate, by its similarity.
export function sCurve({ bands, rows, threshold, narrow = false }) {
  const chance = (value) => 1 - (1 - value ** rows) ** bands;
  const canvas = narrow ? new Canvas(330, 250) : new Canvas(480, 320);
  canvas.levels([0, 0.25, 0.5, 0.75, 1].map((share) => [share, String(share)]));
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) canvas.below(tick, tick);
  canvas.title("similarity of a pair");
  const range = (low, high, steps) => Array.from({ length: steps + 1 }, (_, i) => low + ((high - low) * i) / steps);
  const above = range(threshold, 1, 60).map((x) => [x, chance(x)]);
  canvas.path([...above, [1, 0], [threshold, 0]], "area", true);
  canvas.path(range(0, 1, 160).map((x) => [x, chance(x)]), "line");
  const x = canvas.x(threshold);
  canvas.line([x, canvas.y(0)], [x, canvas.y(1) - 8], "mark");
  canvas.parts.push(h("circle", { class: "dot", cx: x, cy: canvas.y(chance(threshold)), r: 4.5 }));
  const [side, anchor] = threshold > 0.45 ? [-8, "end"] : [8, "start"];
  canvas.words(x + side, canvas.y(1) - 11, `at ${threshold}: ${similarity(chance(threshold))}`, "strong", anchor);
  return canvas.svg(`S-curve of ${bands} bands of ${rows} rows: ${similarity(chance(threshold))} at ${threshold}`);
}

// The members of a cluster in a circle, and the similarities between them. `survivor` and `current` are positions.
// Lines are thicker for more similar pairs; dashed lines are below the threshold.
export function graph({ names, edges, survivor, current, threshold, isHidden, onpick }) {
  const width = 300;
  const isPair = names.length === 2; // side by side
  const height = isPair ? 60 : width - 30;
  const radius = 112;
  const place = names.map((_, i) => {
    const angle = isPair ? Math.PI * (1 + i) : -Math.PI / 2 + (2 * Math.PI * i) / names.length;
    return [width / 2 + radius * Math.cos(angle), height / 2 + radius * Math.sin(angle)].map((at) => Math.round(10 * at) / 10);
  });
  const lines = edges.map(([a, b, value]) => {
    const isBelow = !isHidden && value < threshold;
    const isOfCurrent = a === current || b === current;
    const thickness = isHidden ? 1.5 : 0.8 + 3.4 * Math.max(0, (value - 0.3) / 0.7) ** 2;
    const [[x1, y1], [x2, y2]] = [place[a], place[b]];
    const kind = `edge${isBelow ? " below" : ""}${isOfCurrent ? " current" : ""}`;
    const title = `${names[a]} and ${names[b]}${isHidden ? "" : `: ${similarity(value)}`}`;
    return h("line", { class: kind, x1, y1, x2, y2, "stroke-width": thickness.toFixed(2) }, h("title", null, title));
  });
  const nodes = names.map((name, i) => {
    const [cx, cy] = place[i];
    const kind = `node${i === survivor ? " survivor" : ""}${i === current ? " current" : ""}`;
    return h("g", { class: kind, onclick: () => onpick(i) },
      h("title", null, name),
      h("circle", { cx, cy, r: names.length > 24 ? 8 : 13 }),
      h("text", { x: cx, y: cy + 4.5, "text-anchor": "middle" }, String(i + 1)));
  });
  const least = edges.length ? Math.min(...edges.map((edge) => edge[2])) : null;
  const words = `Graph of ${number(names.length)} documents` +
    (isHidden || least === null ? "" : `; the least similar pair has a similarity of ${similarity(least)}`);
  return h("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words, class: "graph" }, ...lines, ...nodes);
}
