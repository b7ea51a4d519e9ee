// Every case by its name. One of them is run in a page.
import * as changed from "./changed.js";
import * as frames from "./frames.js";
import * as messages from "./messages.js";
import * as options from "./options.js";
import * as waits from "./waits.js";
import * as windows from "./windows.js";

export const cases = { ...changed, ...frames, ...messages, ...options, ...waits, ...windows };
