// Formats numbers, sizes, times and names for people.

const WHOLE = new Intl.NumberFormat("en");

export function number(value) {
  return WHOLE.format(value);
}

// A count with its noun, in the plural unless the count is 1.
export function count(value, noun, plural = `${noun}s`) {
  return `${number(value)} ${value === 1 ? noun : plural}`;
}

// A similarity. It is never rounded up to 1, because 1 means that all shingles are the same.
export function similarity(value, places = 3) {
  if (value === null || value === undefined) return "–";
  const words = value.toFixed(places);
  return value < 1 && Number(words) === 1 ? (1 - 10 ** -places).toFixed(places) : words;
}

export function percent(value) {
  const words = (100 * value).toFixed(value < 0.1 ? 2 : 1);
  return `${value < 1 && Number(words) === 100 ? "99.9" : words} %`;
}

export function bytes(value) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let unit = 0;
  let size = value;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return unit === 0 ? count(value, "byte") : `${size < 10 ? size.toFixed(1) : number(Math.round(size))} ${units[unit]}`;
}

// A count in short form for axes: 950, 1.5k, 12k, 3M.
export function short(value) {
  for (const [size, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= 10 * size || (value >= size && value % (size / 10) === 0)) {
      return `${Number((value / size).toPrecision(3))}${letter}`;
    }
  }
  return number(value);
}

// A time of the past, in local time.
export function time(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso ?? "");
  const sameDay = at.toDateString() === new Date().toDateString();
  const clock = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return sameDay ? clock : `${at.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" })}, ${clock}`;
}

// Shortens a long name by leaving out its middle: paths differ at the end, and other names at the start.
export function shorten(name, most = 60) {
  const letters = [...String(name)];
  const half = Math.floor(most / 2);
  return letters.length <= most ? letters.join("") : `${letters.slice(0, half).join("")}…${letters.slice(-half).join("")}`;
}
