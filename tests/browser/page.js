// What the tests need from the rig, and from the pages that it serves.

// The next port after this page's.
const RIG = `http://127.0.0.1:${Number(location.port) + 1}`;

export const rigUrl = () => RIG;

export async function rig(path) {
  const response = await fetch(RIG + path);
  if (!response.ok) throw new Error(`rig ${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

/** Embeds another page of the rig's, beside any frame of the SDK's. */
export function bystander(url) {
  const frame = document.createElement("iframe");
  frame.src = url;
  document.body.append(frame);
  return frame;
}

let heard = 0;
window.addEventListener("message", () => (heard += 1));

/** How many messages have arrived in the page. */
export const messages = () => heard;

/** A message that costs nothing to send and, read carelessly, for ever to read. */
export function postHuge() {
  const huge = [];
  huge.length = 4e8; // WebKit goes through all of it to send it, too: more would take it a minute.
  window.postMessage({ posConnect: huge, type: huge }, "*");
}
