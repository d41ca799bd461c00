// What all views share: preferences, the last message, what can be undone, and when the page is drawn again.

const PREFERENCES = "lookalike.preferences";

export const state = {
  about: null, // facts about the service and the result: GET /review
  message: "", // what the last action did
  isError: false,
  isBusy: false,
  undoable: [], // entries of the decisions of this visit, the latest last
  preferences: { hideScores: false, showDifferences: true, ...stored() },
};

let draw = () => {};
let isDue = false;

export function onRedraw(handler) {
  draw = handler;
}

// Draws the page once, after the current event.
export function redraw() {
  if (isDue) return;
  isDue = true;
  queueMicrotask(() => {
    isDue = false;
    draw();
  });
}

export function prefer(name, value) {
  state.preferences[name] = value;
  try {
    localStorage.setItem(PREFERENCES, JSON.stringify(state.preferences));
  } catch {
    // a browser without storage keeps the preference until the page is closed
  }
  redraw();
}

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(PREFERENCES) ?? "{}");
    return typeof found === "object" && found !== null ? found : {};
  } catch {
    return {};
  }
}

// Shows what an action did, in the bar at the bottom of the page. Screen readers read it aloud.
export function say(message, { isError = false } = {}) {
  state.message = message;
  state.isError = isError;
  redraw();
}

// Runs an action of the reader. A failure becomes a message, and a second action waits until the first has ended.
export async function act(action) {
  if (state.isBusy) return undefined;
  state.isBusy = true;
  redraw();
  try {
    return await action();
  } catch (error) {
    say(error.message, { isError: true });
    return undefined;
  } finally {
    state.isBusy = false;
    redraw();
  }
}
