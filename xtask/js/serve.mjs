// Serves a folder on this machine until it is stopped.
import { serve } from "../../tests/package/site.js";

const { url } = await serve(process.argv[2]);
console.log(`demo: open ${url}`);
