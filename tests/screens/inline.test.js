// The keypad in a page.
import { ABROAD, FULL, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("inline");
const { asks, types, ends, keypad } = states(screens);
const INLINE = { inline: true, ...FULL };

keypad("empty", asks({ inline: true }));
keypad("with all", asks(INLINE));
keypad("valid", asks(INLINE, types(VALID)));
keypad("suggestion", asks(INLINE, types(ABROAD)));
keypad("sent", ends({ inline: true }, "send"), { stays: false });
