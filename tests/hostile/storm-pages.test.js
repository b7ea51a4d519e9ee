// @engines chromium: what these pages bring along is script, and the bare page's storm has what differs in an engine
// The same storms in pages that have changed what the package stands on.
import { stormsIn } from "./storm.js";

for (const page of ["zone", "lockdown", "polluted", "trusted"]) stormsIn(page);
