// @tier first
// @engines chromium: what is read of an object is the language's, and what is said of a fault the package's own
// What frameworks, stores and lazy objects hand over as options; what a page is told of its faults.
import { casesOf } from "./cases.js";

await casesOf("options.js", "messages.js");
