// @tier first
// @engines chromium: only its driver sets the size of the browser's text
// What a shopper and a merchant see first: the keypad that asks, and the connect page before and after the sign-in.
import * as connect from "./support/connect.js";
import { FULL, LARGE, states, VALID } from "./support/keypad.js";
import { stage } from "./support/stage.js";

const screens = stage("first");
const { asks, types, keypad } = states(screens, LARGE);
const { page, opens, consents } = connect.states(screens);

keypad("with all", asks(FULL));
keypad("valid", asks(FULL, types(VALID)));
page("sign-in", opens, connect.SIGN_IN);
page("consent", consents, connect.CONSENT);
