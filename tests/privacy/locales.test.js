// @engines chromium: a language changes texts, an engine changes what is left; privacy.test.js has `en` in all of them
// The same in the other languages of the keypad.
import { matrixIn } from "./site.js";

for (const locale of ["he", "ar", "es"]) matrixIn(locale);
