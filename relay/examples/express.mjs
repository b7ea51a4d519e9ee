// The back end in Express 5.
import { backEnd, PATHS } from "./back-end.mjs";

/** Adds the routes to `app`. `tillOf` is your authentication; the other options are those of `backEnd`. */
export const addBackEnd = (app, { tillOf, ...options }) => {
  const handle = backEnd(options);
  app.all(PATHS, async (req, res) => {
    // The till proves itself with what its page's `headers` adds. Give `null` if it is none of yours.
    const till = await tillOf(req.get("authorization"));
    const origin = req.get("origin");
    const url = new URL(req.originalUrl, "http://localhost"); // the handler looks at the path and the query only
    const response = await handle(new Request(url, { method: req.method, headers: origin ? { origin } : {} }), till);
    // Not `res.send`, which changes the content type and adds an ETag.
    res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  return app;
};
