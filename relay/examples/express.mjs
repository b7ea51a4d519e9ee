// The back end as a route of Express 5: app.all("/v1/auth/*path", expressRoute({ tillOf, … })).
import { backEnd } from "./back-end.mjs";

/** `tillOf` gives the till that a request comes from, by its own key or session; nothing if it is none of yours. */
export function expressRoute({ tillOf, ...options }) {
  const handle = backEnd(options);
  return async (request, response) => {
    const till = await tillOf(request);
    if (!till) return response.status(401).json({ success: false, code: "invalid_till" });
    // Only the path and the query of this address are read.
    const url = new URL(request.originalUrl, "http://back-end");
    const answer = await handle(new Request(url, { method: request.method }), till);
    response.status(answer.status).set(Object.fromEntries(answer.headers));
    response.end(await answer.text());
  };
}
