// The back end as a route of Hono: app.all("/v1/auth/*", honoRoute({ tillOf, … })).
import { backEnd } from "./back-end.mjs";

/** `tillOf` gives the till that a request comes from, by its own key or session; nothing if it is none of yours. */
export function honoRoute({ tillOf, ...options }) {
  const handle = backEnd(options);
  return async (context) => {
    const till = await tillOf(context.req);
    if (!till) return context.json({ success: false, code: "invalid_till" }, 401);
    return handle(context.req.raw, till);
  };
}
