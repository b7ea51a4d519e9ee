// Calls of the service. Each leaves a record that holds no secret, token or number, whatever the service answers.

export const INTEGRATION = "/v1/auth/integration";
export const TOKEN = `${INTEGRATION}/token`;

const ANSWER_LIMIT_MS = 30_000;
const LARGEST_ANSWER = 1 << 20; // bytes
/** How often a call that came too soon is sent again. */
const MOST_WAITS = 5;
const SHORTEST_WAIT = 1; // s
const LONGEST_WAIT = 60; // s
/** Shorter ones are in every other word, and are no secret. */
const SHORTEST_HIDDEN = 4; // characters
const HIDDEN = "[hidden]";
const KNOWN_TYPES = [
  "application/json",
  "application/problem+json",
  "application/x-www-form-urlencoded",
  "application/xhtml+xml",
  "application/xml",
  "text/html",
  "text/plain",
  "text/xml",
];
/** Members whose words and numbers the record repeats. Of all others it has only the kind. */
const SHOWN = new Set("success status ereceipt code pickup reason interval expiresIn result parameter".split(" "));

/** A value that is sent, and what the record calls it. */
export const given = (value, name) => ({ value, name });

export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** The service does not do what the sentence says. */
export class Fault extends Error {}

export class Client {
  /** Each call so far, oldest first: what was sent, and what came. */
  exchanges = [];
  #baseUrl;
  /** Every form of every value that was sent, and of every token that came. */
  #secrets = new Set();

  constructor(baseUrl) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
  }

  /**
   * Sends one call. `query`, `headers` and `form` have values made by `given`; `json` is one, and `path` where the
   * record must not have it. A 429 is waited for, unless `isPatient` is false. Answers `{ status, headers, text, body,
   * record }`; `body` is undefined unless it is JSON.
   */
  async call(method, path, { query = {}, headers = {}, form, json, isPatient = true } = {}) {
    const target = typeof path === "string" ? given(path, path) : path;
    const sent = { ...query, ...headers, ...form, ...(json && { json }) };
    const record = { sent: `${method} ${target.name}`, with: named(sent) };
    for (const { value, name } of [target, ...Object.values(sent)]) if (value !== name) this.#keep(value);
    this.exchanges.push(record);
    const init = { method, redirect: "manual", headers: valued(headers), cache: "no-store" };
    if (form) init.body = new URLSearchParams(Object.entries(valued(form)));
    if (json) {
      init.body = JSON.stringify(json.value);
      init.headers["content-type"] ??= "application/json";
    }
    const url = `${this.#baseUrl}${target.value}${written(query)}`;
    for (let waits = 0; ; waits += 1) {
      const answer = await this.#answered(url, init, record);
      if (answer.status !== 429 || !isPatient || waits === MOST_WAITS) return answer;
      record.waited = waits + 1;
      const wished = Number(answer.headers.get("retry-after")) || 5;
      await sleep(Math.min(Math.max(wished, SHORTEST_WAIT), LONGEST_WAIT));
    }
  }

  /** Opens a page. */
  open(url, name) {
    const record = { sent: `GET ${name}`, with: {} };
    this.exchanges.push(record);
    return this.#answered(url, { headers: { accept: "text/html" } }, record);
  }

  /** The same without what was sent, and without tokens: a service may repeat them where a word is shown. */
  hidden(shown) {
    // The longest first: one may be the beginning of another.
    const secrets = [...this.#secrets].sort((one, other) => other.length - one.length);
    if (secrets.length === 0) return shown;
    const pattern = secrets.map((secret) => secret.replaceAll(/\W/g, "\\$&")).join("|");
    return replaced(shown, new RegExp(pattern, "gi"));
  }

  #keep(value) {
    const long = texts(value).filter((text) => text.length >= SHORTEST_HIDDEN);
    for (const form of long.flatMap(forms)) this.#secrets.add(form);
  }

  async #answered(url, init, record) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
      const { status, headers } = response;
      Object.assign(record, { status, type: typeOf(headers) });
      const text = await textOf(response);
      const body = read(text);
      this.#keep(tokensOf(body));
      record.came = body === undefined ? `${text.length} characters, not JSON` : shown(body);
      return { status, headers, text, body, record };
    } catch (error) {
      record.came = error instanceof Fault ? error.message : `no answer: ${error.cause?.code ?? error.name}`;
      if (error instanceof Fault) throw error;
      // Its message may hold the URL.
      return { status: 0, headers: new Headers(), text: "", body: undefined, record };
    }
  }
}

/** The body of a response, unless it is too long. */
async function textOf({ body }) {
  const chunks = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > LARGEST_ANSWER) throw new Fault("the answer is longer than 1 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The media type, if a service cannot have made it up. */
function typeOf(headers) {
  const type = headers.get("content-type")?.split(";")[0].trim().toLowerCase();
  if (!type) return "no Content-Type";
  if (KNOWN_TYPES.includes(type)) return type;
  return type.endsWith("+json") ? "another type, +json" : "another type";
}

/** All texts in a value. */
function texts(value) {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}

/** The tokens in a body, at every depth. */
function tokensOf(body) {
  if (body === null || typeof body !== "object") return [];
  const ofMember = ([name, value]) => (/token(?!_type)/i.test(name) ? texts(value) : tokensOf(value));
  return Object.entries(body).flatMap(ofMember);
}

/** A value in which `HIDDEN` stands for what the pattern finds, also in numbers and in the names of members. */
function replaced(value, pattern) {
  if (Array.isArray(value)) return value.map((one) => replaced(one, pattern));
  if (value !== null && typeof value === "object") return Object.fromEntries(replaced(Object.entries(value), pattern));
  const text = String(value).replaceAll(pattern, HIDDEN);
  return text === String(value) ? value : text;
}

/** A text, and how it looks when it is encoded. */
function forms(text) {
  const bytes = Buffer.from(text);
  const base64 = ["base64", "base64url"].map((encoding) => bytes.toString(encoding).replace(/=+$/, ""));
  const inForm = `${new URLSearchParams({ text })}`.slice("text=".length);
  return [text, encodeURIComponent(text), inForm, ...base64, bytes.toString("hex")];
}

/** A query of pairs in an object; an array has several values of one name, which stand in one text. */
function written(query) {
  const pairs = Object.entries(query).flatMap(([name, { value }]) => [value].flat().map((one) => [name, one]));
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

const valued = (fields) => Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
const named = (fields) => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.name]));

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The shape of a body, with the values that tell nothing. */
function shown(body) {
  if (body === null || typeof body !== "object" || Array.isArray(body)) return kind(body);
  const members = Object.entries(body).slice(0, 20);
  return Object.fromEntries(members.map(([name, value]) => [kept(name), SHOWN.has(name) ? word(value) : kind(value)]));
}

/** What a member is called, or a value that may be shown. */
export function word(value) {
  if (typeof value === "boolean" || (typeof value === "number" && Math.abs(value) < 1e6)) return value;
  return typeof value === "string" && /^[a-z][a-z_]{0,31}$/i.test(value) ? value : kind(value);
}

const kept = (name) => (/^[a-z][a-z_-]{0,31}$/i.test(name) ? name : "another member");

export function kind(value) {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return `a text of ${value.length} characters`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
