import { http, passthrough } from "msw";
import { setupWorker } from "msw/browser";

await setupWorker(http.all("*", () => passthrough())).start({ quiet: true });
