// A keypad for a real keyboard's keys, whose events no script makes: webdriver presses them.
import { skip, until } from "./clock.js";
import { holds } from "./digits.js";
import { sorted, typeOf } from "./exceptions.js";
import * as hands from "./hands.js";
import { OPTIONS } from "./matrix.js";
import * as places from "./places.js";
import { forget } from "./recorders.js";

export async function hardware(sdk) {
  const number = places.freshNumber();
  const till = await sdk.PosConnect.create({ ...OPTIONS, ereceipt: true });
  till.receiptFor({ orderId: "A", region: "IL" });
  await until(() => hands.root() !== undefined, "the keypad is shown");
  // At a person's pace by the page's clock, too: while that stands still, all keys come at once, as a scanner's do.
  addEventListener("keydown", () => void skip(60), true);
  forget();
  globalThis.hardware = { typed: () => number.typed, look: () => JSON.stringify(look(number)) };
  return {};
}

/** While the number is shown: in the keypad's own texts it has to be. */
function look(number) {
  const root = hands.root();
  const recorded = places.atOnce(number).filter(({ place }) => place !== "DOM");
  const { leaks, hardware } = sorted([...recorded, ...places.outsideKeypad(number, root)]);
  const types = [...new Set(hardware.map(typeOf))].sort();
  return { isShown: holds(hands.text("display"), number), leaks, types };
}
