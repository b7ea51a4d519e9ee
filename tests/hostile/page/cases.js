// Every case by its name. One of them is run in a page.
import * as frames from "./frames.js";
import * as pollution from "./pollution.js";

export const cases = { ...frames, ...pollution };
