// The selling half of the till. It knows nothing of the connection: see flow.js.
import { Cart } from "./cart.js";
import { OrderPanel } from "./order.js";
import { showProducts } from "./products.js";
import { startViews } from "./views.js";

const announcer = document.getElementById("announcer");
const announce = (text) => { announcer.textContent = text; };

const cart = new Cart();
showProducts(cart, announce);
new OrderPanel(cart, announce);
startViews();
