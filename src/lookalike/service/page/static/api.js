// Requests to the service. The browser sends the cookie; with a key instead, it is kept until the tab is closed.

const KEY = "lookalike.key";

export class Problem extends Error {
  constructor({ detail, title, code, status }) {
    super(detail || title || "The service did not answer.");
    this.code = code;
    this.status = status;
  }
}

export async function get(path, options = {}) {
  return (await send("GET", path + query(options))).json();
}

export async function post(path, body = {}) {
  return (await send("POST", path, JSON.stringify(body), "application/json")).json();
}

// Sends the content of a file.
export async function upload(path, file, type) {
  return (await send("POST", path, file, type)).json();
}

// Returns the content that an address answers with.
export async function download(path) {
  return (await send("GET", path)).blob();
}

export function query(options) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== null && value !== undefined && value !== "") given.set(name, value);
  }
  const words = given.toString();
  return words ? `?${words}` : "";
}

export function useKey(key) {
  try {
    sessionStorage.setItem(KEY, key);
  } catch {
    // without storage, the key has to be entered again
  }
}

async function send(method, path, body = undefined, type = undefined) {
  const headers = type ? { "Content-Type": type } : {};
  const key = storedKey();
  if (key) headers.Authorization = `Bearer ${key}`;
  let answer;
  try {
    answer = await fetch(path, { method, headers, body, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw new Problem({ code: "no-answer", detail: "The service does not answer. Is it still running?" });
  }
  if (answer.ok) return answer;
  let problem = {};
  try {
    problem = await answer.json();
  } catch {
    problem = { detail: `The service answered with status ${answer.status}.` };
  }
  throw new Problem({ ...problem, status: answer.status });
}

function storedKey() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
