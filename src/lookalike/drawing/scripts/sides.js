// Two texts side by side. What only one of them has is marked; what both have is quiet, and long shared parts are folded.

import { h } from "./dom.js";
import { number, shorten } from "./words.js";

const LONG = 420; // characters of a shared part that is folded
const ENDS = 140; // characters that are shown at each end of it

const opened = new Set(); // folds that the reader has opened

// `notes` are words about each side, such as "survives". `place` distinguishes this comparison from others of the page for
// screen readers. `redraw` is called when the reader opens a fold.
export function sideBySide(found, { notes = ["", ""], onlyDifferences = false, place = "", redraw }) {
  const name = `${found.a.row} ${found.b.row}`;
  return h("div", { class: "sides" },
    ...[found.a, found.b].map((side, i) =>
      h("section", { class: "side", "aria-label": `${i === 0 ? "Left" : "Right"} document${place}` },
        h("header", null,
          h("span", { class: "id", title: side.id }, shorten(side.id, 80)),
          notes[i] && h("span", { class: i === 0 ? "chip good" : "chip" }, notes[i])),
        h("div", { class: found.is_code ? "text code" : "text", dir: "auto", tabindex: "0", role: "region", "aria-label": `Text of ${side.id}${place}` },
          ...text(side, `${name} ${i}`, onlyDifferences, redraw),
          side.cut && h("p", { class: "small" }, "This text is long. Only its beginning is shown.")))));
}

function text(side, name, onlyDifferences, redraw) {
  const last = side.pieces.length - 1;
  return side.pieces.flatMap((piece, i) => {
    if (piece.gap) return [h("span", { class: "gap" }, `… ${piece.gap} …`)];
    if (!piece.shared) return marked(piece.text);
    const ends = onlyDifferences ? 30 : ENDS;
    const fold = `${name} ${i}`;
    if (opened.has(fold) || piece.text.length <= (onlyDifferences ? 100 : LONG)) return [h("span", { class: "shared" }, piece.text)];
    const head = i === 0 && onlyDifferences ? "" : start(piece.text, ends);
    const tail = i === last && onlyDifferences ? "" : end(piece.text, ends);
    const open = () => {
      opened.add(fold);
      redraw();
    };
    const left = piece.text.length - head.length - tail.length;
    const words = `${number(left)} characters in both`;
    return [
      h("span", { class: "shared" }, head),
      h("button", { class: "fold", onclick: open, "aria-label": `Show ${words}` }, `… ${words} …`),
      h("span", { class: "shared" }, tail),
    ];
  });
}

// Marks what only one text has, without the white space around it.
function marked(words) {
  const own = words.trim();
  const before = words.slice(0, words.length - words.trimStart().length);
  const after = own ? words.slice(words.trimEnd().length) : "";
  return [before && h("span", { class: "shared" }, before), own && h("mark", null, own), after && h("span", { class: "shared" }, after)];
}

// The first and last characters of a text, without half of a word (unless it is long) or of a pair of surrogates.
function start(text, most) {
  return text.slice(0, most).replace(/(?<=\s)\S{1,40}$/, "").replace(/[\ud800-\udbff]$/, "");
}

function end(text, most) {
  return text.slice(-most).replace(/^\S{1,40}(?=\s)/, "").replace(/^[\udc00-\udfff]/, "");
}
