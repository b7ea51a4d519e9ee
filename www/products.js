import { artOf, categories, products } from "./catalog.js";
import { onLanguage, say } from "./language.js";
import { formatPrice, formatQuantity } from "./money.js";

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
    button.dataset.say = button.textContent = category;
    button.addEventListener("click", () => choose(category));
    return button;
  });
  bar.append(...buttons);

  function choose(category) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.say === category));
    for (const { element, product } of tiles) element.hidden = category !== EVERYTHING && product.category !== category;
    grid.scrollTop = 0;
  }

  choose(EVERYTHING);
  // The next shopper begins with everything.
  if ("kiosk" in document.documentElement.dataset)
    cart.addEventListener("change", () => cart.count === 0 && choose(EVERYTHING));
  new ResizeObserver(() => fit(grid, tiles)).observe(grid);
  cart.addEventListener("change", () => tiles.forEach((tile) => tile.update()));
}

function tileOf(product, cart, announce) {
  const element = document.getElementById("product-template").content.firstElementChild.cloneNode(true);
  const badge = element.querySelector(".badge");
  element.querySelector("img").src = artOf(product);
  element.querySelector(".name").dataset.say = element.querySelector(".name").textContent = product.name;
  element.querySelector(".price").textContent = formatPrice(product);
  const button = element.querySelector("button");
  button.addEventListener("click", () => {
    if (!cart.takes(product)) return announce(`There was no more ${product.name} in the order.`);
    cart.add(product);
    announce(cart.storyOf(product));
  });

  const update = () => {
    const quantity = cart.quantityOf(product);
    badge.hidden = quantity === 0;
    badge.textContent = formatQuantity(quantity, product.unit);
    button.setAttribute("aria-disabled", String(!cart.takes(product)));
  };
  return { element, product, update };
}

// In `rem`: with large text, fewer fit.
const NARROWEST = 6.5;
const LOWEST = 7.5;
const EMPTY = 2; // What a last row of wider tiles costs beside tiles that are no squares.

/**
 * Lays out all products so that they fill the grid, in the number of columns that leaves the best tiles. Where they do
 * not fit, the style sheet's columns stand, and the grid scrolls.
 */
function fit(grid, tiles) {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const { columnGap, paddingTop } = getComputedStyle(grid);
  const gap = Number.parseFloat(columnGap);
  const [width, height] = [grid.clientWidth, grid.clientHeight].map((side) => side - 2 * Number.parseFloat(paddingTop));
  let best = null;
  for (let columns = 1; columns <= tiles.length; columns += 1) {
    const rows = Math.ceil(tiles.length / columns);
    const tile = { width: (width + gap) / columns - gap, height: (height + gap) / rows - gap };
    if (tile.width < NARROWEST * rem || tile.height < LOWEST * rem) continue;
    const cost = Math.abs(Math.log(tile.width / tile.height)) + EMPTY * (rows - tiles.length / columns);
    if (!best || cost < best.cost) best = { columns, height: tile.height, cost };
  }
  grid.style.gridTemplateColumns = "";
  for (const { element } of tiles) element.style.gridColumnEnd = ""; // A span makes columns of its own.
  grid.style.gridAutoRows = best ? `${best.height}px` : "";
  fillRows(grid, tiles, best?.columns ?? getComputedStyle(grid).gridTemplateColumns.split(" ").length);
}

/** A last row with fewer tiles has wider ones: each column is cut into as many tracks as that row has tiles. */
function fillRows(grid, tiles, columns) {
  const rest = tiles.length % columns;
  const tracks = rest || 1;
  grid.style.gridTemplateColumns = `repeat(${columns * tracks}, minmax(0, 1fr))`;
  for (const [at, { element }] of tiles.entries())
    element.style.gridColumnEnd = `span ${at < tiles.length - rest ? tracks : columns}`;
}
