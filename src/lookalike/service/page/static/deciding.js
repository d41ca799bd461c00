// Decisions: each is sent at once, is on the disk when the service answers, and can be undone.

import { get, post } from "./api.js";
import { forget } from "./clusters.js";
import { renew } from "./queue.js";
import { act, say, state } from "./state.js";

const DID = {
  accept: "Accepted",
  distinct: "Marked as not duplicates",
  exclude: "Excluded",
  skip: "Skipped",
};

// Sends one decision. Returns the answer, or undefined if it failed or another is still being sent.
export function decide(body, name) {
  return act(async () => {
    const answer = await post("/review/decisions", body);
    took(answer);
    say(`${DID[body.action]}: ${name}.`);
    return answer;
  });
}

// Takes back the exclusion of a member: undoes the step that excluded it.
export async function include(key, id) {
  const found = await act(() => get("/review/history", { limit: 200 }));
  const step = found?.steps.find((one) => one.action === "exclude" && one.can_undo && one.first.some((first) => first.key === key && first.id === id));
  if (step) return undo(step.step);
  if (found) say("This document was excluded by another step. Undo that step in the history.", { isError: true });
  return undefined;
}

// Notes a step that can be undone, and what it changed.
export function took(answer) {
  if (answer.step) state.undoable.push(answer.step);
  if (answer.states) state.states = answer.states;
  if (answer.cluster) {
    renew([answer.cluster]);
    forget([answer.cluster.key]);
  } else {
    forget();
  }
}

// Undoes a step; by default, the latest that is not undone. Returns the answer.
export function undo(step = undefined) {
  return act(async () => {
    const last = step ?? state.undoable.at(-1);
    state.undoable = state.undoable.filter((other) => other !== last);
    const answer = await post("/review/undo", last ? { step: last } : {});
    if (answer.states) state.states = answer.states;
    renew(answer.clusters);
    forget();
    const { action, documents } = answer.undone;
    say(`Undone: ${WORDS[action] ?? action}, ${documents === 1 ? "1 document" : `${documents} documents`}.`);
    return answer;
  });
}

export const WORDS = {
  accept: "Accepted",
  distinct: "Not duplicates",
  exclude: "Excluded",
  skip: "Skipped",
  undo: "Undo",
  "bulk-accept": "Accepted several clusters",
  "bulk-distinct": "Several clusters are not duplicates",
  "bulk-skip": "Skipped several clusters",
  import: "Imported decisions",
  rules: "Survivor rules",
  other: "Decision",
};

export const STATES = { open: "open", accepted: "accepted", distinct: "not duplicates", skipped: "skipped" };

export const REASONS = { "least-similar": "a dissimilar pair", sparse: "few similar pairs", large: "unusually large" };
