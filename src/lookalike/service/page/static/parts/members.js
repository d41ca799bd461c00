// The members of a cluster: a tick says that a document is a duplicate of the others, and one of them survives.

import { h } from "../shared/dom.js";
import { score } from "./sides.js";
import { count, shorten } from "../shared/words.js";

export function members({ found, shown, ...handlers }) {
  const measured = similarities(found, shown.survivor);
  return h("ol", { class: "members", "aria-label": "Members" },
    ...found.members.slice(0, shown.most).map((member, i) => row({ ...member, similarity: measured(member, i) }, i, { shown, ...handlers })));
}

// Returns a function that looks up the similarity of a member to the survivor that the reader has chosen.
function similarities(found, survivor) {
  const at = found.members.findIndex((member) => member.row === survivor);
  if (at < 0 || found.members[at].is_survivor) return (member) => member.similarity;
  const known = new Map(found.pairs.filter((pair) => pair[0] === at || pair[1] === at).map(([a, b, value]) => [a === at ? b : a, value]));
  return (member, i) => known.get(i) ?? null;
}

function row(member, i, { shown, canDecide, onchoose, onlook, onexclude }) {
  const isSurvivor = member.row === shown.survivor;
  const isCurrent = member.row === shown.current;
  const name = shorten(member.id, 70);
  const kind = ["member", isSurvivor && "survivor", isCurrent && "current", member.excluded && "excluded"].filter(Boolean).join(" ");
  return h("li", { key: member.row, class: kind },
    h("span", { class: "place", "aria-hidden": "true" }, i < 9 ? h("kbd", null, i + 1) : i + 1),
    h("input", {
      type: "checkbox", checked: !member.excluded, disabled: !canDecide, "aria-label": `${name} is a duplicate`,
      title: member.excluded ? "Include it again" : "Exclude this document from the cluster (e)",
      onchange: () => onexclude(member.row),
    }),
    h("div", { class: "what" },
      h("button", { class: "name id", onclick: () => onlook(member.row), disabled: isSurvivor, "aria-pressed": String(isCurrent), title: "Show what differs" }, name),
      member.excerpt && h("p", { class: "excerpt", dir: "auto" }, member.excerpt)),
    h("span", { class: "measure" },
      member.excluded ? h("span", { class: "chip" }, "excluded") : isSurvivor ? h("span", { class: "chip good" }, "survives") : score(member.similarity),
      member.characters !== null && h("span", { class: "small number" }, count(member.characters, "character"))),
    h("label", { class: "choose" },
      h("input", { type: "radio", name: "survivor", checked: isSurvivor, disabled: !canDecide, onchange: () => onchoose(member.row), "aria-label": `${name} survives` }),
      h("span", null, "keep")));
}
