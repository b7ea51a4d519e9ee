// How an order is paid, one tap after Charge. A real till talks to its card terminal and its cash drawer here.
import { formatMoney } from "./money.js";
import { ask } from "./question.js";

const NOTES = [500, 1000, 2000, 5000, 10_000]; // In minor units.
const MOST_CHOICES = 3;

/** Asks; gives `{ kind, given }`, or null if the cashier goes back. Who pays at a kiosk has a card. */
export async function askPayment({ number, total }) {
  if ("kiosk" in document.documentElement.dataset) return { kind: "card" };
  const { answer } = await ask("payment-template", (dialog) => {
    const [title, sum] = dialog.querySelector("h2").children;
    title.textContent = `${total < 0 ? "Refund" : "Charge"} order ${number}`;
    sum.textContent = formatMoney(Math.abs(total));
    dialog.querySelector(".cash").append(...amountsFor(total).map((given) => cashButton(given, total)));
    dialog.addEventListener("click", ignoreSecond, true);
    dialog.addEventListener("keydown", ignoreSecond, true);
  });
  if (!answer) return null;
  return answer === "card" ? { kind: "card" } : { kind: "cash", given: Number(answer) };
}

/** What is likely to be given in cash: the sum itself, and the notes above it. */
function amountsFor(total) {
  if (total <= 0) return [total];
  const rounded = NOTES.map((note) => Math.ceil(total / note) * note);
  return [...new Set([total, ...rounded])].slice(0, MOST_CHOICES);
}

function cashButton(given, total) {
  const button = document.createElement("button");
  button.value = given;
  const amount = document.createElement("span");
  const change = document.createElement("small");
  amount.textContent = given === total ? "Cash, exact" : formatMoney(given);
  change.textContent = given === total ? formatMoney(Math.abs(total)) : `${formatMoney(given - total)} change`;
  button.append(amount, change);
  return button;
}

/** The second half of a double tap on Charge, and a key that is held, are not meant for what stands there now. */
function ignoreSecond(event) {
  if (event.detail > 1 || event.repeat) event.preventDefault();
}
