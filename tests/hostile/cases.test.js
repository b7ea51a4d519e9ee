// The package as it is installed, in pages that do to it what real pages, their libraries and their users do.
import { casesOf } from "./cases.js";

await casesOf("changed.js", "frames.js", "waits.js", "windows.js");
