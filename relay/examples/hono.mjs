// The back end in Hono.
import { backEnd, PATHS } from "./back-end.mjs";

/** Adds the routes to `app`. `tillOf` is your authentication; the other options are those of `backEnd`. */
export const addBackEnd = (app, { tillOf, ...options }) => {
  const handle = backEnd(options);
  for (const path of PATHS) {
    app.all(path, async (c) => {
      // The till proves itself with what its page's `headers` adds. Give `null` if it is none of yours.
      const till = await tillOf(c.req.header("authorization"));
      return handle(c.req.raw, till);
    });
  }
  return app;
};
