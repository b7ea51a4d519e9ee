// The way from a back end to the service, and what becomes of its answers there.
import { createServer } from "node:http";

/** On a free port of this machine. */
export async function listening(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.url = `http://127.0.0.1:${server.address().port}`;
  return server;
}

/** The way to the service. `faults`: what becomes of the next answers, by path. */
export class Way {
  calls = [];
  faults = {};

  async start(serviceUrl) {
    this.server = await listening(
      createServer(async (request, response) => {
        const { host, connection, ...headersIn } = request.headers;
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        const sent = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
        const answer = await fetch(serviceUrl + request.url, {
          method: request.method,
          headers: headersIn,
          body: sent,
        });
        const body = await answer.text();
        const { pathname } = new URL(request.url, serviceUrl);
        this.calls.push(`${request.method} ${pathname} ${answer.status}`);
        const headers = {
          "content-type": "application/json",
          "x-request-id": answer.headers.get("x-request-id"),
          "retry-after": "7",
          "set-cookie": "a=b",
        };
        const replayed = answer.headers.get("idempotent-replayed");
        if (replayed) headers["idempotent-replayed"] = replayed;
        const fault = this.faults[pathname]?.shift() ?? "none";
        ({
          none: () => response.writeHead(answer.status, headers).end(answer.status === 204 ? undefined : body),
          lost: () => response.destroy(),
          slow: () => this.server.once("close", () => response.destroy()),
          garbled: () => response.writeHead(200, headers).end(`<p>${body}`),
          empty: () => response.writeHead(200, headers).end("{}"),
          redirect: () => response.writeHead(307, { location: request.url }).end(),
        })[fault]();
      }),
    );
    this.url = this.server.url;
  }
}
