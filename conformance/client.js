// Calls of the service. Each leaves a record that holds no secret, token or number, whatever the service answers.

export const INTEGRATION = "/v1/auth/integration";
export const TOKEN = `${INTEGRATION}/token`;

const ANSWER_LIMIT_MS = 30_000;
/** How often a call that came too soon is sent again. */
const MOST_WAITS = 5;
const LONGEST_WAIT = 60; // s
/** Members whose words and numbers the record repeats. Of all others it has only the kind. */
const SHOWN = new Set("success status ereceipt code pickup reason interval expiresIn result parameter".split(" "));

/** A value that is sent, and what the record calls it. */
export const given = (value, name) => ({ value, name });

export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

export class Client {
  /** Each call so far, oldest first: what was sent, and what came. */
  exchanges = [];
  #baseUrl;

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
    this.exchanges.push(record);
    const init = { method, redirect: "manual", headers: valued(headers), cache: "no-store" };
    if (form) init.body = new URLSearchParams(Object.entries(valued(form)));
    if (json) {
      init.body = JSON.stringify(json.value);
      init.headers["content-type"] ??= "application/json";
    }
    const url = `${this.#baseUrl}${target.value}${written(query)}`;
    for (let waits = 0; ; waits += 1) {
      const answer = await answered(url, init, record);
      if (answer.status !== 429 || !isPatient || waits === MOST_WAITS) return answer;
      record.waited = waits + 1;
      await sleep(Math.min(Number(answer.headers.get("retry-after")) || 5, LONGEST_WAIT));
    }
  }

  /** Opens a page. */
  open(url, name) {
    const record = { sent: `GET ${name}`, with: {} };
    this.exchanges.push(record);
    return answered(url, { headers: { accept: "text/html" } }, record);
  }
}

async function answered(url, init, record) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    const { status, headers } = response;
    const text = await response.text();
    const body = read(text);
    const came = body === undefined ? `${text.length} characters, not JSON` : shown(body);
    const type = /^[\w.+/-]{1,60}/.exec(headers.get("content-type") ?? "")?.[0] ?? "no Content-Type";
    Object.assign(record, { status, type, came });
    return { status, headers, text, body, record };
  } catch (error) {
    // Its message may hold the URL.
    record.came = `no answer: ${error.cause?.code ?? error.name}`;
    return { status: 0, headers: new Headers(), text: "", body: undefined, record };
  }
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
