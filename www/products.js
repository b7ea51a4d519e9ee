import { artOf, categories, products } from "./catalog.js";
import { formatMoney, formatPrice, formatQuantity } from "./money.js";

const EVERYTHING = "All";

/** The grid of product buttons, and the categories that filter it. */
export function showProducts(cart, announce) {
  const grid = document.getElementById("products");
  const bar = document.getElementById("categories");
  const tiles = products.map((product) => tileOf(product, cart, announce));
  grid.append(...tiles.map((tile) => tile.element));

  const buttons = [EVERYTHING, ...categories].map((category) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = category;
    button.addEventListener("click", () => choose(category));
    return button;
  });
  bar.append(...buttons);

  function choose(category) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === category));
    for (const { element, product } of tiles) element.hidden = category !== EVERYTHING && product.category !== category;
    grid.scrollTop = 0;
  }

  choose(EVERYTHING);
  cart.addEventListener("change", () => tiles.forEach((tile) => tile.update()));
}

function tileOf(product, cart, announce) {
  const element = document.getElementById("product-template").content.firstElementChild.cloneNode(true);
  const badge = element.querySelector(".badge");
  element.querySelector("img").src = artOf(product);
  element.querySelector(".name").textContent = product.name;
  element.querySelector(".price").textContent = formatPrice(product);
  element.querySelector("button").addEventListener("click", () => {
    cart.add(product);
    announce(`${product.name}, ${cart.quantityOf(product)} in the order. Total ${formatMoney(cart.total)}.`);
  });

  const update = () => {
    const quantity = cart.quantityOf(product);
    badge.hidden = quantity === 0;
    badge.textContent = formatQuantity(quantity, product.unit);
  };
  return { element, product, update };
}
