// Connect pages of every temper, for the frame tests.

const HTML = { "content-type": "text/html; charset=utf-8" };

/**
 * Answers `/frame/<kind>`; `messages` in the query is a JSON list that the talking ones post, in order. Another origin
 * is at `otherPort`.
 */
export function framePage(kind, url, response, otherPort) {
  const messages = url.searchParams.get("messages") ?? "[]";
  switch (kind) {
    case "never":
      return; // Held open until the browser gives up.
    case "broken":
      return response.writeHead(500, HTML).end("<p>broken</p>");
    case "refused":
      return response
        .writeHead(200, { ...HTML, "content-security-policy": "frame-ancestors 'none'" })
        .end("<p>refused</p>");
    case "silent":
      return response.writeHead(200, HTML).end("<p>silent</p>");
    case "elsewhere": {
      const target = new URL(url);
      target.host = `127.0.0.1:${otherPort}`;
      target.pathname = "/frame/unasked";
      return response.writeHead(302, { location: target.href }).end();
    }
    case "answers": // Waits for hello, as the real page does.
      return response.writeHead(200, HTML).end(
        script(`
        addEventListener("message", (event) => {
          if (event.data?.posConnect !== 1 || event.data.type !== "hello") return;
          for (const message of ${messages}) event.source.postMessage(message, event.origin);
        });`),
      );
    case "unasked": // Talks to whoever embeds it.
      return response
        .writeHead(200, HTML)
        .end(script(`for (const message of ${messages}) parent.postMessage(message, "*");`));
    default:
      return response.writeHead(404, HTML).end();
  }
}

function script(code) {
  return `<!doctype html><p>frame</p><script>${code.replaceAll("</", "<\\/")}</script>`;
}
