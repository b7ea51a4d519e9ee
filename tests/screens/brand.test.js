// @engines chromium: only its driver sets the size of the browser's text
// The connect page with an operator's name, logo, color and links.
import { fileURLToPath } from "node:url";
import { CONSENT, SIGN_IN, states } from "./support/connect.js";
import { stage } from "./support/stage.js";

const NAME = "Corner Ads & Söhne";
const logo = fileURLToPath(new URL("page/logo.svg", import.meta.url));
const screens = stage("brand", {
  // Black is easier to read than white on this color.
  brand: ["--brand-name", NAME, "--brand-logo", logo, "--brand-color", "#ffd400"].concat([
    "--support-url",
    "https://ads.example.com/help",
    "--reset-url",
    "mailto:help@ads.example.com",
  ]),
});
const IS_DRAWN = `return document.body.innerText.includes(arguments[0]) && document.querySelector(".brand img") &&
  Array.from(document.images).every(({ complete, naturalWidth }) => complete && naturalWidth > 0);`;
const { page, opens, visits, consents } = states(screens, () =>
  screens.until(IS_DRAWN, "The name and the logo never came.", NAME),
);

page("sign-in", opens, SIGN_IN);
page("consent", consents, CONSENT);
page("no vendor", visits(""));
