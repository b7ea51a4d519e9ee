// What the bakery sells. Prices in minor units, before tax; with `grams` by weight, and what the scale says.
export const categories = ["Bread", "Pastry", "Sweets", "Drinks"];

export const products = [
  { id: "sourdough", category: "Bread", name: "Sourdough loaf", price: 750 },
  { id: "baguette", category: "Bread", name: "Baguette", price: 375 },
  { id: "pretzel", category: "Bread", name: "Soft pretzel", price: 295 },
  { id: "bagel", category: "Bread", name: "Sesame bagel", price: 225 },
  { id: "croissant", category: "Pastry", name: "Butter croissant", price: 350 },
  { id: "cinnamon-roll", category: "Pastry", name: "Cinnamon roll", price: 425 },
  { id: "muffin", category: "Pastry", name: "Blueberry muffin", price: 395 },
  { id: "donut", category: "Pastry", name: "Glazed donut", price: 275 },
  { id: "cheesecake", category: "Sweets", name: "Cheesecake", price: 550 },
  { id: "cookie", category: "Sweets", name: "Chocolate cookies", price: 1990, unit: "kg", grams: 355 },
  { id: "fruit-tart", category: "Sweets", name: "Fruit tart", price: 495 },
  { id: "brownie", category: "Sweets", name: "Walnut brownie", price: 325 },
  { id: "espresso", category: "Drinks", name: "Espresso", price: 295 },
  { id: "cappuccino", category: "Drinks", name: "Cappuccino", price: 450 },
  { id: "iced-tea", category: "Drinks", name: "Iced tea", price: 325 },
  { id: "orange-juice", category: "Drinks", name: "Orange juice", price: 475 },
];

export const artOf = (product) => `art/${product.id}.svg`;
