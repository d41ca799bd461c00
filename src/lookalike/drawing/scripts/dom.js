// Builds and updates the elements of the page.
//
// `h` describes an element, and `render` changes the elements that are there until they match the description. Elements
// that stay keep their focus, their selection and their scroll position, so nothing jumps after an action. Texts become
// text nodes: there is no way to insert markup.

const SVG = "http://www.w3.org/2000/svg";
const AS_PROPERTY = new Set(["value", "checked", "indeterminate", "open", "disabled"]);

// Describes an element. Children may be strings, numbers, descriptions, lists of them, or null and false for nothing.
// Properties are attributes, except functions (`onclick`), `style` (an object), `key` (what identifies a child among
// its siblings) and `ref` (a function that is called with the element after each change).
export function h(tag, properties, ...children) {
  return { tag, properties: properties ?? {}, children: children.flat(Infinity).filter(isSomething) };
}

function isSomething(child) {
  return child !== null && child !== undefined && child !== false && child !== true && child !== "";
}

// Makes the children of an element match the descriptions.
export function render(parent, ...children) {
  update(parent, children.flat(Infinity).filter(isSomething), parent.namespaceURI);
}

function update(parent, children, namespace) {
  const keyed = new Map();
  const others = [];
  for (const node of [...parent.childNodes]) {
    if (node.madeFrom?.properties.key !== undefined) keyed.set(node.madeFrom.properties.key, node);
    else others.push(node);
  }
  let place = parent.firstChild;
  let next = 0;
  const stays = new Set();
  for (const child of children) {
    const isText = typeof child !== "object";
    let node = null;
    if (!isText && child.properties.key !== undefined) {
      node = keyed.get(child.properties.key) ?? null;
      if (node && node.madeFrom.tag !== child.tag) node = null;
    } else {
      const candidate = others[next];
      if (candidate && fits(candidate, child, isText)) node = candidate;
      if (candidate) next += 1;
    }
    node = isText ? updateText(node, child) : updateElement(node, child, namespace);
    stays.add(node);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  for (const node of [...parent.childNodes]) if (!stays.has(node)) node.remove();
}

function fits(node, child, isText) {
  return isText ? node.nodeType === Node.TEXT_NODE : node.madeFrom?.tag === child.tag;
}

function updateText(node, words) {
  const text = String(words);
  if (!node) return document.createTextNode(text);
  if (node.data !== text) node.data = text;
  return node;
}

function updateElement(node, description, namespace) {
  const { tag, properties, children } = description;
  const own = tag === "svg" ? SVG : namespace;
  const isNew = node === null;
  const element = node ?? document.createElementNS(own, tag);
  const before = element.madeFrom?.properties ?? {};
  for (const name of Object.keys(before)) if (!(name in properties)) setProperty(element, name, null, before[name]);
  const late = [];
  for (const [name, value] of Object.entries(properties)) {
    if (name === "value" && tag === "select") late.push([name, value]);
    else setProperty(element, name, value, before[name], isNew);
  }
  element.madeFrom = description;
  update(element, children, own);
  for (const [name, value] of late) setProperty(element, name, value, before[name], isNew);
  if (properties.ref) properties.ref(element, isNew);
  return element;
}

function setProperty(element, name, value, before, isNew = false) {
  if (name === "key" || name === "ref") return;
  if (name.startsWith("on")) {
    element[name] = value ?? null;
  } else if (name === "style") {
    for (const rule of Object.keys(before ?? {})) if (!(rule in (value ?? {}))) element.style.removeProperty(rule);
    for (const [rule, words] of Object.entries(value ?? {})) element.style.setProperty(rule, words);
  } else if (AS_PROPERTY.has(name)) {
    const wanted = name === "value" ? String(value ?? "") : Boolean(value);
    if (isNew || element[name] !== wanted) element[name] = wanted;
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else if (value !== before || isNew) {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}
