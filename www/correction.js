// What changes an order beside a tap: a discount on all of it, a quantity that is typed, a line that is taken out.
import { say } from "./language.js";
import { minorOf, numberIn } from "./money.js";
import { ask } from "./question.js";

/** Percent, at most all, or dollars; none takes it away. */
export async function askDiscount(cart) {
  if (cart.count === 0) return;
  const { answer, dialog } = await ask("discount-template");
  const number = numberIn(dialog);
  if (answer === "percent") cart.discount({ percent: Math.min(number, 100) });
  if (answer === "amount") cart.discount({ amount: minorOf(number) });
  if (answer === "none") cart.discount(null);
}

/** How many of a product, or how much of it. */
export async function askQuantity(cart, product) {
  const { answer, dialog } = await ask("quantity-template", (question) => {
    const input = question.querySelector("input");
    question.querySelector("h2").textContent = say(product.name);
    const { unit } = product;
    question.querySelector("label span").textContent = unit ? say("Quantity in {unit}", { unit }) : say("Quantity");
    input.value = cart.quantityOf(product);
    input.pattern = unit ? "[0-9]{1,3}([.,][0-9]{1,3})?" : "[0-9]{1,3}";
  });
  if (answer === "set") cart.setQuantity(product, numberIn(dialog));
  if (answer === "void") cart.setQuantity(product, 0);
}
