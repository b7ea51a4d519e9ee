// How an order is paid, one tap after Charge. A real till talks to its card terminal and its cash drawer here.
import { formatMoney, minorOf, numberIn } from "./money.js";
import { ask } from "./question.js";

const NOTES = [500, 1000, 2000, 5000, 10_000]; // In minor units.
const MOST_CHOICES = 3;

/** Asks; gives `{ kind, given }`, or null if somebody goes back. Who pays at a kiosk has a card. */
export async function askPayment({ title: heading, total }) {
  const named = (dialog) => {
    const [title, sum] = dialog.querySelector("h2").children;
    title.textContent = heading;
    sum.textContent = formatMoney(Math.abs(total));
  };
  const { answer } = await ask("payment-template", (dialog) => {
    named(dialog);
    dialog.querySelector(".cash").prepend(...amountsFor(total).map((given) => cashButton(given, total)));
    dialog.querySelector("[value=other]").hidden = total <= 0;
    if ("kiosk" in document.documentElement.dataset) showTerminal(dialog);
    dialog.addEventListener("click", ignoreSecond, true);
    dialog.addEventListener("keydown", ignoreSecond, true);
  });
  if (!answer) return null;
  if (answer === "other") return askCash(total, named);
  return answer === "card" ? { kind: "card" } : { kind: "cash", given: Number(answer) };
}

/** A kiosk's card terminal, in place of the choice. */
function showTerminal(dialog) {
  dialog.querySelector(".cash").hidden = true;
  dialog.querySelector(".terminal").hidden = false;
  dialog.querySelector("[value=card]").dataset.say = "Hold card (simulated)";
}

/** Any other amount that covers the sum. */
async function askCash(total, named) {
  const { answer, dialog } = await ask("cash-template", (question) => {
    named(question);
    const input = question.querySelector("input");
    const check = () => input.setCustomValidity(covers(question, total) ? "" : `At least ${formatMoney(total)}.`);
    input.addEventListener("input", check);
  });
  return answer && covers(dialog, total) ? { kind: "cash", given: minorOf(numberIn(dialog)) } : null;
}

const covers = (dialog, total) => minorOf(numberIn(dialog)) >= total;

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
