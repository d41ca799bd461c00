// Which view the address shows. Views are addressed after "#", so that the server sees no ids in its log.

import { redraw } from "./state.js";

export const route = { view: "summary", parts: [], options: new Map() };

// Returns the address of a view: link("cluster", ["a b"], {by: "size"}) is "#/cluster/a%20b?by=size".
export function link(view, parts = [], options = {}) {
  const path = [view, ...parts.map(encode)].join("/");
  const given = Object.entries(options).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const query = given.map(([name, value]) => `${name}=${encode(value)}`).join("&");
  return `#/${path}${query ? `?${query}` : ""}`;
}

export function go(view, parts = [], options = {}, { replace = false } = {}) {
  const address = link(view, parts, options);
  if (location.hash === address) return;
  if (replace) {
    history.replaceState(null, "", address);
    read();
  } else {
    location.hash = address;
  }
}

let arrive = () => {};

export function onArrival(handler) {
  arrive = handler;
  addEventListener("hashchange", read);
  read();
}

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...parts] = path.split("/");
  const before = route.view;
  route.view = view || "summary";
  route.parts = parts.map(decode);
  route.options = new Map(query.split("&").filter(Boolean).map((pair) => pair.split("=", 2).map(decode)));
  arrive(before !== route.view);
  redraw();
}

// A lone surrogate cannot be encoded.
function encode(value) {
  return encodeURIComponent(String(value).replace(/\p{Surrogate}/gu, "\ufffd"));
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
