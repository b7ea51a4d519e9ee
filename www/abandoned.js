// What somebody leaves in a kiosk's order, and the language, are not the next shopper's: the kiosk asks, and clears
// both.
import { say, speakOwn } from "./language.js";
import { ask } from "./question.js";

const UNTOUCHED = 60_000; // ms
const TO_ANSWER = 20; // s

/** Clears the order once nobody is there: every touch and key shows that somebody is. Has to be called once. */
export function clearAbandoned(cart) {
  let waiting;
  const wait = () => {
    clearTimeout(waiting);
    waiting = setTimeout(cart.count > 0 ? askWhetherThere : speakOwn, UNTOUCHED);
  };
  const askWhetherThere = async () => {
    for (const open of document.querySelectorAll("dialog.question")) open.close("");
    if ((await askFor(TO_ANSWER)) !== "clear") return wait();
    cart.clear();
    speakOwn();
  };
  for (const sign of ["pointerdown", "keydown"]) addEventListener(sign, wait, true);
  cart.addEventListener("change", wait);
}

/** Gives "clear" for no answer, too. */
async function askFor(seconds) {
  let counting;
  const { answer } = await ask("still-there-template", (dialog) => {
    let left = seconds;
    const count = () => {
      dialog.querySelector("p").textContent = say("Your order is cleared in {seconds} s.", { seconds: left });
      if (left === 0) dialog.close("clear");
      left -= 1;
    };
    count();
    counting = setInterval(count, 1000);
  });
  clearInterval(counting);
  return answer;
}
