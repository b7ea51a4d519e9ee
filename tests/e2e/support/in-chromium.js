import { test } from "node:test";
import { engine } from "./environment.js";

/** A test of a page's own code, whose calls other tests make in each engine. */
export const testInChromium = engine() === "chromium" ? test : () => {};
