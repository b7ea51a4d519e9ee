// What `integrity` says of a file (W3C Subresource Integrity).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

export const integrityOf = (path) => `sha384-${createHash("sha384").update(readFileSync(path)).digest("base64")}`;

if (argv[1] === fileURLToPath(import.meta.url)) for (const path of argv.slice(2)) console.log(integrityOf(path));
