// The frame of the page: which view is shown, the bar at the top, the bar at the bottom, and the keys.

import { get, useKey } from "./api.js";
import { undo } from "./deciding.js";
import { h, render } from "./shared/dom.js";
import { legend } from "./parts/legend.js";
import { link, onArrival, route } from "./routes.js";
import { act, onRedraw, prefer, redraw, say, state } from "./state.js";
import * as cluster from "./views/cluster.js";
import * as compare from "./views/compare.js";
import * as exporting from "./views/export.js";
import * as history from "./views/history.js";
import * as queue from "./views/queue.js";
import * as rules from "./views/rules.js";
import * as search from "./views/search.js";
import * as summary from "./views/summary.js";
import * as tune from "./views/tune.js";

const VIEWS = { summary, queue, cluster, compare, rules, history, search, tune, export: exporting };

const TABS = [
  ["summary", "Summary"], ["queue", "Queue"], ["rules", "Rules"], ["history", "History"],
  ["search", "Search"], ["tune", "Tune"], ["export", "Export"],
];

const WITHIN = { cluster: "queue", compare: "queue" }; // views without a tab of their own

let isLegendOpen = false;
let problem = null; // why nothing can be shown: no key, no answer

const view = () => VIEWS[route.view] ?? summary;

function draw() {
  if (problem) {
    render(document.getElementById("app"), top(), refused());
    return;
  }
  document.title = `${view().title()} · ${state.about?.name ?? "lookalike"}`;
  render(document.getElementById("app"),
    h("a", { class: "skip", href: "#content", onclick: skipToContent }, "Skip to the content"),
    top(),
    h("div", { id: "content", key: route.view }, view().draw()),
    foot(),
    legend(isLegendOpen, toggleLegend));
}

function top() {
  const current = WITHIN[route.view] ?? route.view;
  return h("header", { class: "top" }, h("div", null,
    h("a", { class: "brand", href: link("summary"), "aria-label": "lookalike: summary" },
      h("img", { src: "/page/icon.svg", alt: "" }), h("b", null, "lookalike")),
    h("nav", { "aria-label": "Views" },
      ...TABS.map(([name, words]) => h("a", { href: link(name), "aria-current": name === current ? "page" : null }, words))),
    h("button", { class: "plain keys", onclick: toggleLegend }, "Keys", h("kbd", null, "?"))));
}

function foot() {
  const actions = view().actions?.() ?? [];
  return h("section", { class: actions.length ? "foot many" : "foot", "aria-label": "Actions" }, h("div", null,
    h("p", { class: state.isError ? "said wrong" : "said", role: "status" }, state.message),
    h("div", { class: "actions", onclick: releaseFocus },
      h("button", { onclick: undoLast, title: "Undo the last decision" }, h("span", null, "Undo"), h("kbd", null, "u")),
      ...actions)));
}

function refused() {
  const enter = (event) => {
    event.preventDefault();
    useKey(new FormData(event.target).get("key").trim());
    start();
  };
  return h("main", { class: "reading" },
    h("h1", { tabindex: "-1" }, problem.status === 401 ? "This page needs a key" : "Nothing to show"),
    h("p", { class: "lead" }, problem.status === 401
      ? "Open the address that the command lookalike serve has printed, or enter a key of the service."
      : problem.message),
    problem.status === 401
      ? h("form", { class: "row", onsubmit: enter },
        h("label", { class: "field" }, h("span", null, "Key"), h("input", { name: "key", type: "password", autocomplete: "off", required: true })),
        h("button", { class: "primary" }, "Enter"))
      : h("button", { onclick: start }, "Try again"));
}

// A button that was clicked with the mouse does not keep the focus, so that Enter always means "accept".
function releaseFocus(event) {
  if (event.detail > 0) document.activeElement?.blur();
}

async function undoLast() {
  if (view().undoLast) return view().undoLast();
  if (await undo()) await open();
  return undefined;
}

function toggleLegend() {
  isLegendOpen = !isLegendOpen;
  redraw();
}

function skipToContent(event) {
  event.preventDefault();
  document.querySelector("#content h1")?.focus();
}

const KEYS = {
  u: undoLast,
  h: () => {
    prefer("hideScores", !state.preferences.hideScores);
    say(state.preferences.hideScores ? "Scores are hidden." : "Scores are shown.");
  },
  "?": toggleLegend,
};

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector("dialog[open]")) return;
  const { target, key } = event;
  if (target.closest("textarea, select, input:not([type=checkbox], [type=radio])")) return;
  if (key === "Enter" && target.closest("a, button, summary")) return;
  if (key.startsWith("Arrow") && target.closest("input")) return;
  const action = view().keys?.[key] ?? KEYS[key];
  if (!action || problem) return;
  event.preventDefault();
  if (!event.repeat || key === "j" || key === "k") action();
}

async function open() {
  try {
    await view().open?.();
  } catch (error) {
    if (error.status === 401) problem = error;
    else say(error.message, { isError: true });
  }
  redraw();
}

async function start() {
  problem = null;
  try {
    state.about = await get("/review/summary");
    state.states = state.about.states;
  } catch (error) {
    problem = error;
  }
  draw();
  if (!problem) onArrival(arrive);
}

let hasArrived = false;

function arrive(isOtherView) {
  if (isOtherView && hasArrived) {
    scrollTo(0, 0);
    queueMicrotask(() => queueMicrotask(() => document.querySelector("#content h1")?.focus({ preventScroll: true })));
  }
  hasArrived = true;
  queueMicrotask(() => queueMicrotask(() => document.querySelector(".top [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" })));
  open();
}

onRedraw(draw);
addEventListener("keydown", press);
addEventListener("unhandledrejection", (event) => say(event.reason?.message ?? "Something went wrong.", { isError: true }));
act(start);
