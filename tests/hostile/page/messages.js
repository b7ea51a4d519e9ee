// What goes wrong says what to do.
import { time } from "./clock.js";
import * as tools from "./tools.js";

const { equal, eventually, fails, frames, load, resolves, sleep, till } = tools;

const includes = (text, ...words) => words.forEach((word) => equal(text.includes(word), true, `${word} in: ${text}`));

async function opened(extra, orders, more = {}) {
  const { PosConnect } = await load();
  const { service, options: plain } = till(extra, orders);
  const options = { ...plain, ...more };
  return { PosConnect, service, options, pos: await PosConnect.create(options) };
}

export async function a_frame_that_says_nothing_is_explained_on_the_console_once() {
  const said = [];
  console.warn = (...words) => said.push(words.join(" "));
  const { pos } = await opened();
  const began = time();
  const flow = pos.connect();
  await eventually(() => said.length > 0);
  equal(time() - began >= 8_000, true, `after ${time() - began} ms`);
  await sleep(3_000);
  equal(said.length, 1, said.join("\n"));
  includes(said[0], tools.CONNECT_URL, location.origin, "vendor add --origin");
  equal(said[0].includes("itk-"), false, "no integration token");
  pos.destroy();
  await fails(flow, "destroyed");
}

export async function who_refused_an_origin_and_which_one_it_was() {
  const refusal = { status: 403, body: { success: false, code: "origin_not_allowed" } };
  const { pos, service } = await opened({}, { create: [refusal] });
  const error = await fails(pos.connect(), "origin_not_allowed");
  includes(error.message, location.origin, `the service at ${service.origin}`);
  const { pos: till, service: relay } = await opened({}, { create: [refusal] }, { clientSecret: undefined });
  const { message } = await fails(till.connect(), "origin_not_allowed");
  includes(message, location.origin, `the relay or back end at ${relay.origin}`);
}

export async function a_base_url_with_the_path_that_calls_add() {
  const { PosConnect, options } = await opened();
  for (const end of ["/v1", "/v1/", "/api/v1"]) {
    const error = await fails(PosConnect.create({ ...options, baseUrl: options.baseUrl + end }), "invalid_option");
    includes(error.message, "baseUrl", "/v1");
  }
  await resolves(PosConnect.create({ ...options, baseUrl: `${options.baseUrl}/v1/relay` }));
}

export async function a_browser_without_dialogs_is_told_what_is_missing() {
  delete HTMLDialogElement.prototype.showModal;
  const { pos, service } = await opened();
  const error = await fails(pos.connect(), "unsupported_browser");
  includes(error.message, "showModal");
  equal(service.requests.length, 0);
}
