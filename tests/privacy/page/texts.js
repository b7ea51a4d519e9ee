// Every text in a value, however deep.

const DEEPEST = 5;

/** Texts, and what numbers and bytes look like as texts; of a node what it says and carries. */
export function texts(value, depth = 0, seen = new Set()) {
  if (typeof value === "function" || value === null || value === undefined) return [];
  if (typeof value !== "object") return [String(value)];
  if (depth > DEEPEST || seen.has(value)) return [];
  seen.add(value);
  if (value instanceof Node) return ofNode(value);
  const deeper = (inner) => texts(inner, depth + 1, seen);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return ofBytes(value);
  if (value instanceof Map || value instanceof Set || value instanceof Headers) return [...value].flatMap(deeper);
  // An error's own members are not enumerable.
  const names = value instanceof Error ? ["name", "message", "stack", "cause", "code"] : [];
  const members = [...names, ...Reflect.ownKeys(value)];
  return members.flatMap((name) => [String(name), ...deeper(read(value, name))]);
}

/** A member, unless reading it throws. */
export function read(object, name) {
  try {
    return object[name];
  } catch {
    return undefined;
  }
}

function ofBytes(value) {
  const bytes = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
  return ["utf-8", "utf-16le"].map((label) => new TextDecoder(label).decode(bytes));
}

/** What a node itself says. */
export const ofOne = (node) => [...ofAttributes(node), ...(typeof node.data === "string" ? [node.data] : [])];

/** A node and all in it, shadow roots included. */
export function ofNode(node) {
  const found = [...ofOne(node), ...ofSheets(node)];
  if (node.shadowRoot) found.push(...ofNode(node.shadowRoot));
  for (const child of node.childNodes) found.push(...ofNode(child));
  return found;
}

/** What an element carries: attributes, the values of fields, and whatever a script has put on it. */
export function ofAttributes(node) {
  const found = [];
  for (const attribute of node.attributes ?? []) found.push(attribute.value);
  for (const name of ["value", "defaultValue", "placeholder", "title"]) {
    if (name in node) found.push(String(read(node, name)));
  }
  for (const name of Reflect.ownKeys(node)) {
    const value = read(node, name);
    if (typeof value === "string") found.push(value);
  }
  return found;
}

function ofSheets(node) {
  const sheets = [...(node.adoptedStyleSheets ?? []), ...(node.styleSheets ?? [])];
  return sheets.flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText));
}
