// Routers, portals and people who close: the frame goes, and the till goes on.
import * as tools from "./tools.js";

const { consent, equal, eventually, fails, frames, load, resolves, sleep, stillPending, till } = tools;

function box(parent = document.body) {
  const element = document.createElement("div");
  parent.append(element);
  return element;
}

async function opened(extra, orders) {
  const { PosConnect } = await load();
  const { service, options } = till(extra, orders);
  return { PosConnect, service, options, pos: await PosConnect.create(options) };
}

const created = (service) => service.requests.filter(({ operation }) => operation === "create").length;
/** One frame, whose integration is kept: the page in it is loaded only then. */
const isShown = () => frames().length === 1 && frames()[0].src.includes("integration_token");
const closeButton = () => document.querySelector(".pos-connect-close");

export async function a_container_that_the_page_removes_closes_the_flow() {
  const { pos, service } = await opened();
  const first = box();
  const flow = pos.connect({ container: first });
  await eventually(isShown);
  first.remove();
  await fails(flow, "closed");
  const second = box();
  const again = pos.connect({ container: second });
  await eventually(() => second.querySelector("iframe"));
  await consent(service);
  equal((await resolves(again)).accessToken.length > 0, true);
  equal(created(service), 1, "the same integration");
  equal(frames().length, 0);
}

export async function a_dialog_that_the_page_removes_closes_the_flow() {
  const { pos, service } = await opened();
  const flow = pos.connect();
  await eventually(isShown);
  document.body.replaceChildren();
  await fails(flow, "closed");
  const again = pos.connect();
  await consent(service);
  await resolves(again);
}

export async function a_frame_that_the_page_removes_has_ended() {
  const { pos } = await opened();
  const integration = await pos.createIntegration();
  const container = box();
  const frame = integration.mountFrame(container);
  container.remove();
  equal(await resolves(frame.ended), "closed");
  const other = box();
  equal(integration.mountFrame(other).element.parentElement, other);
  pos.destroy();
}

export async function a_frame_that_the_pages_own_policy_blocks_is_said_to_be() {
  const policy = Object.assign(document.createElement("meta"), { content: "frame-src 'none'" });
  policy.httpEquiv = "Content-Security-Policy";
  document.head.append(policy);
  const { pos } = await opened();
  const integration = await pos.createIntegration();
  const waiting = integration.waitUntilDone();
  const frame = integration.mountFrame();
  await fails(waiting, "csp_blocked");
  equal(await resolves(frame.ended), "failed");
  await fails(pos.connect(), "csp_blocked");
  equal(frames().length, 0);
}

export async function a_container_that_is_moved_keeps_its_frame() {
  const { pos, service } = await opened();
  const [first, portal] = [box(), box()];
  const flow = pos.connect({ container: first });
  await eventually(() => frames().length === 1);
  first.remove();
  await sleep(100);
  portal.append(first);
  await stillPending(flow, 1_500);
  await consent(service);
  await resolves(flow);
}

export async function mounting_elsewhere_moves_the_frame() {
  const { pos } = await opened();
  const integration = await pos.createIntegration();
  const [first, second] = [box(), box()];
  const frame = integration.mountFrame(first);
  equal(integration.mountFrame(second), frame, "the same frame");
  equal(frame.element.parentElement, second);
  first.remove();
  await stillPending(frame.ended, 1_500);
  equal(frames().length, 1);
  pos.destroy();
}

export async function connecting_elsewhere_moves_the_frame() {
  const { pos, service } = await opened();
  const [first, second] = [box(), box()];
  const flow = pos.connect({ container: first });
  await eventually(() => first.querySelector("iframe"));
  const joined = pos.connect({ container: second });
  await eventually(() => second.querySelector("iframe"));
  first.remove();
  await sleep(1200);
  await consent(service);
  equal(await resolves(flow), await resolves(joined), "one set");
  equal(created(service), 1);
}

export async function connecting_again_while_the_closed_flow_still_asks() {
  const { pos, service } = await opened({}, { status: [{}, { delayMs: 4000 }] });
  const flow = pos.connect();
  await eventually(() => frames().length === 1 && service.requests.some(({ operation }) => operation === "status"));
  closeButton().click();
  equal(frames().length, 0);
  await sleep(100);
  const again = pos.connect();
  await sleep(200);
  equal(frames().length, 1, "there is a dialog at once");
  await fails(flow, "closed");
  await consent(service);
  await resolves(again);
  equal(created(service), 1);
}

export async function a_joining_connect_checks_its_options() {
  const { pos } = await opened();
  const flow = pos.connect();
  await fails(pos.connect({ zzz: 1 }), "invalid_option");
  await stillPending(flow, 100);
  pos.destroy();
  await fails(flow, "destroyed");
}

export async function tokens_that_are_here_do_not_stand_in_for_a_new_consent() {
  const { pos, service } = await opened();
  const flow = pos.connect();
  await consent(service);
  const tokens = await resolves(flow);
  const again = pos.connect();
  await eventually(() => frames().length === 1 && created(service) === 2);
  service.decide("finished");
  equal((await resolves(again)).accessToken === tokens.accessToken, false);
}

export async function what_the_page_has_resumed_and_shows_is_shown_once() {
  const { PosConnect, pos, service, options } = await opened();
  const flow = pos.connect();
  await eventually(isShown);
  pos.destroy();
  await fails(flow, "destroyed");
  const next = await PosConnect.create(options);
  const left = await next.resume();
  const own = left.mountFrame(box());
  const again = next.connect();
  await eventually(() => created(service) === 2 && frames().length === 2);
  equal(frames().filter(({ src }) => src.includes(left.integrationToken)).length, 1);
  next.destroy();
  equal(await resolves(own.ended), "closed");
  await fails(again, "destroyed");
  equal(frames().length, 0);
}

export async function a_pick_up_whose_answer_never_came_does_not_block_connect() {
  const { PosConnect, pos, service, options } = await opened(
    {},
    { token: [{ fault: "hang" }, { status: 403 }, { status: 403 }] },
  );
  const integration = await pos.createIntegration();
  service.decide("finished");
  integration.fetchTokens().catch(() => {});
  await eventually(() => service.requests.some(({ operation }) => operation === "token"));
  pos.destroy();
  const next = await PosConnect.create({ ...options });
  const flow = next.connect();
  await eventually(() => frames().length === 1 && created(service) === 2);
  next.destroy();
  await fails(flow, "destroyed");
}

export async function what_the_page_shows_itself_is_not_taken_by_connect() {
  const { pos, service } = await opened();
  const integration = await pos.createIntegration();
  const flow = pos.connect();
  await eventually(() => frames().length === 1 && created(service) === 2);
  equal(frames()[0].src.includes(integration.integrationToken), false);
  pos.destroy();
  await fails(flow, "destroyed");
}
