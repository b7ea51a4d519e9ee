// The keypad in its dialog.
import { ABROAD, CHOICE, FULL, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("keypad");
const LARGE = { "360x640": 17.5, "740x360": 20.5, "1024x600": 28, "1280x800": 28 };
const { asks, turns, types, sends, ends, keypad } = states(screens, LARGE);
const MISSED = "return screens.tone() === 'warning'";

keypad("empty", asks());
keypad("with all", asks(FULL));
keypad("begun", asks(FULL, types("050")));
keypad("valid", asks(FULL, types(VALID)));
keypad("no mobile", asks(FULL, types("039999999")));
keypad("too long", asks(FULL, types("05023456789")));
keypad("a choice of languages", asks(CHOICE, types("05023456789")));
keypad("a choice of languages with all", asks({ ...FULL, ...CHOICE }, types("05023456789")));
keypad("the last of the languages", asks({ ...FULL, ...CHOICE }, turns(2)));
keypad("suggestion", asks(FULL, types(ABROAD)));
keypad("idle", asks({ ...FULL, idleSeconds: 25 }, () => screens.until(MISSED, "Nobody was ever missed.")));
keypad("sending", sends({ gateway: "hangs" }, "busy"), { stays: false });
keypad("failed", sends({ gateway: "refuses" }, "failed"), { stays: false });
keypad("sent", ends({}, "send"), { stays: false });
keypad("will be sent", ends({ gateway: "none" }, "send"), { stays: false });
keypad("printing", ends({}, "print"), { stays: false });
