// Runs one case, in a page of its own, by a hurried clock.
import "./clock.js";
import { cases } from "./cases.js";
import { hurry } from "./hurry.js";
import { overhear } from "./tools.js";

const name = new URLSearchParams(location.search).get("case");
const said = overhear();
hurry();
const report = await cases[name]()
  .then(() => ({ uncaught: said.uncaught }))
  .catch((error) => ({ uncaught: said.uncaught, failed: `${error?.message}\n${error?.stack}` }));
parent.document.body.dataset.result = JSON.stringify(report);
