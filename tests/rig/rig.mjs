// What the browser tests talk to: connect pages of every temper, and answers that no page sees. Started by
// `cargo xtask test`: prints `ready`, and runs until its standard input ends.
import { createServer } from "node:http";
import { framePage } from "./frame.mjs";

// Counted from the page's own, because the tests run inside a page that can be told nothing.
const RIG_PORT = Number(process.env.POS_TEST_PORT) + 1;
const OTHER_PORT = RIG_PORT + 1;

const servers = [RIG_PORT, OTHER_PORT].map((port) => createServer(answer).listen(port, "127.0.0.1"));
await Promise.all(
  servers.map((server) => new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject))),
);
console.log("ready");
process.stdin.resume().once("end", () => process.exit());

function answer(request, response) {
  const url = new URL(request.url, "http://rig");
  const [, first, second] = url.pathname.split("/");
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("cache-control", "no-store");
  if (first === "frame") return framePage(second, url, response, OTHER_PORT);
  if (first === "broken") return broken(second, response);
  response.writeHead(404).end();
}

/** An answer that a browser keeps to itself. */
function broken(kind, response) {
  if (kind === "drop") return response.destroy();
  if (kind === "redirect") return response.writeHead(302, { location: "/frame/silent" }).end();
  if (kind === "hidden") response.removeHeader("access-control-allow-origin");
  const body = JSON.stringify({ success: true, integrationToken: "itk", interval: 1 });
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  if (kind !== "cut") return response.end(body);
  response.write(body.slice(0, 20), () => response.destroy());
}
