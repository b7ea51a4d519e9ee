// @tier first
// @engines chromium: what is read of an object is the language's, and the same in all of them
// What frameworks, stores and lazy objects hand over as options.
import { casesOf } from "./cases.js";

await casesOf("options.js");
